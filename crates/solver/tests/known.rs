//! Positions with published scores: the FFO endgame suite (FForum magazine), the solved line of
//! the 6x6 game (J. Feinstein, 1993), and what every solver must give whatever its threads.

use outflank_rules::{Board, Move, Scoring, Size};
use outflank_solver::{
    SolveOptions, Solver,
    suite::{self, Case, CaseError},
};

/// Positions 1 to 19, 14 to 16 empties, with the score of every move.
const FFO_1_TO_19: &str = "\
--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; H7:+6; A2:+6; A3:+4; B1:-4; A4:-22; G2:-24;
-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; A4:+10; B2:+0; A3:-6; G7:-8; A7:-12; H7:-14; B7:-14; H2:-24;
----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X; D1:+2; G3:+0; B8:-2; B1:-4; C1:-4; A2:-4; A3:-6; B2:-12;
-XXXXXX-X-XXXOO-XOXXXOOXXXOXOOOX-OXOOXXX--OOOXXX--OOXX----XOXXO- X; H8:+0; A5:+0; B6:-4; B7:-4; A6:-8; B2:-12; H2:-26;
-OOOOO----OXXO-XXXOXOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOOO---XXXXX-- X; G8:+32; G2:+12; B2:-20; G6:-26; G1:-32; G7:-34;
--OXXX--OOOXXX--OOOXOXO-OOXOOOX-OOXXXXXXXOOXXOX--OOOOX---XXXXXX- X; A1:+14; H3:+14; A8:+12; H2:+8; G2:+8; H4:+4; G7:+4; A7:-22; B1:-24;
--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X; A6:+8; G1:+0; A1:-2; H8:-6; H7:-14; B1:-30;
---X-X--X-XXXX--XXXXOXXXXXXOOOOOXXOXXXO-XOXXXXO-XOOXXX--XOOXXO-- O; E1:+8; H2:+4; G2:+4; B2:+4; G7:+4; B1:+2; G1:-6; C1:-8;
--XOXX--O-OOXXXX-OOOXXXX-XOXXXOXXXOXOOOXOXXOXOXX--OXOO----OOOO-- O; G7:-8; A4:-8; B1:-16; A7:-16; B7:-26; A3:-30; G1:-38; H7:-40;
-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O; B2:+10; B7:+4; F1:+0; A7:-4; A2:-6; G2:-12; H2:-16; H7:-20;
---O-XOX----XXOX---XXOOXO-XXOXOXXXXOOXOX-XOOXXXXXOOOXX-XOOOOOOO- O; B3:+30; C2:+26; A6:+24; G7:+20; C3:+18; D2:+16; B4:+10; E1:+6;
--O--O--X-OOOOX-XXOOOXOOXXOXOXOOXXOXXOOOXXXXOOOO--OXXX---XXXXX-- O; B7:-8; A7:-10; G7:-14; G8:-14; H2:-16; G1:-16; H1:-20;
--XXXXX--OOOXX---OOOXXXX-OXOXOXXOXXXOXXX--XOXOXX--OXOOO--OOOOO-- X; B7:+14; A4:+0; A3:-8; B1:-18; G8:-20; H7:-20; A2:-24;
--XXXXX---OOOX---XOOXXXX-OOOOOOOOOOXXXOOOOOXXOOX--XXOO----XXXXX- X; A3:+18; A4:+12; B1:+8; G7:-4; H7:-14; A7:-24; B7:-24; B2:-28;
----O------OOX---OOOXX-XOOOXOOOOOXXOXXOOOXXXOOOOOXXXOOXO--OOOOOX X; G3:+4; B8:+4; F1:+0; C1:+0; C2:-2; D1:-4; B2:-8; A3:-8;
-XXXXXX-X-XXXOO-XOXXXOOXXOOXXXOX-OOOXXXX--OOXXXX---OOO----XOX-O- X; F8:+24; C7:+20; A5:+6; H1:+6; B6:+0; B7:-2; A6:-6; H2:-26;
-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX--- X; F8:+8; G2:+6; G6:-24; G1:-32; F7:-32; G7:-34; B2:-38;
-XXX------OOOX--XOOOOOXXOXOXOOXXOXXOOOOOXXXOXOOX--OXXO---OOOOO-- X; G2:-2; B7:-6; F1:-8; E1:-10; H7:-12; G8:-14; G7:-14; A2:-18; B2:-18;
--OXXO--XOXXXX--XOOOOXXXXOOOXXXXX-OOOXXX--OOOOXX--XXOOO----XXOO- X; B6:+8; H8:+4; B7:+0; G1:-6; B5:-16; H7:-16; B1:-24;";

/// Positions 20 to 39, up to 20 empties. Of move G1 in position 31 the suite as it is passed around
/// says -30; two programs that have no code in common say -32.
const FFO_20_TO_39: &str = "\
XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X; H5:+6; G6:-2; F6:-4; H6:-10;
OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O; G5:+0; G2:-2; G4:-4; G6:-6;
--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O; G8:+2; A6:+0; F8:-4; A7:-4; H2:-4; B2:-6; D8:-8; B7:-14; G7:-26;
--O-------OOX---OOOXXXO-OOOOXOXXXXXOOXOXXXXXXOOXX-XXXXOX--XXXX-- X; A2:+4; D1:-20; H3:-20; B1:-30; G2:-30; E1:-30; F2:-34; G8:-34; B2:-36; H2:-38;
--O--O-----OOOX--X-XOXOO--XXXOOOXXXXOOOOXXXOXXOOXXXXXX--XOXX-O-- O; C3:+0; B4:-4; C2:-8; E8:-12; G7:-14; H2:-16; G1:-24;
----X------XXXO--OOOXXXXXOOOOXXO-XXOOXXOOOXOXXXXOOOXX---X-XXXX-- O; G1:+0; A5:+0; F1:-4; D1:-6; F7:-8; C2:-10; G7:-10; H2:-12; H7:-16;
-OOOOO----OXXO---OOOOXXO-OOOXOXX-OOXOOXX-XOXXOXX--O-XXXX--O----O X; D8:+0; A6:-2; A4:-6; B7:-6; A5:-12; G1:-16; A2:-16; A3:-18; H2:-18; B8:-20; G2:-20; B2:-26;
--XO-O----OOOO--OOXOXXO-OOOOXXOOOOOXXOX-OXOXXXXX--XXXX----X-O-X- X; B7:-2; E1:-4; B1:-6; H2:-10; H5:-10; B2:-12; A2:-14; H3:-28; G1:-28; G2:-28;
--O-------OOO--X-XOOOOXXXXXXOXOX-XXOXOOXXXOXOOXX-OOOOO-X---OOO-- X; F1:+0; B2:+0; E1:+0; B1:-4; F2:-6; G7:-6; D1:-12; C8:-20; G8:-22; B8:-28;
-OXXXX----OXXO--XXOOXOOOXXXOOXOOXXOOXOOOXXXXOO-XX-XXO----------- X; G2:+10; A1:+4; G6:-10; H2:-12; F8:-12; E8:-12; G7:-24; G1:-24; B2:-30; F7:-34;
-XXX----X-XOO---XXOXOO--XOXOXO--XOOXOXXXXOOXXOX---OOOOO--XXXXX-- X; G3:+0; G2:-12; E1:-16; F2:-18; F1:-22; G4:-22; H6:-24; B7:-24; G8:-28;
-OOOOO----OOOO--OXXOOO---XXXOO--XXXXXXO-XXXOOO-OX-OOOO---OOOOO-- X; G6:-2; G3:-4; G4:-8; G7:-14; H5:-14; G2:-16; G1:-32; G8:-32;
--XX----O-XXOX--OOXOO---OXOXOOO-OOXXOOOXOOXXXOOX--XXXXOX--X--X-X X; G3:-4; B7:-6; E1:-8; H4:-10; F3:-10; H3:-10; B2:-14; A7:-22;
-XXXXXXX--XOOO----OXOOXX-OOXXOXX-OOOOOXX-X-XOOXX---O-X-X--OOOO-- X; E7:-8; A3:-8; A6:-12; B2:-12; G7:-12; G2:-12; A4:-14; C6:-20; A5:-22; B3:-28;
-------------O-O-OOOOOOOOOOOOXOOOXXOOOXO-XXXOXOO--XXXOXO--OXXXXO X; C2:-2; D2:-6; E2:-6; A3:-10; A2:-10; F1:-12; G2:-14; G1:-16; B2:-20; B8:-26;
--XXX-----XXXX-OOOXXOOOOOOOOOOXO-OOXXXXO-OOOXXXO---XOXX---X----- O; C7:+0; D8:-8; H8:-8; B2:-12; G1:-14; E8:-20; B1:-20; F8:-24; F1:-32; H7:-32; G8:-38;
---X-O----XXXO-XXXXXXXXXXOOXXOOXXOXOOOXXXXOOOO-XX--OOOO--------- O; B7:+0; B1:-2; E1:-4; C1:-6; G6:-8; G2:-10; A2:-22; B2:-24;
--OOOO--O-OOOO--OXXXOOO-OXXOXO--OOXXOXX-OOXXXX--O-XXX-----XX-O-- X; G2:-20; G4:-22; B7:-22; H3:-22; G1:-30; H2:-42; B1:-48;
--OOOO----OOOO---XOXXOOXOOXOOOOX-OOOOOXXXOOXXXXX--X-X----------- X; B2:+4; A5:+0; H2:-4; A3:-10; A7:-18; G2:-20; B7:-22; G1:-24; B1:-26;
O-OOOO--XOXXOX--XOOOXXX-XOOOXX--XOOXOX--XOXXX---X-XX------------ O; A8:+64; B1:+64; G1:+64; G5:+64; G6:+64; C8:+64; H3:+64; E8:+64; H4:+64; F7:+62; D8:+62; E7:+62; H2:+62; B8:+62; G2:+60; G4:+60; F6:+32;";

/// The 6x6 line that White wins by 20 to 16.
const LINE_6X6: &str = "c2 b4 c5 d2 e4 e3 d1 c1 b1 d5 d6 f4 b3 b2 f3 f2 e2 b6 a4 c6 a6 a2 b5 a5 e6 e5 a3 a1 \
     f5 f6 pass e1 f1";

/// Compares the score of every move.
fn every_move(text: &str) {
    let mut solver = Solver::new(16 << 20);
    for case in suite::parse(text).expect("the text is a suite") {
        let mut scores: Vec<(Move, i32)> = solver
            .solve_moves(&case.position.board, &SolveOptions::default())
            .into_iter()
            .map(|(mv, bounds)| (mv, bounds.exact().expect("there is no limit")))
            .collect();
        let mut expected = case.scores;
        scores.sort();
        expected.sort();
        assert_eq!(scores, expected, "{}", case.position);
    }
}

#[test]
fn every_move_of_ffo_1_to_19() {
    every_move(FFO_1_TO_19);
}

#[test]
#[ignore = "takes half a minute"]
fn every_move_of_ffo_20_to_39() {
    every_move(FFO_20_TO_39);
}

#[test]
fn the_best_moves_of_ffo_20_to_39() {
    let mut solver = Solver::new(16 << 20);
    for case in suite::parse(FFO_20_TO_39).expect("the text is a suite") {
        let report = case.run(&mut solver, &SolveOptions::default());
        assert!(report.right, "{case:?} {report:?}");
    }
}

#[test]
fn threads_change_no_score() {
    for text in [FFO_1_TO_19, FFO_20_TO_39] {
        for case in &suite::parse(text).expect("the text is a suite")[..4] {
            for threads in [1, 2, 3] {
                let options = SolveOptions {
                    threads,
                    ..SolveOptions::default()
                };
                let report = case.run(&mut Solver::new(1 << 20), &options);
                assert!(report.right, "{case:?} {report:?}");
            }
        }
    }
}

#[test]
fn the_end_of_the_6x6_line() {
    let mut solver = Solver::new(4 << 20);
    let mut board = Board::start(Size::Six);
    let mut white_to_move = false;
    for word in LINE_6X6.split_whitespace() {
        if board.empties() <= 20 {
            let score = solver.exact(&board);
            assert_eq!(score, if white_to_move { 4 } else { -4 }, "{board:?}");
        }
        board = board
            .apply(word.parse().expect("a move"))
            .expect("the line is legal");
        white_to_move = !white_to_move;
    }
    assert!(board.is_over());
    assert_eq!(solver.exact(&board), board.score(Scoring::Tournament));
}

#[test]
fn cases_read_and_refuse() {
    let line = FFO_1_TO_19.lines().next().expect("a line");
    let case = Case::parse(line).expect("a case");
    assert_eq!(case.scores.len(), 8);
    assert_eq!(case.best_score(), Some(18));
    assert_eq!(case.score_of("g2".parse().expect("a square")), Some(-24));

    // Entries for what is no legal move are left out.
    let short = line.split(';').next().expect("a field");
    let padded = Case::parse(&format!("{short}; G8:+18; --:-127;")).expect("a case");
    assert_eq!(padded.scores, [("g8".parse().expect("a square"), 18)]);
    assert_eq!(Case::parse(short).expect("a case").best_score(), None);

    for entry in ["G8", "G8+18", "K8:+18", "G8:x"] {
        let error = Case::parse(&format!("{short}; {entry};"));
        assert_eq!(error, Err(CaseError::Entry(entry.to_owned())));
    }
    let error = suite::parse(&format!("{line}\n\nX; G8:+18")).expect_err("no position");
    assert_eq!(error.0, 3);
}
