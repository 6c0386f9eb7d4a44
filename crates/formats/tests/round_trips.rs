//! What is written is read back: the same game from its text, the same text from its game.

#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{annotated_game, odd_position, play, rng, usual_game};
use outflank_formats::obf::ScoredPosition;
use outflank_formats::wthor::{Base, Date, Directory, Kind, Names};
use outflank_formats::{
    AnnotatedGame, Ending, GameResult, WriteError, ggf, obf, sgf, transcript, wthor,
};
use outflank_rules::{Color, Game, Position, Size};
use rand::RngExt;

const GAMES: usize = 500;

#[test]
fn sgf_keeps_everything() {
    let mut rng = rng(1);
    let mut file = Vec::new();
    let games: Vec<AnnotatedGame> = (0..GAMES)
        .map(|_| {
            let mut game = annotated_game(&mut rng);
            game.tags
                .extra
                .push(("KM".to_owned(), "-0.5] \\ (;GM[".to_owned()));
            game.tags.extra.push(("US".to_owned(), "one".to_owned()));
            game.tags
                .extra
                .push(("US".to_owned(), "two\nlines".to_owned()));
            game
        })
        .collect();
    games
        .iter()
        .for_each(|game| sgf::write(&mut file, game).unwrap());
    let read: Vec<_> = sgf::read(&file[..], "t.sgf").map(Result::unwrap).collect();
    assert!(read == games);
    let mut again = Vec::new();
    read.iter()
        .for_each(|game| sgf::write(&mut again, game).unwrap());
    assert!(again == file);
}

#[test]
fn ggf_keeps_everything_but_has_one_tag_for_place_and_event() {
    let mut rng = rng(2);
    let mut file = Vec::new();
    let mut games = Vec::new();
    for _ in 0..GAMES {
        let mut game = annotated_game(&mut rng);
        game.tags.event.clear();
        if rng.random() {
            let size = game.game().start().board.size();
            game.tags
                .extra
                .push(("TY".to_owned(), format!("{}kr20", size.side())));
            game.tags.extra.push(("KM".to_owned(), "-3.133".to_owned()));
        }
        if let Some(GameResult::Score { ending, .. }) = &mut game.tags.result {
            let endings = [
                Ending::Played,
                Ending::Resigned,
                Ending::TimeOut,
                Ending::Agreed,
            ];
            *ending = endings[rng.random_range(0..4)];
        }
        ggf::write(&mut file, &game).unwrap();
        assert_eq!(ggf::parse(&ggf::format(&game).unwrap()).unwrap(), game);
        games.push(game);
    }
    let read: Vec<_> = ggf::read(&file[..], "t.ggf").map(Result::unwrap).collect();
    assert!(read == games);
    let mut again = Vec::new();
    read.iter()
        .for_each(|game| ggf::write(&mut again, game).unwrap());
    assert!(again == file);

    games[0].tags.place.clear();
    games[0].tags.event = "World Championship".to_owned();
    let place = ggf::parse(&ggf::format(&games[0]).unwrap())
        .unwrap()
        .tags
        .place;
    assert_eq!(place, "World Championship");
}

#[test]
fn results_without_a_score() {
    let mut game = AnnotatedGame::new(Position::start(Size::Eight));
    for (ending, sgf_text, ggf_text) in [
        (Ending::Resigned, "RE[W+R]", "RE[-64.000:r]"),
        (Ending::TimeOut, "RE[W+T]", "RE[-64.000:t]"),
        (Ending::Forfeit, "RE[W+F]", "RE[-64.000:r]"),
        (Ending::Played, "RE[W+]", "RE[-64.000]"),
    ] {
        game.tags.result = Some(GameResult::Win {
            winner: Color::White,
            ending,
        });
        let text = sgf::format(&game).unwrap();
        assert!(text.contains(sgf_text), "{text}");
        assert_eq!(
            sgf::read(text.as_bytes(), "t").next().unwrap().unwrap(),
            game
        );
        assert!(ggf::format(&game).unwrap().contains(ggf_text));
    }
}

#[test]
fn ggf_refuses_what_it_cannot_hold() {
    let mut game = AnnotatedGame::new(Position::start(Size::Eight));
    for name in ["a]b", "(;GM[Othello]"] {
        game.tags.black.name = name.to_owned();
        let refused = ggf::format(&game);
        assert!(matches!(
            refused,
            Err(WriteError::Inexpressible { format: "GGF", .. })
        ));
    }
    game.tags.black.name.clear();
    game.tags.black.rating = Some(f64::NAN);
    assert!(ggf::format(&game).is_err() && sgf::format(&game).is_err());
}

#[test]
fn transcripts() {
    let mut rng = rng(3);
    for size in Size::ALL {
        let games: Vec<_> = (0..GAMES)
            .map(|_| play(Position::start(size), &mut rng))
            .collect();
        // An empty line is no game.
        let (empty, games): (Vec<_>, Vec<_>) =
            games.into_iter().partition(|game| game.plies().is_empty());
        assert!(empty.iter().all(|game| transcript::format(game).is_err()));
        let mut file = Vec::new();
        games
            .iter()
            .for_each(|game| transcript::write(&mut file, game).unwrap());
        let read = transcript::read(&file[..], "t.txt", size).map(|game| game.unwrap().into());
        assert!(read.collect::<Vec<Game>>() == games);
    }
    let other = play(odd_position(&mut rng), &mut rng);
    assert!(transcript::format(&other).is_err());
}

#[test]
fn scored_positions() {
    let mut rng = rng(4);
    let records: Vec<_> = (0..GAMES)
        .map(|_| {
            let position = odd_position(&mut rng);
            let score = |mv| (mv, rng.random_range(-16..=16));
            ScoredPosition {
                position,
                scores: position.board.moves().map(score).collect(),
            }
        })
        .collect();
    let mut file = Vec::new();
    records
        .iter()
        .for_each(|record| obf::write(&mut file, record).unwrap());
    let read: Vec<_> = obf::read(&file[..], "t.obf").map(Result::unwrap).collect();
    assert!(read == records);
}

#[test]
fn wthor_keeps_moves_names_and_score() {
    let mut rng = rng(5);
    let mut base = Base::new(
        Date {
            century: 20,
            year: 24,
            month: 2,
            day: 29,
        },
        1986,
    );
    let mut games = Vec::new();
    for number in 0..GAMES {
        let game = loop {
            let game = usual_game(&mut rng);
            let ends_in_pass = game.plies().last().is_some_and(|ply| ply.mv.is_pass());
            if game.start().board.size() == Size::Eight && !ends_in_pass {
                break game;
            }
        };
        let mut game = AnnotatedGame::from(game);
        game.tags.date = "1986".to_owned();
        game.tags.event = ["Préqualif de Paris", "World Championship", ""][number % 3].to_owned();
        game.tags.black.name = format!("Player {}", number % 7);
        game.tags.white.name = format!("Plåyer {}", number % 5);
        let margin = game.final_margin().map_or(-12.0, f64::from);
        game.tags.result = Some(GameResult::Score {
            margin,
            ending: Ending::Played,
        });
        base.push(&game).unwrap();
        games.push(game);
    }
    let (mut wtb, mut jou, mut trn) = (Vec::new(), Vec::new(), Vec::new());
    base.write_games(&mut wtb).unwrap();
    base.write_players(&mut jou).unwrap();
    base.write_tournaments(&mut trn).unwrap();
    assert_eq!(jou.len(), 16 + (1 + 7 + 5) * 20);
    assert_eq!(trn.len(), 16 + 3 * 26);

    let players = Directory::read(&jou[..], "t.jou", Kind::Players).unwrap();
    let tournaments = Directory::read(&trn[..], "t.trn", Kind::Tournaments).unwrap();
    let mut again = Vec::new();
    tournaments.write(&mut again).unwrap();
    assert!(again == trn);
    let names = Names {
        players: players.names,
        tournaments: tournaments.names,
    };
    let read = wthor::read_games(&wtb[..], "t.wtb", names).unwrap();
    assert!(read.map(Result::unwrap).collect::<Vec<_>>() == games);

    let mut records = wthor::read(&wtb[..], "t.wtb").unwrap();
    let mut again = records.source().header().to_bytes().to_vec();
    records
        .by_ref()
        .for_each(|record| record.unwrap().write(&mut again).unwrap());
    assert!(again == wtb);
}
