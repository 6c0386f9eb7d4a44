//! Whole games: known results, transcripts, and the books that a game keeps.

mod slow;

use outflank_rules::{
    Board, Color, Game, Move, Passes, Position, Scoring, Size, Square, TranscriptReason,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_game(rng: &mut ChaCha8Rng, size: Size) -> Game {
    let mut game = Game::new(size);
    while !game.is_over() {
        let moves: Vec<Move> = game.position().board.moves().collect();
        game.play(moves[rng.random_range(0..moves.len())])
            .expect("a legal move");
    }
    game
}

#[test]
fn a_perfect_line_on_8x8_is_a_draw() {
    // Takizawa 2023, arXiv 2310.19387.
    let line = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1f8g8\
                b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6";
    let game = Game::from_transcript(Position::start(Size::Eight), line).expect("a legal game");
    assert!(game.is_over());
    assert_eq!(game.plies().len(), 60, "no pass");
    assert_eq!(game.score(Scoring::Plain), 0);
    assert_eq!(game.winner(), None);
    assert_eq!(game.transcript(Passes::Written), line);
}

#[test]
fn a_perfect_line_on_6x6_is_lost_by_four() {
    // Feinstein 1993, printed in the coordinates of the inner squares b2 to g7 of 8x8.
    let printed = "d3 c5 d6 e3 f5 f4 e2 d2 c2 e6 e7 g5 c4 c3 g4 g3 f3 c7 b5 d7 b7 b3 c6 b6 f7 f6 \
                   b4 b2 g6 g7 f2 g2";
    let line: String = printed
        .split_whitespace()
        .map(|name| name.parse::<Square>().expect("a square"))
        .map(|s| {
            Square::new(s.column() - 1, s.row() - 1)
                .expect("an inner square")
                .to_string()
        })
        .collect();
    let game = Game::from_transcript(Position::start(Size::Six), &line).expect("a legal game");
    assert!(game.is_over());
    let passes: Vec<usize> = (0..game.plies().len())
        .filter(|&i| game.plies()[i].mv.is_pass())
        .collect();
    assert_eq!(passes, [30]);
    assert_eq!(game.plies()[30].player(), Color::Black);
    let position = game.position();
    assert_eq!(position.discs(Color::Black).len(), 16);
    assert_eq!(position.discs(Color::White).len(), 20);
    assert_eq!(game.winner(), Some(Color::White));
    assert_eq!(game.transcript(Passes::Omitted), line);
    assert_eq!(game.transcript(Passes::Written).len(), line.len() + 2);
}

/// The score of perfect play, seen by the mover.
fn solve(board: &Board, scoring: Scoring) -> i32 {
    board
        .moves()
        .map(|mv| -solve(&board.apply(mv).expect("a legal move"), scoring))
        .max()
        .unwrap_or_else(|| board.score(scoring))
}

#[test]
fn perfect_play_on_4x4_ends_3_to_11_with_two_empties() {
    assert_eq!(solve(&Board::start(Size::Four), Scoring::Plain), 3 - 11);
    assert_eq!(
        solve(&Board::start(Size::Four), Scoring::Tournament),
        3 - 13
    );
}

/// Plays every game that follows, and calls back at the end of each.
fn for_all_games(game: &mut Game, finished: &mut impl FnMut(&Game)) {
    if game.is_over() {
        finished(game);
    }
    for mv in game.position().board.moves() {
        game.play(mv).expect("a legal move");
        for_all_games(game, finished);
        game.undo().expect("the ply just played");
    }
}

#[test]
fn all_games_on_4x4_keep_the_supplies_right() {
    let (mut games, mut with_hand_overs) = (0, 0);
    let mut game = Game::new(Size::Four);
    for_all_games(&mut game, &mut |game| {
        games += 1;
        let mut handed_over = 0;
        for color in [Color::Black, Color::White] {
            let own = game.plies().iter().filter(|ply| ply.player() == color);
            let placed = own.filter(|ply| !ply.mv.is_pass()).count() as u32;
            let handed = game
                .hand_overs()
                .filter(|hand_over| hand_over.to == color)
                .count() as u32;
            // Six of a player's eight discs are left at the start.
            assert_eq!(handed, placed.saturating_sub(6));
            if handed > 0 {
                assert_eq!(game.supply(color), 0);
            }
            handed_over += handed;
        }
        with_hand_overs += u32::from(handed_over > 0);
        let left = game.supply(Color::Black) + game.supply(Color::White);
        assert_eq!(left, game.position().board.empties());
    });
    assert_eq!(games, 60_060);
    assert!(with_hand_overs > 1_000);
    assert_eq!(game, Game::new(Size::Four), "undo restores everything");
}

#[test]
fn transcripts_read_back_in_every_spelling() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut with_passes = 0;
    for i in 0..300 {
        let game = random_game(&mut rng, Size::ALL[i % 3]);
        let start = game.start();
        let read = |text: &str| Game::from_transcript(start, text).expect("a legal game");
        let (omitted, written) = (
            game.transcript(Passes::Omitted),
            game.transcript(Passes::Written),
        );
        with_passes += usize::from(omitted != written);
        assert_eq!(read(&omitted), game);
        assert_eq!(read(&written), game);
        assert_eq!(read(&written.to_uppercase()), game);
        for word in ["--", "ps", "PASS", " pass\n"] {
            assert_eq!(read(&written.replace("pa", word)), game);
        }
        let numbered = |before: &str, after: &str| -> String {
            (1..)
                .zip(game.plies())
                .map(|(i, ply)| format!("{before}{i}{after}{}", ply.mv))
                .collect()
        };
        for (before, after) in [(" ", ". "), ("\n", " "), ("", "."), (" ", ") "), ("", ": ")] {
            assert_eq!(read(&numbered(before, after)), game);
        }
    }
    assert!(with_passes > 50);
}

#[test]
fn a_pass_after_the_last_move_is_left_to_the_caller() {
    let text = "e6 f6 c4 c5 c6 d6 g7 f4 g4 g6 e7 h8 h6 g5 g8 f8";
    let start = Position::start(Size::Eight);
    let without = Game::from_transcript(start, text).expect("a legal game");
    let with = Game::from_transcript(start, &format!("{text} pa")).expect("a legal game");
    assert!(without.must_pass());
    assert_eq!(with.plies().len(), without.plies().len() + 1);
}

#[test]
fn errors_name_the_ply_its_place_and_what_was_expected() {
    let start = Position::start(Size::Eight);
    let error = |text: &str| Game::from_transcript(start, text).expect_err(text);

    let stray = error("f5 d6  zz c3");
    assert_eq!((stray.ply, stray.place, stray.found.as_str()), (3, 8, "zz"));
    assert_eq!(stray.reason, TranscriptReason::NotAMove);
    assert_eq!(stray.player, Color::Black);
    let text = stray.to_string();
    assert!(
        text.starts_with("ply 3, 'zz' at character 8: it is not a move; expected Black on one of ")
    );
    assert!(text.ends_with(&stray.expected.to_string()), "{text}");
    assert_eq!(
        stray.expected,
        Game::from_transcript(start, "f5d6")
            .expect("legal")
            .legal_moves()
    );

    let refused = error("f5pa").to_string();
    assert!(
        refused.contains("a player who has a move may not pass"),
        "{refused}"
    );
    let refused = error("f5f5").to_string();
    assert!(
        refused.starts_with("ply 2, 'f5' at character 3: f5 is occupied"),
        "{refused}"
    );
    let refused = error("e6f4e3f6g5d6e7f5c5 a1").to_string();
    assert!(
        refused.ends_with("neither player has a move; expected the end"),
        "{refused}"
    );
    // Half a move, a digit that belongs to nothing, and letters of more than one byte.
    assert_eq!(error("f5d6c").found, "c");
    assert_eq!(error("f5d6 7").found, "7");
    assert_eq!(error("f5 dö").found, "dö");
    assert_eq!(error("♟♟♟♟").place, 1);
    assert_eq!(error("f5♟").place, 3);

    // A forced pass that is missing is counted before the move that fails.
    let text = "e6 f6 c4 c5 c6 d6 g7 f4 g4 g6 e7 h8 h6 g5 g8 f8 a1";
    let refused = error(text);
    assert_eq!((refused.ply, refused.player), (18, Color::White));
}

#[test]
fn arbitrary_text_never_panics() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let alphabet: Vec<char> = "abcdefgh12345678pas-. \n:XOxo*öF5D6".chars().collect();
    for _ in 0..20_000 {
        let length = rng.random_range(0..80);
        let text: String = (0..length)
            .map(|_| alphabet[rng.random_range(0..alphabet.len())])
            .collect();
        for size in Size::ALL {
            let _ = Game::from_transcript(Position::start(size), &text);
        }
        let _ = text.parse::<Position>();
        let _ = text.parse::<Move>();
    }
}

#[test]
fn games_agree_with_the_slow_rules_to_the_end() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for i in 0..150 {
        let game = random_game(&mut rng, Size::ALL[i % 3]);
        let mut slow = slow::SlowBoard::of(&game.start());
        for (index, ply) in game.plies().iter().enumerate() {
            assert_eq!(slow::SlowBoard::of(&ply.before), slow);
            assert_eq!(game.position_after(index), Some(ply.before));
            match ply.mv {
                Move::Place(square) => slow = slow.play(square),
                Move::Pass => {
                    assert!(slow.legal_moves().is_empty());
                    slow.to_move = !slow.to_move;
                }
            }
        }
        assert_eq!(game.position_after(game.plies().len() + 1), None);
        assert!(slow.legal_moves_of(Color::Black).is_empty());
        assert!(slow.legal_moves_of(Color::White).is_empty());
        let difference = slow.count(Color::Black) - slow.count(Color::White);
        assert_eq!(game.score(Scoring::Plain), difference);
        assert_eq!(game.winner().map_or(0, Color::sign), difference.signum());
    }
}

#[test]
fn positions_read_back_what_they_print() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    for size in Size::ALL {
        for i in 0..500 {
            let board = slow::random_board(&mut rng, size);
            let to_move = if i % 2 == 0 {
                Color::Black
            } else {
                Color::White
            };
            let position = Position { board, to_move };
            assert_eq!(position.notation().parse(), Ok(position));
            assert_eq!(
                Position::new(
                    size,
                    position.discs(Color::Black),
                    position.discs(Color::White),
                    to_move
                ),
                Ok(position)
            );
            // The printed board reads too, once its margins are gone.
            let printed = position.to_string();
            let squares: String = printed
                .lines()
                .skip(1)
                .take(size.side())
                .map(|l| &l[1..])
                .collect();
            let side = &printed.lines().last().expect("the side to move")[..1];
            assert_eq!(format!("{squares}{side}").parse(), Ok(position));
        }
    }
}
