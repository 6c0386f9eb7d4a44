//! The folder that plays in a browser: the page of the crate `web`, and models.

use std::path::Path;

use anyhow::{Context, Result};
use outflank_export::{Format, card};
use outflank_net::Model;
use serde::{Deserialize, Serialize};

use super::{card_path, expect_own};
use crate::output::Output;
use crate::page;

#[derive(Serialize, Deserialize)]
struct Listed {
    file: String,
}

/// Writes the folder. A model of another board's size that an earlier export left there stays.
pub fn write(folder: &Path, model: &Model, source: &str) -> Result<()> {
    let files = page::FILES.iter().map(|(name, _)| (*name).to_owned());
    expect_own(folder, page::MODELS, files)?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made", folder.display()))?;
    let size = model.weights.architecture().size;
    let name = format!("model-{size}.safetensors");
    let list = folder.join(page::MODELS);
    let mut models = listed(&list)?;
    // First, as it is what tells a later export that the folder is its own.
    Output::begin(&list)?.finish(&serde_json::to_vec(&models)?)?;
    if models.iter().all(|listed| listed.file != name) {
        models.push(Listed { file: name.clone() });
    }

    let content = model.to_bytes();
    let path = folder.join(&name);
    let text = card(model, Format::Safetensors, &name, &content, source);
    Output::begin(&path)?.finish(&content)?;
    Output::begin(&card_path(&path))?.finish(text.as_bytes())?;
    for (name, content) in page::FILES {
        Output::begin(&folder.join(name))?.finish(content)?;
    }
    Output::begin(&list)?.finish(&serde_json::to_vec(&models)?)
}

/// The models of an earlier export to the same folder.
fn listed(path: &Path) -> Result<Vec<Listed>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{}: cannot be read", path.display()))?;
    serde_json::from_str(&text).with_context(|| {
        format!(
            "{}: expected the list of models that an earlier export wrote",
            path.display()
        )
    })
}
