//! Chunks: what is written is read, and anything else is refused without a panic.

mod common;

use common::{searched_game, varied_game};
use outflank_records::chunk::{VERSION, decode, encode};
use outflank_records::{ChunkError, Ending, GameRecord, SearchKind, SearchRecord};
use outflank_rules::Size;

fn small_chunk() -> (Vec<GameRecord>, Vec<u8>) {
    let games: Vec<_> = (0..2).map(varied_game).collect();
    let bytes = encode(&games).expect("small");
    (games, bytes)
}

#[test]
fn games_survive_a_chunk() {
    for size in Size::ALL {
        let games: Vec<_> = (0..20).map(|seed| searched_game(size, seed)).collect();
        let bytes = encode(&games).expect("small");
        assert_eq!(decode(&bytes).expect("its own bytes"), games);
        assert_eq!(
            encode(&games).expect("small"),
            bytes,
            "the same games give the same bytes"
        );
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let (_, bytes) = small_chunk();
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(decode(&flipped).is_err(), "bit {bit}");
    }
}

#[test]
fn every_truncation_is_noticed() {
    let (_, bytes) = small_chunk();
    for length in 0..bytes.len() {
        let error = decode(&bytes[..length]).expect_err("truncated");
        match length {
            0 => assert_eq!(error, ChunkError::NotAChunk),
            _ => assert!(
                matches!(error, ChunkError::Truncated { .. }),
                "{length}: {error}"
            ),
        }
    }
    let longer = [&bytes[..], b"x"].concat();
    assert_eq!(decode(&longer), Err(ChunkError::Trailing(1)));
}

#[test]
fn foreign_and_newer_files_are_told_apart() {
    assert_eq!(decode(b"\x7fELF and so on"), Err(ChunkError::NotAChunk));
    assert_eq!(
        decode(b"OUT"),
        Err(ChunkError::Truncated {
            expected: 52,
            found: 3
        })
    );
    let (_, mut bytes) = small_chunk();
    bytes[8] = VERSION as u8 + 1;
    assert_eq!(
        decode(&bytes),
        Err(ChunkError::NewerVersion { found: VERSION + 1 })
    );
}

/// `golden/chunk-v1.rec` was written by the first build with format version 1. If this fails, the
/// format changed: then it needs a new version, and code that still reads this one.
#[test]
fn version_1_stays_readable() {
    let games = decode(include_bytes!("golden/chunk-v1.rec")).expect("readable");
    let moves = |game: &GameRecord| {
        let moves: Vec<_> = game.plies.iter().map(|ply| ply.mv.to_string()).collect();
        moves.join(" ")
    };
    let [first, second] = &games[..] else {
        panic!("{} games", games.len())
    };
    assert_eq!(moves(first), "d3 d4 b1 a3 b4 d2 c4 a2 c1 a4 a1 d1");
    assert_eq!(
        moves(second),
        "d3 b4 a1 d2 d1 b1 d4 pass a4 pass c1 pass c4"
    );
    assert_eq!((first.black_margin, second.black_margin), (-6, 16));
    assert_eq!((first.seed, second.seed), (0, 1));
    assert_eq!((first.size, first.ending), (Size::Four, Ending::Played));
    let players = first.players.as_ref().expect("named");
    assert_eq!((&*players.black, &*players.white), ("greedy", "naïve"));
    let search = |kind, policy: &[(u8, u16)], value, visits| {
        let policy = policy.to_vec().try_into().expect("a policy");
        Some(SearchRecord {
            kind,
            policy,
            value,
            visits,
            surprise: 0.0,
        })
    };
    let searches: Vec<_> = first.plies[..4]
        .iter()
        .map(|ply| ply.search.clone())
        .collect();
    let expected = [
        None,
        search(
            SearchKind::Full,
            &[(11, 65535), (25, 41835), (27, 45556)],
            0.39828634,
            449,
        ),
        search(
            SearchKind::Fast,
            &[(1, 14563), (8, 65535), (26, 43242)],
            0.09906244,
            332,
        ),
        search(
            SearchKind::Solved,
            &[(0, 57696), (2, 65535), (11, 34628), (16, 56312)],
            0.8023412,
            124,
        ),
    ];
    assert_eq!(searches, expected);
    assert!(games.iter().all(|game| game.verify().is_ok()));
}
