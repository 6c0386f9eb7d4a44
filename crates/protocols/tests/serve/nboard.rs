//! What NBoard says and hears.

use outflank_rules::{Game, Move, Position, Size};

use crate::session::{Session, passing};

fn set_game(game: &Game) -> String {
    outflank_protocols::nboard::Command::SetGame(Box::new(game.clone())).to_string()
}

#[test]
fn nboard_moves_hints_and_unknown_lines() {
    let mut session = Session::nboard();
    session.send(&[
        "nboard 2",
        "",
        "dance",
        "set colour 3",
        "set depth 2",
        "ping 1",
    ]);
    assert_eq!(session.line(), "set myname First_Square");
    assert_eq!(session.line(), "pong 1");
    session.send(&["hint 2"]);
    let hints: Vec<String> = (0..4).map(|_| session.line()).collect();
    assert_eq!(
        hints,
        [
            "search D3 1.00 0 1",
            "search C4 1.00 0 1",
            "search D3 1.00 0 2",
            "search C4 1.00 0 2"
        ]
    );
    session.send(&["go"]);
    assert!(session.line().starts_with("nodestats 7 "));
    assert!(session.line().starts_with("=== D3/1.00/"));
    session.send(&[
        "move D3/1.00",
        "move c3",
        "set depth 60",
        "hint 1",
        "ping 2",
    ]);
    let mut last = String::new();
    while let line = session.line()
        && line != "pong 2"
    {
        last = line;
    }
    assert_eq!(last, "search B3 1 0 100%");
    session.send(&[
        "move a1",
        "set game (;GM[Othello])",
        "hint x",
        "nboard 3",
        "set depth 13",
        "go",
    ]);
    assert_eq!(
        session.line(),
        "status error: move a1: a disc on a1 outflanks nothing"
    );
    assert!(
        session
            .line()
            .starts_with("status error: GGF, line 1: expected BO, the board")
    );
    assert_eq!(
        session.line(),
        "status error: expected a number of moves, found \"x\""
    );
    assert_eq!(session.line(), "set myname First_Square");
    assert_eq!(session.line(), "status this is version 2, not 3");
    assert_eq!(session.line(), "status error: not today");
    session.send(&["learn", "quit", "go"]);
    assert_eq!(session.line(), "learned");
    session.end();
}

#[test]
fn nboard_answers_while_it_thinks() {
    let mut session = Session::nboard();
    session.send(&["set depth 100", "go", "ping 1"]);
    assert!(session.line().starts_with("nodestats"));
    assert!(
        session.line().starts_with("=== D3"),
        "the move so far, and then the pong"
    );
    assert_eq!(session.line(), "pong 1");
    // A move that is out of date is not said any more.
    session.send(&["go", "move f5", "ping 2"]);
    assert_eq!(session.line(), "pong 2");
    session.send(&["hint 1"]);
    assert_eq!(session.line(), "search F4 1.00 0 1");
    // Settings wait for the end; a new position does not.
    session.send(&["set depth 1", &set_game(&passing()), "go"]);
    let line = std::iter::repeat_with(|| session.line()).find(|line| !line.starts_with("search"));
    assert_eq!(line.unwrap(), "=== PA");
    session.send(&["set depth 100", "move PA", "go", "stop"]);
    assert!(session.line().starts_with("nodestats"));
    assert!(session.line().starts_with("=== "));
    session.send(&["go", "quit"]);
    assert!(session.line().starts_with("nodestats"));
    assert!(session.line().starts_with("=== "));
    session.end();
}

#[test]
fn nboard_passes_and_finished_games() {
    let mut session = Session::nboard();
    session.send(&[&set_game(&passing()), "hint 1"]);
    let hint = session.line();
    assert!(
        hint.starts_with("search PA") && hint.ends_with("0 2"),
        "{hint}"
    );
    session.send(&["go"]);
    assert_eq!(session.line(), "=== PA");
    let over = Game::from_transcript(Position::start(Size::Eight), "e6f4e3f6g5d6e7f5c5").unwrap();
    session.send(&[&set_game(&over), "go", "hint 1", "move PA", "quit"]);
    assert_eq!(session.line(), "status error: go: the game is over");
    assert_eq!(session.line(), "status error: hint: the game is over");
    assert!(
        session
            .line()
            .starts_with("status error: move pass: the game is over")
    );
    session.end();
}

#[test]
fn nboard_analyses_a_game_from_its_end() {
    let mut session = Session::nboard();
    let mut game = passing();
    session.send(&[&set_game(&game), "analyze", "ping 1"]);
    // The last position is a forced pass, of which nothing is known.
    let mut lines: Vec<String> = Vec::new();
    while let line = session.line()
        && line != "pong 1"
    {
        lines.push(line);
    }
    // The ping may stop the analysis at any ply: so wait for all of it without one.
    session.send(&["analyze"]);
    let plies = game.plies().len();
    let expected = |ply| format!("analysis {ply} ");
    for ply in (0..plies).rev() {
        assert!(session.line().starts_with(&expected(ply)));
    }
    game.play(Move::Pass).unwrap();
    session.send(&[&set_game(&game), "analyze"]);
    let value = |line: String| -> f64 { line.split(' ').nth(2).unwrap().parse().unwrap() };
    let after = value(session.line());
    assert_eq!(
        value(session.line()),
        -after,
        "a pass changes sides, and nothing else"
    );
    for ply in (0..plies).rev() {
        assert!(session.line().starts_with(&expected(ply)));
    }
    session.send(&["quit"]);
    session.end();
}
