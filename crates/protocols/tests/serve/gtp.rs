//! What a controller says and hears in GTP.

use outflank_protocols::{Protocol, ServeOptions};
use outflank_rules::Size;

use crate::session::{FirstSquare, Session, passing};

#[test]
fn gtp_plays_a_game() {
    let mut session = Session::gtp();
    assert_eq!(session.ask("protocol_version"), "= 2");
    assert_eq!(session.ask("1 name"), "=1 First Square");
    assert_eq!(session.ask("version"), "= 1.0");
    assert_eq!(session.ask("known_command genmove"), "= true");
    assert_eq!(session.ask("known_command dance"), "= false");
    assert!(session.ask("list_commands").contains("\ngenmove\n"));
    assert_eq!(session.ask("3 dance"), "?3 unknown command");
    assert_eq!(session.ask("boardsize 7"), "? unacceptable size");
    assert_eq!(session.ask("boardsize 6"), "=");
    assert_eq!(session.ask("genmove b"), "= c2");
    assert_eq!(session.ask("boardsize 8"), "=");
    assert_eq!(session.ask("komi 6.5"), "=");
    assert_eq!(session.ask("# a comment\n\nreg_genmove b"), "= d3");
    assert_eq!(session.ask("genmove w"), "? it is Black's turn");
    assert_eq!(session.ask("genmove b"), "= d3");
    assert_eq!(
        session.ask("play b c3"),
        "? illegal move: it is White's turn"
    );
    assert_eq!(
        session.ask("play w a1"),
        "? illegal move: a disc on a1 outflanks nothing"
    );
    assert!(
        session
            .ask("play w pass")
            .starts_with("? illegal move: a player who has a move")
    );
    assert_eq!(session.ask("play w c3"), "=");
    let board = session.ask("showboard");
    assert!(
        board.contains("\n3 . . O X . . . .\n") && board.ends_with("Black to move"),
        "{board}"
    );
    assert_eq!(session.ask("undo"), "=");
    assert_eq!(session.ask("undo"), "=");
    assert_eq!(session.ask("undo"), "? cannot undo");
    assert_eq!(
        session.ask("final_score"),
        "? cannot score: the game is not over"
    );
    assert_eq!(session.ask("level 13"), "=");
    assert_eq!(session.ask("genmove b"), "? not today");
    assert_eq!(session.ask("list_games"), "= Othello");
    assert_eq!(session.ask("set_game Othello"), "=");
    assert_eq!(session.ask("set_game Go"), "? unknown game Go");
    assert_eq!(session.ask("quit"), "=");
    session.end();
}

fn play_passing(session: &mut Session) {
    assert_eq!(session.ask("clear_board"), "=");
    for ply in passing().plies() {
        let color = if ply.player() == outflank_rules::Color::Black {
            "b"
        } else {
            "w"
        };
        assert_eq!(session.ask(&format!("play {color} {}", ply.mv)), "=");
    }
}

#[test]
fn gtp_passes_said_and_unsaid() {
    let mut session = Session::gtp();
    play_passing(&mut session);
    assert!(session.ask("play b d1").contains("the player must pass"));
    assert_eq!(session.ask("reg_genmove b"), "= pass");
    assert_eq!(session.ask("genmove b"), "= pass");
    let answer = session.ask("genmove w");
    assert!(answer.starts_with("= ") && answer != "= pass");

    play_passing(&mut session);
    assert_eq!(session.ask("play b pass"), "=");
    assert_eq!(session.ask("genmove w"), answer);

    // Left out by the controller, and taken back together with the move after it.
    play_passing(&mut session);
    assert_eq!(session.ask("reg_genmove w"), answer);
    assert_eq!(session.ask("genmove w"), answer);
    assert_eq!(session.ask("undo"), "=");
    assert_eq!(session.ask("genmove b"), "= pass");
    assert_eq!(session.ask("undo"), "=");
    let played = answer.trim_start_matches("= ");
    assert_eq!(session.ask(&format!("play w {played}")), "=");
    assert_eq!(session.ask("undo"), "=");
    assert!(session.ask("showboard").ends_with("Black to move"));

    // At the end of the game there are only passes.
    session.ask("clear_board");
    for (number, mv) in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
        .iter()
        .enumerate()
    {
        let color = if number % 2 == 0 { "b" } else { "w" };
        assert_eq!(session.ask(&format!("play {color} {mv}")), "=");
    }
    assert_eq!(session.ask("genmove w"), "= pass");
    assert_eq!(session.ask("play b pass"), "=");
    assert_eq!(session.ask("final_score"), "= B+64");
    session.end();
}

#[test]
fn gtp_keeps_its_time_and_can_be_interrupted() {
    let mut session = Session::gtp();
    session.send(&["level 100", "time_settings 1 0 0", "genmove b"]);
    // The engine would think for ever: the clock stops it, and so do these.
    assert_eq!(
        (session.reply(), session.reply()),
        ("=".to_owned(), "=".to_owned())
    );
    assert_eq!(session.reply(), "= d3");
    session.send(&["time_left w 1 1", "time_left w 0.3 1", "genmove w"]);
    assert_eq!(
        (session.reply(), session.reply()),
        ("=".to_owned(), "=".to_owned())
    );
    assert_eq!(session.reply(), "= c3");
    session.send(&["time_settings 0 1 0", "genmove b", "name", "# interrupt"]);
    assert_eq!(session.reply(), "=");
    assert!(session.reply().starts_with("= "));
    assert_eq!(
        session.reply(),
        "= First Square",
        "what came meanwhile is answered after it"
    );
    session.send(&["7 genmove w", "clear_board", "reg_genmove b", "9 quit"]);
    assert!(session.reply().starts_with("=7 "));
    assert_eq!(session.reply(), "=");
    assert_eq!(session.reply(), "= d3");
    assert_eq!(session.reply(), "=9");
    session.end();
}

#[test]
fn boards_that_the_engine_does_not_play_on_are_refused() {
    let small = FirstSquare { most: Size::Six };
    let mut session = Session::with(small, Protocol::Gtp, ServeOptions::default);
    assert_eq!(session.ask("boardsize 8"), "? unacceptable size");
    assert_eq!(
        session.ask("genmove b"),
        "= c2",
        "it begins on its own board"
    );
    let path = std::env::temp_dir().join(format!("outflank-large-{}.sgf", std::process::id()));
    std::fs::write(&path, "(;GM[2]SZ[8];B[f5])").unwrap();
    assert_eq!(
        session.ask(&format!("loadsgf {}", path.display())),
        "? cannot load file: its board is 8x8, an unacceptable size"
    );
    std::fs::remove_file(&path).unwrap();
    assert!(session.ask("showboard").ends_with("White to move"));
    session.end();
}

#[test]
fn games_come_from_sgf_files() {
    let path = std::env::temp_dir().join(format!("outflank-{}.sgf", std::process::id()));
    std::fs::write(&path, "(;GM[2];B[f5];W[d6];B[c3])").unwrap();
    let mut session = Session::gtp();
    assert_eq!(session.ask(&format!("loadsgf {}", path.display())), "=");
    assert!(session.ask("showboard").ends_with("White to move"));
    assert_eq!(session.ask(&format!("loadsgf {} 2", path.display())), "=");
    assert_eq!(
        session.ask("play w d6"),
        "=",
        "the second move is still to be made"
    );
    std::fs::remove_file(&path).unwrap();
    assert!(
        session
            .ask("loadsgf nowhere.sgf")
            .starts_with("? cannot load file: ")
    );
    session.end();
}
