//! Games from one format to another: the same games, and honest about what is lost.

mod common;

use std::path::Path;

use common::{fail, folder, outflank, run, succeed};

/// The shortest game, and one that was broken off after Black had passed twice.
const TRANSCRIPTS: &str =
    "e6f4e3f6g5d6e7f5c5\nf5d6c5f4d3e3f2c6g5b5a5b4b3c4c3a6a7a3f3e6c7b6d7d8b8e7f7e8c8a8a4f8a2b7\n";

/// As a game server writes: ratings, clocks, evaluations, times, and a time-out.
const GGF: &str = "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[james]PW[anton]RB[1720]\
    RW[1720.5]TI[15:00//02:00]TY[8]RE[-22.000:t]BO[8 -------- -------- -------- ---O*--- ---*O--- \
    -------- -------- -------- *]B[f5/1.25/7.50]W[d6//3.01]B[c3];)\n";

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), content).expect("the folder can be written");
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).expect(name)
}

fn convert(folder: &Path, from: &str, to: &str) -> String {
    succeed(folder, &["convert", from, "--output", to])
}

#[test]
fn moves_come_through_every_format() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "0.txt", TRANSCRIPTS);
    let files = [
        "0.txt", "1.ggf", "2.sgf", "3.wtb", "4.sgf", "5.rec", "6.ggf", "7.txt",
    ];
    for pair in files.windows(2) {
        let output = convert(folder, pair[0], pair[1]);
        assert!(output.contains("2 games"), "{pair:?}: {output}");
    }
    assert_eq!(read(folder, "7.txt"), TRANSCRIPTS.as_bytes());
}

#[test]
fn what_a_format_can_hold_comes_back_byte_by_byte() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "a.ggf", GGF);
    let output = convert(folder, "a.ggf", "b.ggf");
    assert!(!output.contains("not kept"), "{output}");
    assert_eq!(read(folder, "b.ggf"), GGF.as_bytes());

    // SGF has no score for a game that was lost by time.
    let output = convert(folder, "a.ggf", "b.sgf");
    assert!(
        output.contains("not kept by this format: stated result (1 game)\n"),
        "{output}"
    );
    convert(folder, "b.sgf", "c.ggf");
    let expected = GGF.replace("RE[-22.000:t]", "RE[-64.000:t]");
    assert_eq!(String::from_utf8_lossy(&read(folder, "c.ggf")), expected);

    let output = convert(folder, "a.ggf", "b.txt");
    for fact in [
        "players' names",
        "ratings",
        "clocks",
        "evaluations of moves",
        "times of moves",
    ] {
        assert!(output.contains(fact), "{fact}: {output}");
    }
    assert_eq!(read(folder, "b.txt"), b"f5d6c3\n");
}

/// A base as the federation lays it out, written down byte by byte.
#[test]
fn wthor_with_its_names() {
    let folder = folder();
    let folder = folder.path();
    let header = |games: u32, names: u16, year: u16, depth: u8| {
        let mut bytes = vec![20, 15, 3, 1];
        bytes.extend(games.to_le_bytes());
        bytes.extend(names.to_le_bytes());
        bytes.extend(year.to_le_bytes());
        bytes.extend([8, 0, depth, 0]);
        bytes
    };
    let names = |names: &[&[u8]], width: usize| {
        let mut bytes = header(0, names.len() as u16, 0, 0);
        for name in names {
            bytes.extend_from_slice(name);
            bytes.resize(bytes.len() + width - name.len(), 0);
        }
        bytes
    };
    let mut base = header(1, 0, 2014, 22);
    base.extend([1, 0, 2, 0, 1, 0, 64, 60]);
    base.extend([65, 46, 35, 66, 57, 64, 75, 56, 53]);
    base.resize(16 + 68, 0);
    write(folder, "WTH_2014.wtb", &base);
    write(
        folder,
        "WTHOR.JOU",
        names(&[b"???", b"Ann\xe9", b"Bob"], 20),
    );
    write(folder, "WTHOR.TRN", names(&[b"???", b"Pr\xe9qualif"], 26));

    convert(folder, "WTH_2014.wtb", "a.sgf");
    let text = String::from_utf8(read(folder, "a.sgf")).expect("UTF-8");
    for part in [
        "EV[Préqualif]",
        "DT[2014]",
        "PB[Bob]",
        "PW[Anné]",
        "RE[B+64]",
        ";B[c5])",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }

    // The base itself comes back but for the day it was made and the order of names.
    let output = convert(folder, "WTH_2014.wtb", "again.wtb");
    assert!(!output.contains("not kept"), "{output}");
    let again = read(folder, "again.wtb");
    assert_eq!(again[4..16], base[4..16]);
    assert_eq!(again[16 + 6..], base[16 + 6..]);
    std::fs::remove_file(folder.join("WTHOR.JOU")).expect("removed");
    std::fs::remove_file(folder.join("WTHOR.TRN")).expect("removed");
    convert(folder, "again.wtb", "b.sgf");
    assert_eq!(read(folder, "b.sgf"), read(folder, "a.sgf"));

    // Without names players are numbers, and it says so.
    std::fs::remove_file(folder.join("again.jou")).expect("removed");
    let output = run(folder, &["convert", "WTH_2014.wtb", "-o", "c.sgf"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no .jou file beside it"));
    assert!(String::from_utf8_lossy(&read(folder, "c.sgf")).contains("PB[#2]"));

    base[16 + 6] = 63;
    write(folder, "WTH_2014.wtb", &base);
    let message = fail(folder, &["convert", "WTH_2014.wtb", "-o", "d.sgf"]);
    assert!(
        message.contains("WTH_2014.wtb, byte 16: the stored score gives Black 63"),
        "{message}"
    );
}

#[test]
fn bad_games_are_named_and_left_out_on_request() {
    let folder = folder();
    let folder = folder.path();
    let whole = TRANSCRIPTS.lines().next().expect("two lines");
    let bad = format!("{whole}\n{whole}\nf5d6f5\n{whole}\nf5d6c3\n");
    write(folder, "a.txt", &bad);
    let message = fail(folder, &["convert", "a.txt", "--output", "a.rec"]);
    assert!(
        message.contains("a.txt, line 3: ply 3") && message.contains("f5 is occupied"),
        "{message}"
    );
    assert!(!folder.join("a.rec").exists(), "nothing half done");
    let left: Vec<_> = std::fs::read_dir(folder).expect("listed").collect();
    assert_eq!(left.len(), 2, "no temporary files: {left:?}");

    let output = run(folder, &["convert", "a.txt", "-o", "a.rec", "--skip-bad"]);
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{err}");
    assert!(
        out.contains("3 games") && out.contains("left out: 2"),
        "{out}"
    );
    assert!(
        err.contains("a.txt, line 3: ") && err.contains("a.txt: game 5: "),
        "{err}"
    );
    convert(folder, "a.rec", "b.txt");
    assert_eq!(
        String::from_utf8_lossy(&read(folder, "b.txt")),
        format!("{whole}\n").repeat(3)
    );

    for (from, to, part) in [
        ("a.txt", "a.xyz", "its name tells no format"),
        ("tiny.toml", "a.ggf", "its name tells no format"),
        ("none.ggf", "a.sgf", "none.ggf: cannot be read"),
        ("runs/none", "a.sgf", "runs/none: cannot be read"),
        ("a.txt", "./a.txt", "./a.txt: it is read as well"),
        ("a.txt", "none/a.sgf", "none/a.sgf: cannot be written"),
    ] {
        let message = fail(folder, &["convert", from, "-o", to]);
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(read(folder, "a.txt"), bad.as_bytes(), "inputs stay");
    std::fs::create_dir(folder.join("all")).expect("created");
    let message = fail(folder, &["convert", "all", "-o", "all/a.sgf"]);
    assert!(
        message.contains("it is in all, whose files are read"),
        "{message}"
    );
    let four = "(;GM[Othello]PB[a]PW[b]TY[4]BO[4 ---- -O*- -*O- ---- *]B[B1];)";
    write(folder, "four.ggf", four);
    let message = fail(folder, &["convert", "four.ggf", "-o", "a.wtb"]);
    assert!(message.contains("a game on the 4x4 board"), "{message}");
    let message = fail(
        folder,
        &["convert", "a.rec", "-o", "a.obf", "--empties", "99"],
    );
    assert!(message.contains("no positions with 99 empty"), "{message}");
    assert!(!folder.join("a.obf").exists());
    for year in ["0", "10000"] {
        let message = fail(folder, &["convert", "a.rec", "-o", "a.wtb", "--year", year]);
        assert!(message.contains("1..=9999"), "{message}");
    }
    write(folder, "empty.ggf", "");
    let message = fail(folder, &["convert", "empty.ggf", "-o", "a.sgf"]);
    assert!(message.contains("no games"), "{message}");
}

#[test]
fn a_bad_header_is_left_out_with_its_file() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "bad.wtb", [0xff; 40]);
    write(folder, "good.txt", TRANSCRIPTS);
    let files = ["convert", "bad.wtb", "good.txt", "-o", "a.ggf"];
    let message = fail(folder, &files);
    assert!(message.contains("bad.wtb, byte "), "{message}");
    let output = succeed(folder, &[&files[..], &["--skip-bad"]].concat());
    assert!(output.contains("2 games"), "{output}");
    assert!(output.contains("left out: 1"), "{output}");
}

#[test]
fn what_has_no_place_anywhere_is_told_too() {
    let folder = folder();
    let folder = folder.path();
    let text = "(;GM[2];B[f5];W[d6]C[why?](;B[c3])(;B[c5]))(;GM[2];B[f5]TR[f5])";
    write(folder, "a.sgf", text);
    let output = convert(folder, "a.sgf", "b.sgf");
    assert!(
        output.contains(
            "comments (1 game), other properties of moves (1 game), variations (1 game)\n"
        ),
        "{output}"
    );
    assert!(!convert(folder, "b.sgf", "c.sgf").contains("not kept"));
}

#[test]
fn messages_neither_obey_their_input_nor_need_a_reader() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "a.txt", format!("\x1b[31mred\n{TRANSCRIPTS}"));
    let message = fail(folder, &["convert", "a.txt", "-o", "a.ggf"]);
    assert!(message.contains("\\u{1b}[31mred"), "{message}");
    assert!(!message.contains('\x1b'), "{message:?}");

    let arguments = ["convert", "a.txt", "-o", "a.ggf", "--skip-bad"];
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = outflank(folder, &arguments).stderr(writer).status();
    assert!(status.expect("started").success());
    assert!(folder.join("a.ggf").exists());

    // Without a reader of its results a command ends, and leaves nothing half done.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let files = ["--onnx", "net.onnx", "--burnpack", "net.bpk"];
    let status = outflank(folder, &[&["export", "shipped"][..], &files].concat())
        .stdout(writer)
        .status();
    assert_eq!(status.expect("started").code(), Some(141));
    let left = std::fs::read_dir(folder).expect("listed");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("listed").file_name();
    let hidden = left
        .map(name)
        .filter(|name| name.as_encoded_bytes()[0] == b'.');
    assert_eq!(hidden.count(), 0);
}

#[test]
fn positions_and_runs() {
    let folder = folder();
    let folder = folder.path();
    let line =
        "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;\n";
    write(folder, "a.obf", line);
    convert(folder, "a.obf", "b.obf");
    assert_eq!(read(folder, "b.obf"), line.as_bytes());
    let output = convert(folder, "a.obf", "b.ggf");
    assert!(output.contains("scores of moves (1 game)"), "{output}");
    let message = fail(folder, &["convert", "a.obf", "-o", "b.rec"]);
    assert!(
        message.contains("another position than the usual"),
        "{message}"
    );

    write(folder, "a.txt", TRANSCRIPTS);
    convert(folder, "a.txt", "c.obf");
    let positions = String::from_utf8(read(folder, "c.obf")).expect("text");
    // Nine before the moves of the shortest game; 34 discs and two passes of the other one, where
    // there is nothing to choose.
    assert_eq!(positions.lines().count(), 9 + 34);
    succeed(
        folder,
        &["convert", "a.txt", "-o", "d.obf", "--empties", "58"],
    );
    assert_eq!(
        String::from_utf8(read(folder, "d.obf"))
            .expect("text")
            .lines()
            .count(),
        2
    );

    let train = [
        "train",
        "--config",
        "tiny.toml",
        "--run",
        "run",
        "--no-rating",
    ];
    succeed(folder, &[&train[..], &["--generations", "1"]].concat());
    convert(folder, "run", "run.rec");
    let output = convert(folder, "run/games/000000/train-000000.rec", "one.rec");
    assert!(!output.contains("not kept"), "{output}");
    assert_eq!(
        read(folder, "one.rec"),
        read(folder, "run/games/000000/train-000000.rec"),
        "records come back with their searches"
    );
    let output = convert(folder, "run.rec", "run.sgf");
    assert!(
        output.contains("24 games") && output.contains("searches (24 games)"),
        "{output}"
    );
}
