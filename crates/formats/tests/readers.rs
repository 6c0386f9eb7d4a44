//! Files as others write them, and what is said about bad ones.

#![allow(clippy::unwrap_used)] // helpers of tests

use outflank_formats::wthor::{Directory, Kind, Names};
use outflank_formats::{
    AnnotatedGame, Ending, Error, Format, GameResult, LeftOut, Problem, ReadOptions, ggf, sgf,
    transcript, wthor,
};
use outflank_rules::{Color, Game, Passes, Position, Scoring, Size};

/// A short game of a server, with all that its files show: seconds, evaluations, a pass.
const GGF: &str = "(;GM[Othello]PC[GGS/os]DT[947375357]PB[james]PW[anton]RB[1720]RW[1720.5]\
    TI[15:00//02:00]TY[4]RE[-2.000]BO[4 ---- -O*- -*O- ---- *]B[a2//7.50]W[a1//3.01]B[c4//1.80]\
    W[d2/-2.25/3.33]B[d1/0.00]W[d4//5.60]B[d3//2.01]W[a3//5.72]B[b1//2.13]W[c1//3.68]B[PA//4.23]\
    W[b4//3.11]B[a4//1.99];)";

/// A game in which Black passes twice, the first time with 13 moves for White.
const PASSING: &str = "F5D6C5F4D3E3F2C6G5B5A5B4B3C4C3A6A7A3F3E6C7B6D7D8B8E7F7E8C8A8A4F8A2B7";

fn messages<T: std::fmt::Debug>(items: impl Iterator<Item = Result<T, Error>>) -> Vec<String> {
    items
        .filter_map(Result::err)
        .map(|error| error.to_string())
        .collect()
}

#[test]
fn ggf_of_a_server() {
    let game = ggf::parse(GGF).unwrap();
    assert_eq!(ggf::format(&game).unwrap(), GGF);
    assert_eq!(game.tags.place, "GGS/os");
    assert_eq!(game.tags.white.rating, Some(1720.5));
    assert_eq!(game.remarks()[3].evaluation, Some(-2.25));
    assert_eq!(game.remarks()[3].seconds, Some(3.33));
    assert_eq!(game.remarks()[4].seconds, None);
    assert_eq!(game.final_margin(), Some(-2));
    assert!(game.game().plies()[10].mv.is_pass());

    // As others may write the same game.
    let other = GGF
        .replace("B[PA//4.23]", "")
        .replace("B[a2", " \r\n B[A2")
        .replace("TY[4]", "CO[a (comment;)]XX[unknown]")
        .replace("-2.000", "-2");
    let again = ggf::parse(&other).unwrap();
    assert_eq!(again.game(), game.game());
    assert_eq!(again.tags.result, game.tags.result);
    assert_eq!(again.tags.extra, [("XX".to_owned(), "unknown".to_owned())]);
    assert!(again.left_out.comments && !game.left_out.comments);
}

#[test]
fn ggf_of_a_match_with_random_start_and_komi() {
    let text = "2 (;GM[Othello]PB[igor]PW[ant]TY[8kr20]KB[B3/2.00/27.23]KW[B3/-8.27]KM[-3.133]\
        RE[-22.87:t]BO[8 -------- ---*---- --OOOO-- -*OOO*-- -O**OO-- --OO**-- ----*--- -------- *]\
        B[B3/2.00/27.23]W[B6/8.03];)(;GM[Othello]TY[8]RE[?]\
        BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- O];)\n";
    let games: Vec<_> = ggf::read(text.as_bytes(), "m.ggf")
        .map(Result::unwrap)
        .collect();
    assert_eq!(games.len(), 2);
    let result = GameResult::Score {
        margin: -22.87,
        ending: Ending::TimeOut,
    };
    assert_eq!(games[0].tags.result, Some(result));
    assert_eq!(games[0].remarks()[1].evaluation, Some(8.03));
    let names: Vec<&str> = games[0]
        .tags
        .extra
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["TY", "KB", "KW", "KM"]);
    assert_eq!(games[1].game().start().to_move, Color::White);
    assert_eq!(games[1].tags.result, None);
}

#[test]
fn bad_ggf_records_are_named_and_passed_over() {
    let bad = [
        ("ply 2: ", GGF.replace("W[a1", "W[b1")),
        ("expected a move", GGF.replace("W[a1", "W[z1")),
        (
            "expected ')' after the game, found the start of another game",
            GGF.replace("];)", "]"),
        ),
        (
            "expected ')' after the game, found the start of another game",
            GGF.replace("B[a4//1.99];)", "B[a4"),
        ),
        ("expected a board", GGF.replace("BO[4", "BO[8")),
        ("a board of 5x5", GGF.replace("BO[4", "BO[5")),
        ("expected one size", GGF.replace("TY[4]", "TY[8]")),
        ("expected one TY", GGF.replace("TY[4]", "TY[8]TY[4]")),
        ("expected BO", GGF.replace("BO[", "ZO[")),
        ("expected a result", GGF.replace("-2.000", "-2.000:x")),
        ("expected a time in seconds", GGF.replace("7.50", "1e3")),
        ("expected GM[Othello]", GGF.replace("Othello", "Go")),
        ("expected a property", GGF.replace("PB[", "pb[")),
        ("expected a game", "garbage".to_owned()),
    ];
    let text: String = bad
        .iter()
        .map(|(_, bad)| format!("{bad}\n{GGF}\n"))
        .collect();
    let read = || ggf::read(text.as_bytes(), "bad.ggf");
    assert_eq!(
        read().filter(Result::is_ok).count(),
        0,
        "strict reading ends at the first error"
    );
    assert_eq!(read().count(), 1);
    assert_eq!(
        read().skip_bad(true).filter(Result::is_ok).count(),
        bad.len()
    );
    let messages = messages(read().skip_bad(true));
    assert_eq!(messages.len(), bad.len());
    for (number, (message, (expected, _))) in messages.iter().zip(&bad).enumerate() {
        let start = format!("bad.ggf, line {}: {expected}", 2 * number + 1);
        assert!(message.starts_with(&start), "{message}\n{start}");
    }
}

#[test]
fn sgf_of_others() {
    let text = "(;FF[4]GM[2]SZ[8]PB[Jos\u{e9} \\] \\\\ x]RE[W+12]AP[GUI:1]BR[5 dan]\n\
        ;B[f5];W[d6]C[a note (;W[f4\\])](;B[c3]V[-1.5])(;B[c5];W[f4]))\n\
        (;GM[2]SZ[4]AB[b1:c1][c2]AW[b2][b3:c3];W[d1])";
    let games: Vec<_> = sgf::read(text.as_bytes(), "t.sgf")
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        games[0].game().transcript(Passes::Omitted),
        "f5d6c3",
        "the main line"
    );
    assert_eq!(games[0].tags.black.name, "José ] \\ x");
    assert_eq!(games[0].remarks()[2].evaluation, Some(-1.5));
    assert_eq!(games[0].tags.extra.len(), 2);
    let left_out = LeftOut {
        variations: true,
        comments: true,
        properties: false,
    };
    assert_eq!(games[0].left_out, left_out);
    assert_eq!(games[1].left_out, LeftOut::default());
    let result = GameResult::Score {
        margin: -12.0,
        ending: Ending::Played,
    };
    assert_eq!(games[0].tags.result, Some(result));
    assert_eq!(games[1].game().start().notation(), "-XX--OX--OO----- O");

    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let game = sgf::read(&latin[..], "t.sgf").next().unwrap().unwrap();
    assert_eq!(game.tags.black.name, "José ] \\ x");
}

#[test]
fn bad_sgf_records_are_named_and_passed_over() {
    let good = "(;GM[2];B[f5])";
    let bad = [
        ("expected GM[2]", "(;GM[1];B[pd])"),
        ("ply 2: ", "(;GM[2];B[f5];W[f5])"),
        ("ply 2: it is White's turn", "(;GM[2];B[f5];B[f6])"),
        ("expected a game without set-up", "(;GM[2];B[f5]AB[a1])"),
        ("both players have a disc on a1", "(;GM[2]AB[a1]AW[a1])"),
        ("expected ')' after the game", "(;GM[2];B[f5]"),
    ];
    let text: String = bad
        .iter()
        .map(|(_, bad)| format!("{bad}\n{good}\n"))
        .collect();
    let read = || sgf::read(text.as_bytes(), "bad.sgf").skip_bad(true);
    assert_eq!(read().filter(Result::is_ok).count(), bad.len());
    for (message, (expected, _)) in messages(read()).iter().zip(&bad) {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn transcripts_of_others() {
    let text = format!("% openings\n1. F5 d6 2. c3\n\n{PASSING}\nf5z9\nf5\n1.\n");
    let read = || transcript::read(text.as_bytes(), "t.txt", Size::Eight).skip_bad(true);
    let games: Vec<AnnotatedGame> = read().filter_map(Result::ok).collect();
    assert_eq!(
        games
            .iter()
            .map(|game| game.plies().len())
            .collect::<Vec<_>>(),
        [3, 34, 1]
    );
    let messages = messages(read());
    assert_eq!(messages.len(), 2);
    assert!(messages[0].starts_with("t.txt, line 5: ply 2, 'z9'"));
    assert!(messages[1].starts_with("t.txt, line 7: expected moves"));
}

/// A `.wtb` file with these games, `(score, moves)`.
fn wtb(games: &[(u8, &Game)]) -> Vec<u8> {
    let mut file = vec![20, 24, 1, 31];
    file.extend((games.len() as u32).to_le_bytes());
    file.extend([0, 0, 0xc2, 7, 8, 0, 24, 0]);
    for (score, game) in games {
        file.extend([1, 0, 2, 0, 0, 0, *score, *score]);
        let squares = game.plies().iter().filter_map(|ply| ply.mv.square());
        let mut moves: Vec<u8> = squares
            .map(|s| (10 * (s.row() + 1) + s.column() + 1) as u8)
            .collect();
        moves.resize(60, 0);
        file.extend(moves);
    }
    file
}

#[test]
fn wthor_scores_names_and_passes() {
    let start = Position::start(Size::Eight);
    let wipe_out = Game::from_transcript(start, "e6f4e3f6g5d6e7f5c5").unwrap();
    let broken_off = Game::from_transcript(start, PASSING).unwrap();
    let file = wtb(&[
        (64, &wipe_out),
        (20, &broken_off),
        (63, &wipe_out),
        (64, &wipe_out),
    ]);
    let players = [
        &[20, 24, 1, 31, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0][..],
        b"???",
        &[0; 17],
        b"J\xe9r\xf4me",
        &[0; 14],
    ]
    .concat();
    let players = Directory::read(&players[..], "t.jou", Kind::Players)
        .unwrap()
        .names;
    assert_eq!(players, ["???", "Jérôme"]);
    let names = Names {
        players,
        tournaments: Vec::new(),
    };
    let read = || {
        wthor::read_games(&file[..], "t.wtb", names.clone())
            .unwrap()
            .skip_bad(true)
    };
    let games: Vec<_> = read().filter_map(Result::ok).collect();
    assert_eq!(games.len(), 3);
    assert_eq!(games[0].game(), &wipe_out);
    assert_eq!(games[0].game().score(Scoring::Plain), 13);
    assert_eq!(games[1].game(), &broken_off);
    assert_eq!(games[0].tags.date, "1986");
    assert_eq!(games[0].tags.event, "#1");
    assert_eq!(
        (
            games[0].tags.black.name.as_str(),
            games[0].tags.white.name.as_str()
        ),
        ("#2", "")
    );
    let expected =
        "t.wtb, byte 152: the stored score gives Black 63, the moves played give Black 64";
    assert_eq!(messages(read()), [expected]);
}

#[test]
fn wthor_headers_are_checked_against_the_file() {
    let game = Game::from_transcript(Position::start(Size::Eight), "f5d6").unwrap();
    let whole = wtb(&[(30, &game), (30, &game)]);
    let message = |file: &[u8]| {
        let all: Result<Vec<_>, _> = match wthor::read(file, "t.wtb") {
            Ok(records) => records.collect(),
            Err(error) => Err(error),
        };
        all.map(|records| records.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(message(&whole), Ok(2));
    let error = |file: &[u8]| message(file).unwrap_err();
    assert!(error(&whole[..10]).contains("found a file of 10 bytes"));
    assert!(
        error(&whole[..84]).ends_with("announces 2 records, but the file ends after 1 of them")
    );
    assert!(error(&whole[..100]).ends_with("but the file ends 16 bytes into number 2"));
    let longer = [&whole[..], &[0]].concat();
    assert!(error(&longer).starts_with("t.wtb, byte 152: "));
    assert!(error(&longer).ends_with("but the file goes on after them"));
    let mut huge = whole.clone();
    huge[4..8].fill(255);
    assert!(error(&huge).contains("announces 4294967295 records, but the file ends after 2"));
    let mut other = whole.clone();
    other[12] = 10;
    assert!(error(&other).starts_with("t.wtb, byte 12: expected a board of 8x8"));
    other[12..14].copy_from_slice(&[8, 1]);
    assert!(error(&other).starts_with("t.wtb, byte 13: "));

    let names = [20, 24, 1, 31, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0];
    let error = Directory::read(&names[..], "t.jou", Kind::Players).unwrap_err();
    assert!(matches!(
        error.problem,
        Problem::Count {
            announced: 65535,
            ..
        }
    ));
}

#[test]
fn wthor_moves_are_checked() {
    let game = Game::from_transcript(Position::start(Size::Eight), "f5d6").unwrap();
    let file = wtb(&[(30, &game)]);
    for (at, byte, expected) in [
        (1, 56, "ply 2: f5 is occupied"),
        (1, 99, "expected a move 11 to 88, found 99"),
        (0, 10, "expected a move 11 to 88, found 10"),
        (9, 33, "expected no move after the end, found 33 after a 0"),
    ] {
        let mut file = file.clone();
        file[24 + at] = byte;
        let bad = wthor::read_games(&file[..], "t.wtb", Names::default())
            .unwrap()
            .next()
            .unwrap();
        assert_eq!(
            bad.unwrap_err().to_string(),
            format!("t.wtb, byte 16: {expected}")
        );
    }
}

#[test]
fn one_way_to_read_them_all() {
    for (path, content) in [
        ("a.GGF", GGF),
        ("a.sgf", "(;GM[2];B[f5])"),
        ("a.txt", "f5d6"),
    ] {
        let format = Format::of_path(path.as_ref()).unwrap();
        let games = format
            .read(content.as_bytes(), path, ReadOptions::default())
            .unwrap();
        assert_eq!(games.map(Result::unwrap).count(), 1);
    }
    assert_eq!(Format::of_path("a.wtb".as_ref()), Some(Format::Wthor));
    assert_eq!(Format::of_path("a.pdf".as_ref()), None);
}
