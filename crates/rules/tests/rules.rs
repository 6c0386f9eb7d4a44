//! The seven rules, one test or more for each, and cases that public programs got wrong.

use outflank_rules::{
    Board, ClaimError, Color, Difference, Game, HandOver, IllegalMove, Move, Position, Scoring,
    Size, Square, SquareSet, TakeBackError,
};

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn squares(names: &str) -> SquareSet {
    names.split_whitespace().map(square).collect()
}

fn position(text: &str) -> Position {
    text.parse().expect("a position")
}

fn replay(moves: &str) -> Game {
    Game::from_transcript(Position::start(Size::Eight), moves).expect("a legal game")
}

/// Black must pass after this line, and White has 13 moves.
const BLACK_MUST_PASS: &str =
    "F5D6C5F4D3E3F2C6G5B5A5B4B3C4C3A6A7A3F3E6C7B6D7D8B8E7F7E8C8A8A4F8A2B7";

#[test]
fn rule_1_the_start() {
    let start = Game::new(Size::Eight).position();
    assert_eq!(start.to_move, Color::Black);
    assert_eq!(start.discs(Color::White), squares("d4 e5"));
    assert_eq!(start.discs(Color::Black), squares("e4 d5"));
    assert_eq!(start.board.legal_moves(), squares("d3 c4 f5 e6"));

    let start = Game::new(Size::Six).position();
    assert_eq!(start.discs(Color::White), squares("c3 d4"));
    assert_eq!(start.discs(Color::Black), squares("d3 c4"));
    let start = Game::new(Size::Four).position();
    assert_eq!(start.discs(Color::White), squares("b2 c3"));
    assert_eq!(start.discs(Color::Black), squares("c2 b3"));
}

#[test]
fn rule_2_rows_in_all_eight_directions_flip_at_once() {
    let before = position(
        "X--X--X-
         -O-O-O--
         --OOO---
         XOO-OOOX
         --OOO---
         -O-O-O--
         X--O--X-
         ---X---- X",
    );
    let flips = before.board.flips(square("d4"));
    assert_eq!(
        flips,
        before.discs(Color::White),
        "all of them, there is no choice"
    );
    let after = before
        .apply(Move::Place(square("d4")))
        .expect("a legal move");
    assert!(after.discs(Color::White).is_empty());
}

#[test]
fn rule_2_own_discs_empty_squares_and_the_rim_end_a_row() {
    // From a1 to the right: one disc, then an own one; the rest beyond it stays.
    let row = position("-OXOX--- -------- -------- -------- -------- -------- -------- -------- X");
    assert_eq!(row.board.flips(square("a1")), squares("b1"));
    // An empty square ends the row before it is bounded.
    let row = position("-OO-X--- -------- -------- -------- -------- -------- -------- -------- X");
    assert!(row.board.flips(square("a1")).is_empty());
    // So does the rim, and no row goes on in the next line of the board.
    let row = position("-----OOO XX------ -------- -------- -------- -------- -------- -------- X");
    assert!(row.board.flips(square("e1")).is_empty());
    assert!(row.board.legal_moves().is_empty());
    // Neither on the right rim of a smaller board.
    let row = position("--OO X--- ---- ---- X");
    assert!(row.board.legal_moves().is_empty());
}

#[test]
fn rule_2_a_flipped_disc_outflanks_nothing() {
    // a1 flips b1; then b1 and b4 bound b2 and b3, but the row does not start at a1.
    let before =
        position("-OX----- -O------ -O------ -X------ -------- -------- -------- -------- X");
    let after = before
        .apply(Move::Place(square("a1")))
        .expect("a legal move");
    assert_eq!(after.discs(Color::White), squares("b2 b3"));
}

#[test]
fn rule_2_occupied_squares_and_moves_without_flips_are_refused() {
    let start = Board::start(Size::Eight);
    let place = |name| Move::Place(square(name));
    assert_eq!(
        start.apply(place("d4")),
        Err(IllegalMove::Occupied(square("d4")))
    );
    assert_eq!(
        start.apply(place("a1")),
        Err(IllegalMove::OutflanksNothing(square("a1")))
    );
    let small = Board::start(Size::Six);
    assert_eq!(
        small.apply(place("g1")),
        Err(IllegalMove::OffBoard(square("g1"), Size::Six))
    );
}

#[test]
fn rule_3_a_player_without_a_move_passes_and_the_game_goes_on() {
    let mut game = replay("e6 f6 c4 c5 c6 d6 g7 f4 g4 g6 e7 h8 h6 g5 g8 f8");
    assert_eq!(game.position().to_move, Color::Black);
    assert!(game.must_pass() && !game.is_over());
    assert!(game.legal_moves().is_empty());
    let refused = game.play(Move::Place(square("a1")));
    assert_eq!(refused, Err(IllegalMove::MustPass(square("a1"))));
    game.play(Move::Pass).expect("the forced pass");
    assert_eq!(game.position().to_move, Color::White);
    assert!(!game.legal_moves().is_empty());

    let mut game = replay(BLACK_MUST_PASS);
    assert_eq!(game.position().to_move, Color::Black);
    assert!(game.must_pass());
    assert_eq!(
        game.position().board.moves().collect::<Vec<_>>(),
        [Move::Pass]
    );
    game.play(Move::Pass).expect("the forced pass");
    assert_eq!(game.legal_moves().len(), 13);
}

#[test]
fn rule_3_a_player_with_a_move_may_not_pass() {
    let mut game = Game::new(Size::Eight);
    assert_eq!(
        game.play(Move::Pass),
        Err(IllegalMove::MayNotPass(square("d3")))
    );
    assert!(game.plies().is_empty());
}

#[test]
fn rule_4_discs_stay_where_they_are() {
    let game = replay("f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6");
    for (ply, after) in game.plies().iter().zip(1..) {
        let before = ply.before.board;
        let after = game
            .position_after(after)
            .expect("the game has this ply")
            .board;
        let occupied = before.own() | before.opp();
        let placed: SquareSet = ply.mv.square().into_iter().collect();
        assert_eq!(after.own() | after.opp(), occupied | placed);
        assert_eq!((after.own() | after.opp()).len(), occupied.len() + 1);
    }
}

#[test]
fn rule_5_the_game_ends_when_neither_can_move() {
    // A wipe-out with 51 empty squares.
    let mut game = replay("e6f4e3f6g5d6e7f5c5");
    assert!(game.is_over() && !game.must_pass());
    assert_eq!(game.position().board.empties(), 51);
    assert_eq!(game.winner(), Some(Color::Black));
    assert_eq!(game.score(Scoring::Plain), 13);
    assert_eq!(game.score(Scoring::Tournament), 64);
    assert_eq!(game.play(Move::Pass), Err(IllegalMove::GameOver));
    assert_eq!(
        game.play(Move::Place(square("a1"))),
        Err(IllegalMove::GameOver)
    );
}

#[test]
fn rule_5_the_two_scores_from_both_sides() {
    let white_wins = position("OOOO OOO- ---- X--- X");
    assert!(white_wins.board.is_over());
    let game = Game::from_position(white_wins);
    assert_eq!(
        (game.score(Scoring::Plain), game.score(Scoring::Tournament)),
        (-6, -14)
    );
    assert_eq!(game.winner(), Some(Color::White));
    // A board counts from the mover's side.
    let board = white_wins.board;
    assert_eq!(
        (
            board.score(Scoring::Plain),
            board.score(Scoring::Tournament)
        ),
        (-6, -14)
    );
    assert_eq!(board.pass().score(Scoring::Tournament), 14);
}

#[test]
fn rule_5_equal_counts_are_a_draw_for_both() {
    let text = "X".repeat(32) + &"O".repeat(32);
    for side in ["X", "O"] {
        let game = Game::from_position(position(&(text.clone() + side)));
        assert!(game.is_over());
        assert_eq!(game.winner(), None);
        for scoring in [Scoring::Plain, Scoring::Tournament] {
            assert_eq!(game.score(scoring), 0);
            assert_eq!(game.position().board.score(scoring), 0);
            assert_eq!(game.position().board.pass().score(scoring), 0);
        }
    }
    // The empty squares of a draw belong to nobody.
    let game = Game::from_position(position("X--O ---- ---- O--X X"));
    assert!(game.is_over());
    assert_eq!(game.score(Scoring::Tournament), 0);
}

#[test]
fn rule_6_a_player_who_has_run_out_is_handed_discs() {
    let mut game = Game::new(Size::Eight);
    assert_eq!(
        (game.supply(Color::Black), game.supply(Color::White)),
        (30, 30)
    );
    game.play(Move::Place(square("f5"))).expect("a legal move");
    assert_eq!(
        (game.supply(Color::Black), game.supply(Color::White)),
        (29, 30)
    );

    // White passes five times, so Black places nine discs, White three: White hands over the
    // other three of the six that each has at the start.
    let start = Position::start(Size::Four);
    let line = "b1c1d3c4d4a2d1paa1pad2paa4paa3pab4";
    let game = Game::from_transcript(start, line).expect("a legal game");
    assert!(game.is_over());
    let hand_overs: Vec<HandOver> = game.hand_overs().collect();
    assert_eq!(
        hand_overs,
        [12, 14, 16].map(|ply| HandOver {
            ply,
            to: Color::Black
        })
    );
    assert_eq!(
        (game.supply(Color::Black), game.supply(Color::White)),
        (0, 0)
    );
}

#[test]
fn rule_7_squares_flipped_by_hand_are_checked() {
    let game = replay("f5d6c3");
    assert_eq!(game.plies()[2].flips(), squares("d4"));
    let right = game.position();
    assert_eq!(game.claim(Color::Black, &right), Ok(()));
    assert_eq!(game.claim_flips(Color::Black, squares("d4")), Ok(()));

    // Black forgot d4 and turned d6 instead.
    let (black, white) = (right.discs(Color::Black), right.discs(Color::White));
    let swapped = squares("d4 d6");
    let claimed = Position::new(Size::Eight, black ^ swapped, white ^ swapped, Color::White);
    let wrong = Difference {
        missed: squares("d4"),
        excess: squares("d6"),
        misplaced: squares(""),
    };
    let error = ClaimError::Wrong {
        mv: Move::Place(square("c3")),
        difference: wrong,
    };
    assert_eq!(
        game.claim(Color::Black, &claimed.expect("a position")),
        Err(error)
    );
    assert_eq!(game.claim_flips(Color::Black, squares("d6")), Err(error));
    assert_eq!(
        error.to_string(),
        "after c3: d4 should have been flipped, d6 should not have been flipped"
    );

    // An own disc turned away, and a disc that lies beside its square.
    let claimed = Position::new(
        Size::Eight,
        (black ^ squares("e5 c3")) | squares("b2"),
        white | squares("e5"),
        Color::White,
    );
    let wrong = Difference {
        missed: squares(""),
        excess: squares("e5"),
        misplaced: squares("b2 c3"),
    };
    let error = ClaimError::Wrong {
        mv: Move::Place(square("c3")),
        difference: wrong,
    };
    assert_eq!(
        game.claim(Color::Black, &claimed.expect("a position")),
        Err(error)
    );
}

#[test]
fn rule_7_corrections_and_take_backs_end_with_the_opponents_move() {
    let mut game = Game::new(Size::Eight);
    let none = TakeBackError::NoMove(Color::Black);
    assert_eq!(game.take_back(Color::Black), Err(none));
    assert_eq!(
        game.claim_flips(Color::Black, SquareSet::EMPTY),
        Err(ClaimError::NotNow(none))
    );

    game.play(Move::Place(square("f5"))).expect("a legal move");
    assert_eq!(
        game.take_back(Color::White),
        Err(TakeBackError::NoMove(Color::White))
    );
    assert_eq!(game.take_back(Color::Black), Ok(Move::Place(square("f5"))));
    assert_eq!(game, Game::new(Size::Eight));

    game.play(Move::Place(square("e6"))).expect("a legal move");
    game.play(Move::Place(square("f6"))).expect("a legal move");
    let late = TakeBackError::TooLate {
        player: Color::Black,
        mv: Move::Place(square("e6")),
    };
    assert_eq!(game.take_back(Color::Black), Err(late));
    assert_eq!(
        game.claim(Color::Black, &game.position()),
        Err(ClaimError::NotNow(late))
    );
    assert_eq!(
        late.to_string(),
        "White has moved since Black played e6: it stands"
    );
    assert_eq!(game.plies().len(), 2);
    // Analysis goes back as far as it likes.
    assert_eq!(
        game.undo().map(|ply| ply.mv),
        Some(Move::Place(square("f6")))
    );
    assert_eq!(
        game.undo().map(|ply| ply.mv),
        Some(Move::Place(square("e6")))
    );
    assert_eq!(game.undo(), None);
}
