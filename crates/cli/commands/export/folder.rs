//! The folder that makes a model an engine for GUIs: program, model, launchers, instructions.

use std::path::Path;

use anyhow::{Context, Result};
use outflank_export::{Format, card};
use outflank_net::Model;

use super::{card_path, expect_own};
use crate::output::Output;

/// What a launcher does: the program beside it, with the model beside it, from any folder.
#[cfg(unix)]
const LAUNCHER: &str = "\
#!/bin/sh
# Outflank for programs that speak PROTOCOL. More options: ./outflank engine --help
self=$0
while [ -L \"$self\" ]; do # the folder is where links lead
    to=$(readlink \"$self\")
    case $to in
        /*) self=$to ;;
        *) self=$(dirname -- \"$self\")/$to ;;
    esac
done
here=$(cd -- \"$(dirname -- \"$self\")\" && pwd)
exec \"$here/outflank\" engine --protocol PROTOCOL --model \"$here/model.safetensors\" \"$@\"
";
#[cfg(not(unix))]
const LAUNCHER: &str = "\
@echo off\r
rem Outflank for programs that speak PROTOCOL. More options: outflank engine --help\r
\"%~dp0outflank.exe\" engine --protocol PROTOCOL --model \"%~dp0model.safetensors\" %*\r
";

const PROTOCOLS: [&str; 2] = ["nboard", "gtp"];

/// How to register the engine.
const INSTRUCTIONS: &str = "README.md";

/// Writes the folder. Files of an earlier export are replaced, others left alone.
pub fn write(folder: &Path, model: &Model, source: &str) -> Result<()> {
    let launchers = PROTOCOLS.map(launcher);
    let others = [INSTRUCTIONS, Model::FILE, &program_name()].map(str::to_owned);
    expect_own(
        folder,
        &launchers[0],
        launchers.iter().cloned().chain(others),
    )?;
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let bytes = std::fs::read(&program)
        .with_context(|| format!("{}: cannot be read", program.display()))?;
    let failed = || format!("{}: cannot be made", folder.display());
    std::fs::create_dir_all(folder).with_context(failed)?;

    // First, as one of them tells a later export that the folder is its own.
    for protocol in PROTOCOLS {
        let script = LAUNCHER.replace("PROTOCOL", protocol);
        write_program(&folder.join(launcher(protocol)), script.as_bytes())?;
    }

    let content = model.to_bytes();
    let path = folder.join(Model::FILE);
    let text = card(model, Format::Safetensors, Model::FILE, &content, source);
    Output::begin(&path)?.finish(&content)?;
    Output::begin(&card_path(&path))?.finish(text.as_bytes())?;

    write_program(&folder.join(program_name()), &bytes)?;

    // GUIs want whole paths.
    let folder = folder.canonicalize().with_context(failed)?;
    let text = instructions(&folder, model);
    Output::begin(&folder.join(INSTRUCTIONS))?.finish(text.as_bytes())
}

fn program_name() -> String {
    format!("outflank{}", std::env::consts::EXE_SUFFIX)
}

fn launcher(protocol: &str) -> String {
    let ending = if cfg!(unix) { "sh" } else { "bat" };
    format!("outflank-{protocol}.{ending}")
}

fn write_program(path: &Path, content: &[u8]) -> Result<()> {
    Output::begin(path)?.finish(content)?;
    #[cfg(unix)]
    {
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(path, executable)
            .with_context(|| format!("{}: cannot be made executable", path.display()))?;
    }
    Ok(())
}

fn instructions(folder: &Path, model: &Model) -> String {
    let architecture = model.weights.architecture();
    let [nboard, gtp] = PROTOCOLS.map(|protocol| folder.join(launcher(protocol)));
    format!(
        "\
# Outflank as an engine

A Reversi (Othello) engine that needs nothing outside of this folder: the program, two launchers,
and a model ({architecture}) that `model.safetensors.md` describes. The
folder may be moved; the paths below then change with it.

## NBoard

In NBoard's menu `Engine`, `Select Opponent` (or `Select Analysis`), add an engine with

    working directory: {folder}
    command:           {nboard}

The level that NBoard sets means simulations a move, and from how many empty squares on a position
is solved:

| level | 1 | 4 | 8 | 12 | 16 | 20 | 26 |
|---|---|---|---|---|---|---|---|
| simulations | 11 | 32 | 128 | 512 | 2,048 | 8,192 | 65,536 |
| solved from | 10 | 12 | 14 | 16 | 18 | 20 | 23 |

Evaluations are expected final disc differences for the player to move; `100%` marks those that are
exact, `100%W` a proven win.

## GTP

The command of the engine is

    {gtp}

Time controls (`time_settings`, `time_left`) are kept. Without one the engine takes 800 simulations a
move. The controller has to speak of Reversi: squares such as `f5`, passes as `pass`.

## More strength

Options after the launcher's name are passed on: `--seconds 2` thinks two seconds a move whatever
level is set, `--simulations 5000` so many simulations, `--threads 4` speeds the endgame solver up,
`--ponder` thinks on the opponent's time, `--log FILE` keeps every line of both sides.
",
        folder = folder.display(),
        nboard = nboard.display(),
        gtp = gtp.display(),
    )
}
