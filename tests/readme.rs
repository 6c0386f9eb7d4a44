//! Every command of the README is run as it stands there: to its end, or, where it takes long by
//! nature, for some seconds, after which any of them may be killed.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::succeed;

/// How long a command may go on before it has shown that it works.
const LIMIT: Duration = Duration::from_secs(3);

/// A run that takes seconds and has as many models as the README speaks of.
const SMALL: &str = r#"
name = "small"
generations = 13
games_per_generation = 4
games_per_chunk = 4

[network]
blocks = 1
channels = 16

[selfplay]
solve_empties = 8
games_in_flight = 4

[selfplay.search]
simulations = 2

[training]
batch_size = 32
samples_per_position = 1.0

[tracking]
share = 0.0
"#;

/// This program in the place of one that the machine may not have.
const ENGINES: &str = r#"
[[engine]]
name = "grhino"
command = ["outflank", "engine", "--protocol", "gtp", "--simulations", "4"]
protocol = "gtp"
"#;

#[test]
fn commands_of_the_readme_work() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    for (file, content) in [
        ("my.toml", SMALL),
        ("configs/engines.toml", ENGINES),
        (
            "configs/experiments/search.toml",
            include_str!("../configs/experiments/search.toml"),
        ),
    ] {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        std::fs::write(path, content).expect("the folder can be written");
    }
    for run in ["runs/quick", "runs/other"] {
        let train = ["train", "--config", "my.toml", "--no-rating", "--run", run];
        succeed(folder, &train);
    }
    succeed(
        folder,
        &["convert", "runs/quick", "--output", "WTH_2014.wtb"],
    );

    let commands = commands(include_str!("../README.md"));
    assert!(commands.len() > 20, "the README has commands: {commands:?}");
    for command in commands {
        start(folder, &command);
    }
}

/// The lines of the README's shell blocks that call this program, without comments.
fn commands(readme: &str) -> Vec<String> {
    let blocks = readme.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
    let lines = lines.map(|line| line.split(" #").next().unwrap_or_default());
    lines
        .map(|line| line.trim_end_matches([' ', '&']))
        .map(|line| line.replace("cargo run --release -- ", "outflank "))
        .filter(|line| line.starts_with("outflank "))
        .collect()
}

/// Runs a command until its end, which must be a success, or the limit.
fn start(folder: &Path, command: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_outflank"));
    let path = program.parent().expect("the program is in a folder");
    let path = format!(
        "{}:{}",
        path.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = folder.join("output");
    let file = std::fs::File::create(&output).expect("the folder can be written");
    let mut child = Command::new("sh")
        .args(["-c", &format!("exec {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(file.try_clone().expect("a second handle"))
        .stderr(file)
        .spawn()
        .expect("a shell starts");
    let begin = Instant::now();
    while begin.elapsed() < LIMIT {
        if let Some(status) = child.try_wait().expect("it is our child") {
            let output = std::fs::read_to_string(output).unwrap_or_default();
            assert!(status.success(), "{command}: {status}\n{output}");
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it is our child");
    child.wait().expect("it was killed");
}
