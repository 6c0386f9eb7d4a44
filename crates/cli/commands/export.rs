//! `outflank export`: a model for other programs, by the crate `export`.

mod folder;
mod web;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use outflank_export::{CheckData, Format, card, random_positions, to_burnpack, to_onnx};
use outflank_net::Model;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::args::Export;
use crate::output::{Output, expect_different, expect_not_input, expect_outside_runs};
use crate::players::{load_named, shared_name};
use crate::progress::count;
use crate::signals::say_when_stopped;

pub fn run(args: &Export) -> Result<()> {
    let formats = [
        (&args.onnx, Format::Onnx),
        (&args.safetensors, Format::Safetensors),
        (&args.burnpack, Format::Burnpack),
    ];
    let models = || {
        let path_of = |(path, format)| Some((Option::as_deref(path)?, format));
        formats.into_iter().filter_map(path_of)
    };
    let cards: Vec<PathBuf> = models().map(|(path, _)| card_path(path)).collect();
    let files = models().map(|(path, _)| path);
    let files = files.chain(cards.iter().map(PathBuf::as_path));
    let files: Vec<&Path> = files.chain(args.check_data.as_deref()).collect();
    expect_different(files.iter().copied())?;
    for file in &files {
        expect_outside_runs(file)?;
        expect_not_input(file, std::slice::from_ref(&args.model))?;
    }
    for folder in [&args.engine, &args.web].into_iter().flatten() {
        expect_outside_runs(folder)?;
    }

    let (name, model) = load_named(&args.model)?;
    let source = shared_name(&name);
    for (path, format) in models() {
        write_model(path, format, &model, &source)?;
    }
    if let Some(path) = &args.check_data {
        write_check_data(path, &model, args)?;
    }
    if let Some(path) = &args.engine {
        say_what_a_stop_leaves(path);
        folder::write(path, &model, &source)?;
        println!(
            "{}: how to register it is in README.md there",
            path.display()
        );
    }
    if let Some(path) = &args.web {
        say_what_a_stop_leaves(path);
        web::write(path, &model, &source)?;
        println!(
            "{0}: for any web server; to try it: python3 -m http.server --directory {0}",
            path.display()
        );
    }
    Ok(())
}

fn say_what_a_stop_leaves(folder: &Path) {
    say_when_stopped(format!(
        "{} is not whole; the same command completes it",
        folder.display()
    ));
}

/// Refuses a folder in which an export would replace a file that is not from an earlier one, which
/// left the file `mark` there before all others.
fn expect_own(folder: &Path, mark: &str, names: impl IntoIterator<Item = String>) -> Result<()> {
    if folder.join(mark).exists() {
        return Ok(());
    }
    match names.into_iter().find(|name| folder.join(name).exists()) {
        None => Ok(()),
        Some(name) => bail!(
            "{}: it is there already, and not from an export; take another folder",
            folder.join(name).display()
        ),
    }
}

/// Writes a model and its card.
fn write_model(path: &Path, format: Format, model: &Model, source: &str) -> Result<()> {
    let (file, page) = (Output::begin(path)?, Output::begin(&card_path(path))?);
    let content = match format {
        Format::Onnx => to_onnx(model),
        Format::Safetensors => model.to_bytes(),
        Format::Burnpack => to_burnpack(model)?,
    };
    let name = file_name(path)?;
    let text = card(model, format, &name, &content, source);
    file.finish(&content)?;
    page.finish(text.as_bytes())?;
    println!(
        "{}: {} bytes, described in {}",
        path.display(),
        content.len(),
        card_path(path).display()
    );
    Ok(())
}

fn write_check_data(path: &Path, model: &Model, args: &Export) -> Result<()> {
    let file = Output::begin(path)?;
    let size = model.weights.architecture().size;
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let boards = random_positions(size, args.positions, &mut rng);
    file.finish(&CheckData::new(model, &boards).to_bytes())?;
    let positions = count(args.positions as u64, "position");
    println!("{}: {positions}", path.display());
    Ok(())
}

/// `net.onnx.md` for `net.onnx`.
fn card_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".md");
    name.into()
}

fn file_name(path: &Path) -> Result<String> {
    let name = path.file_name();
    let name = name.with_context(|| format!("{}: expected the name of a file", path.display()))?;
    Ok(name.to_string_lossy().into_owned())
}
