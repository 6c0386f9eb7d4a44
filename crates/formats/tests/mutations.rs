//! Damaged files: any bytes give records or errors, and an end.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{annotated_game, odd_position, rng, usual_game};
use outflank_formats::obf::{self, ScoredPosition};
use outflank_formats::wthor::{Base, Date, Directory, Kind, Names};
use outflank_formats::{AnnotatedGame, ggf, sgf, transcript, wthor};
use outflank_rules::Size;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const CASES: usize = 3000;

/// Changes, removes, repeats and swaps bytes.
fn damage(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..6) {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        let (i, j) = (rng.random_range(0..length), rng.random_range(0..length));
        let (start, end) = (i.min(j), i.max(j));
        match rng.random_range(0..6) {
            0 => bytes[i] = rng.random(),
            1 => bytes[i] = b"()[];:/\\%\n\r PW-+.1\0"[rng.random_range(0..19)],
            2 => bytes.truncate(end.max(length / 2)),
            3 => drop(bytes.drain(start..end.min(start + 9))),
            4 => bytes.extend_from_within(start..end.min(start + 300)),
            _ => bytes.swap(i, j),
        }
    }
    bytes
}

/// Reads damaged copies of a file; no more records may come out than it has bytes.
fn survive(seed: u64, file: &[u8], read: impl Fn(&[u8]) -> usize) {
    let mut rng = rng(seed);
    for _ in 0..CASES {
        let damaged = damage(file, &mut rng);
        assert!(read(&damaged) <= damaged.len() + 1);
    }
}

fn games(seed: u64) -> Vec<AnnotatedGame> {
    let mut rng = rng(seed);
    (0..3)
        .map(|_| {
            let mut game = annotated_game(&mut rng);
            game.tags.event.clear();
            game
        })
        .collect()
}

#[test]
fn ggf_survives() {
    let mut file = Vec::new();
    games(11)
        .iter()
        .for_each(|game| ggf::write(&mut file, game).unwrap());
    survive(12, &file, |bytes| {
        let read = ggf::read(bytes, "t").skip_bad(true);
        // What is read can be written, if the format can hold it, and is the same again.
        read.inspect(|game| {
            if let Ok(game) = game
                && let Ok(text) = ggf::format(game)
            {
                assert_eq!(ggf::parse(&text).unwrap().game(), game.game());
            }
        })
        .count()
    });
}

#[test]
fn sgf_survives() {
    let mut file = Vec::new();
    games(13)
        .iter()
        .for_each(|game| sgf::write(&mut file, game).unwrap());
    survive(14, &file, |bytes| {
        let read = sgf::read(bytes, "t").skip_bad(true);
        read.inspect(|game| {
            if let Ok(game) = game {
                let text = sgf::format(game).unwrap();
                let again = sgf::read(text.as_bytes(), "t").next().unwrap().unwrap();
                assert_eq!(again.game(), game.game());
            }
        })
        .count()
    });
}

#[test]
fn wthor_survives() {
    let mut rng = rng(15);
    let mut base = Base::new(
        Date {
            century: 20,
            year: 24,
            month: 2,
            day: 29,
        },
        1986,
    );
    let mut games: Vec<_> = (0..30)
        .map(|_| AnnotatedGame::from(usual_game(&mut rng)))
        .collect();
    games.retain(|game| game.game().start().board.size() == Size::Eight);
    games.iter().for_each(|game| base.push(game).unwrap());
    let (mut wtb, mut jou) = (Vec::new(), Vec::new());
    base.write_games(&mut wtb).unwrap();
    base.write_players(&mut jou).unwrap();
    survive(16, &wtb, |bytes| {
        match wthor::read_games(bytes, "t", Names::default()) {
            Ok(games) => games.skip_bad(true).count(),
            Err(_) => 0,
        }
    });
    survive(17, &jou, |bytes| {
        Directory::read(bytes, "t", Kind::Players).map_or(0, |file| file.names.len())
    });
}

#[test]
fn transcripts_survive() {
    let mut rng = rng(18);
    let mut file = Vec::new();
    (0..5).for_each(|_| transcript::write(&mut file, &usual_game(&mut rng)).unwrap());
    survive(19, &file, |bytes| {
        transcript::read(bytes, "t", Size::Eight)
            .skip_bad(true)
            .count()
    });
}

#[test]
fn scored_positions_survive() {
    let mut rng = rng(20);
    let mut file = Vec::new();
    for _ in 0..5 {
        let position = odd_position(&mut rng);
        let scores = position.board.moves().map(|mv| (mv, 2)).collect();
        obf::write(&mut file, &ScoredPosition { position, scores }).unwrap();
    }
    survive(21, &file, |bytes| {
        obf::read(bytes, "t").skip_bad(true).count()
    });
}
