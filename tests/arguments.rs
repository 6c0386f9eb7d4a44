//! Arguments that are wrong, and those that are right though they look strange.

mod common;

use common::{fail, folder, outflank, succeed};

#[test]
fn wrong_arguments_get_one_line() {
    let folder = folder();
    let folder = folder.path();
    fail(folder, &[]);
    for (arguments, part) in [
        (
            &["train", "--confg", "x"][..],
            "'--confg' found; a similar argument exists: '--config'",
        ),
        (&["fly"], "unrecognized subcommand 'fly'"),
        (&["selfplay"], "not provided: --run <DIR|URL>"),
        (
            &["export", "shipped", "--onnx", "a", "--positions", "9"],
            "not provided: --check-data <FILE>",
        ),
        (
            &["play", "--color", "red"],
            "[possible values: black, white]",
        ),
        (&["perft", "x"], "'<DEPTH>': expected a whole number"),
        (&["learn", "--run", "r", "--held-out", "0.2"], "--games"),
        (&["solve", "--bogus"], "'--bogus' is no option"),
        (
            &["accuracy", "shipped,simulations=9"],
            "options of a player are not for here; expected shipped",
        ),
        (
            &["analyze", "tiny.toml,simulations=9"],
            "options of a player are not for here; expected tiny.toml",
        ),
        (
            &["arena", "shipped@3", "random"],
            "shipped@3: a model that comes with the program has no others before it",
        ),
        (
            &["train", "--run", "tiny.toml"],
            "tiny.toml is a file; expected a folder",
        ),
    ] {
        let message = fail(folder, arguments);
        assert!(message.starts_with("outflank: "), "{message}");
        assert!(message.contains(part), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_port_in_use_is_told_with_the_way_out() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("bound").port().to_string();
    let message = fail(folder().path(), &["serve", "--port", &port]);
    assert!(message.contains("expected another --port"), "{message}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let folder = folder();
    let gtp = ["engine", "--protocol", "gtp"];
    let position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    for (arguments, range) in [
        (&[&gtp[..], &["--table", "0"]].concat()[..], "1 to 65536"),
        (&[&gtp[..], &["--table", "99999999"]].concat(), "1 to 65536"),
        (&[&gtp[..], &["--threads", "100000"]].concat(), "1..=512"),
        (&["solve", position, "--table", "99999999"], "1 to 65536"),
        (&["solve", position, "--threads", "2000"], "1..=512"),
        (&["serve", "--table", "99999999"], "1 to 65536"),
        (&["serve", "--seconds", "0"], "1..=86400"),
        (&["train", "--threads", "0"], "1..=512"),
        (
            &["learn", "--run", "r", "--games", "a", "--epochs", "0"],
            "1..=1000000",
        ),
        (
            &[
                "learn",
                "--run",
                "r",
                "--games",
                "a",
                "--solve-empties",
                "25",
            ],
            "0..=24",
        ),
        (
            &[
                "export",
                "shipped",
                "--check-data",
                "z",
                "--positions",
                "99999999999999",
            ],
            "1..=100000",
        ),
        (
            &["arena", "random", "greedy", "--games", "99999999999999998"],
            "0..=1000000",
        ),
        (
            &["analyze", "shipped", "--simulations", "4294967295"],
            "0..=1000000",
        ),
        (&["accuracy", "shipped", "--positions", "0"], "1..=100000"),
        (&["play", "alpha-beta:99"], "alpha-beta:DEPTH (1 to 20)"),
        (&["arena", "rollout:0", "random"], "(1 to 10000000)"),
        (&["arena", "perfect:99:random", "random"], "(1 to 24)"),
    ] {
        let message = fail(folder.path(), arguments);
        assert!(message.contains(range), "{message}");
    }
}

/// No output replaces another, what is read, or a file of a run.
#[test]
fn outputs_replace_nothing_that_is_needed() {
    let folder = folder();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("op.txt", "f5d6\n");
    succeed(
        folder,
        &["export", "shipped", "--safetensors", "net.safetensors"],
    );
    let train = ["train", "--config", "tiny.toml", "--run", "run"];
    succeed(
        folder,
        &[&train[..], &["--no-rating", "--generations", "0"]].concat(),
    );
    let model = std::fs::read(folder.join("net.safetensors")).expect("read");
    let export = ["export", "shipped"];
    let arena = [
        "arena",
        "random",
        "greedy",
        "--games",
        "2",
        "--openings",
        "op.txt",
    ];
    let of_model = ["arena", "random", "net.safetensors,solve=8", "--games", "2"];
    for (command, more, part) in [
        (&arena[..], &["--json", "op.txt"][..], "it is read as well"),
        (
            &of_model,
            &["--jsonl", "net.safetensors"],
            "it is read as well",
        ),
        (
            &arena,
            &["--json", "a.ggf", "--save-games", "./a.ggf"],
            "two outputs",
        ),
        (&arena, &["--json", "run/run.json"], "it is in the run"),
        (&arena, &["--jsonl", "run/config.toml"], "it is in the run"),
        (&arena, &["--save-games", "run/new.ggf"], "it is in the run"),
        (&arena, &["--json", "-"], "not standard output"),
        (&arena, &["--jsonl", "-"], "not standard output"),
        (
            &arena,
            &["--jsonl", "tiny.toml"],
            "tiny.toml, line 1: it is not a whole JSON object",
        ),
        (&export, &["--onnx", "run/run.json"], "it is in the run"),
        (&export, &["--web", "run"], "it is in the run"),
        (&export, &["--engine", "run/engine"], "it is in the run"),
        (
            &["export", "net.safetensors"],
            &["--onnx", "net.safetensors"],
            "it is read as well",
        ),
        (
            &["report", "run"],
            &["--output", "run/config.toml"],
            "it is in the run",
        ),
        (
            &["accuracy", "run"],
            &["--suite", "run/log/000001.json"],
            "it is in the run",
        ),
        (
            &["engine", "--protocol", "gtp"],
            &["--log", "run/run.json"],
            "it is in the run",
        ),
        (
            &["engine", "--protocol", "gtp", "--model", "net.safetensors"],
            &["--log", "net.safetensors"],
            "it is read as well",
        ),
        (
            &["train"],
            &["--config", "tiny.toml", "--run", "   "],
            "it is empty",
        ),
    ] {
        let before = std::fs::read_dir(folder.join("run"))
            .expect("listed")
            .count();
        let message = fail(folder, &[command, more].concat());
        assert!(message.contains(part), "{more:?}: {message}");
        assert_eq!(
            before,
            std::fs::read_dir(folder.join("run"))
                .expect("listed")
                .count()
        );
    }
    assert!(model == std::fs::read(folder.join("net.safetensors")).expect("read"));
    succeed(folder, &["report", "run", "--output", "run/report.html"]);
    assert!(!folder.join("-").exists() && !folder.join("   ").exists());
}

/// Names of files are bytes: what is not UTF-8 is a name as well.
#[cfg(unix)]
#[test]
fn paths_need_not_be_text() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let folder = folder();
    let folder = folder.path();
    let name = |ending: &str| OsString::from_vec([b"caf\xe9", ending.as_bytes()].concat());
    let words = |text: &str| -> Vec<OsString> { text.split(' ').map(OsString::from).collect() };
    let run = |arguments: Vec<OsString>| {
        let output = outflank(folder, &[]).args(arguments).output();
        let output = output.expect("the command can be started");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), message)
    };
    std::fs::write(folder.join(name(".obf")), "-OX--OXX-XX-X--- O\n").expect("written");
    std::fs::write(folder.join(name(".toml")), "[network]\nsize = 5").expect("written");
    for (before, ending, after) in [
        (
            "export shipped --safetensors",
            ".safetensors",
            "--onnx a.onnx",
        ),
        ("inspect", ".safetensors", "--all"),
        ("analyze", ".safetensors", "f5d6 --simulations 2"),
        ("arena random", ".safetensors,simulations=2", "--games 2"),
        ("solve", ".obf", "--best"),
        ("convert", ".obf", "-o a.ggf"),
    ] {
        let (succeeded, message) = run([words(before), vec![name(ending)], words(after)].concat());
        assert!(succeeded, "{before}: {message}");
    }
    let (_, message) = run([words("train --config"), vec![name(".toml")]].concat());
    assert!(message.contains(".toml, line 2: network.size"), "{message}");
    // Only a run's own folder must have a name in UTF-8, for the library that writes there.
    let (_, message) = run([words("train --config tiny.toml --run"), vec![name("")]].concat());
    assert!(message.contains("must be UTF-8"), "{message}");
    assert!(!folder.join(name("")).exists());
}
