//! Files of positions, as `solve` and `analyze` take them: one a line, and what is known of its moves.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use outflank_rules::Position;
use outflank_solver::suite::{self, Case};

/// A file that may hold positions.
pub struct PositionFile {
    name: String,
    text: String,
}

impl PositionFile {
    /// Reads a file, whatever it holds.
    pub fn read(path: &Path) -> Result<PositionFile> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).with_context(|| format!("{name}: cannot be read"))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(PositionFile { name, text })
    }

    /// Whether its first line that is not empty begins with a position.
    pub fn begins_with_position(&self) -> bool {
        let lines = self.text.lines();
        let mut parts = lines.filter_map(|line| Some(line.split(['%', ';']).next()?.trim()));
        parts
            .find(|part| !part.is_empty())
            .is_some_and(|part| part.parse::<Position>().is_ok())
    }

    /// Its positions, at least one.
    pub fn cases(&self) -> Result<Vec<Case>> {
        let name = &self.name;
        let cases = suite::parse(&self.text)
            .map_err(|(line, error)| anyhow!("{name}, line {line}: {error}"))?;
        if cases.is_empty() {
            bail!("{name}: it is empty; expected a position a line");
        }
        Ok(cases)
    }
}
