//! Safetensors files with a description: named f32 tensors and one readable text.
//!
//! The text is TOML under the key `outflank` of the header's metadata. It starts with the version
//! of the format and the kind of the file, so that a foreign, newer or mistaken file is told apart
//! before anything else of it is believed.

use std::collections::HashMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::CheckpointError;

/// Version of the description and of the tensors' names and layout.
const FORMAT: i64 = 1;
const KEY: &str = "outflank";

/// What is written at the top of every description.
#[derive(Serialize)]
struct Heading<'a, D> {
    format: i64,
    kind: &'a str,
    #[serde(flatten)]
    description: &'a D,
}

/// The text that describes a file.
pub(crate) fn description_text<D: Serialize>(kind: &str, description: &D) -> String {
    let heading = Heading {
        format: FORMAT,
        kind,
        description,
    };
    toml::to_string(&heading).expect("a description is a table of plain values")
}

/// The bytes of a file with this description and these tensors (name, shape, values). Equal input
/// makes equal bytes.
pub(crate) fn write<'a>(
    description: String,
    tensors: impl IntoIterator<Item = (String, Vec<usize>, &'a [f32])>,
) -> Vec<u8> {
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .into_iter()
        .map(|(name, shape, values)| {
            (
                name,
                shape,
                values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect(),
            )
        })
        .collect();
    let views = tensors.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes)
            .expect("a tensor has as many values as its shape says");
        (name.as_str(), view)
    });
    let metadata = HashMap::from([(KEY.to_owned(), description)]);
    safetensors::serialize(views, Some(metadata)).expect("distinct tensors of f32 can be written")
}

/// A file that was read: its tensors are still bytes.
#[derive(Debug)]
pub(crate) struct TensorFile<'a, D> {
    pub description: D,
    tensors: SafeTensors<'a>,
}

impl<'a, D: DeserializeOwned> TensorFile<'a, D> {
    /// Reads the header and the description of a file of this kind. The tensors' extent is checked
    /// against the length of `bytes`; nothing is allocated on the word of the header.
    pub fn read(bytes: &'a [u8], kind: &'static str) -> Result<Self, CheckpointError> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let text = header
            .metadata()
            .as_ref()
            .and_then(|metadata| metadata.get(KEY));
        let text = text.ok_or(CheckpointError::Foreign)?;
        let invalid = |error: toml::de::Error| CheckpointError::Description(error.message().into());
        let mut table: toml::Table = toml::from_str(text).map_err(invalid)?;
        match table
            .remove("format")
            .and_then(|format| format.as_integer())
        {
            Some(format) if format > FORMAT => {
                return Err(CheckpointError::Newer {
                    found: format,
                    supported: FORMAT,
                });
            }
            Some(1..) => {}
            _ => {
                return Err(CheckpointError::Description(
                    "the format has no version".into(),
                ));
            }
        }
        let found = table.remove("kind");
        if found.as_ref().and_then(toml::Value::as_str) != Some(kind) {
            let found = found.map_or("nothing".into(), |found| found.to_string());
            return Err(CheckpointError::Kind {
                found,
                expected: kind,
            });
        }
        let description = table.try_into().map_err(invalid)?;
        Ok(TensorFile {
            description,
            tensors: SafeTensors::deserialize(bytes)?,
        })
    }

    /// The number of tensors in the file.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// The values of a tensor that must have this shape, all of them finite.
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, CheckpointError> {
        let name = || name.to_owned();
        let Ok(view) = self.tensors.tensor(&name()) else {
            return Err(CheckpointError::MissingTensor(name()));
        };
        if view.dtype() != Dtype::F32 {
            let found = view.dtype().to_string();
            return Err(CheckpointError::Type {
                name: name(),
                found,
            });
        }
        if view.shape() != shape {
            let (found, expected) = (view.shape().to_vec(), shape.to_vec());
            return Err(CheckpointError::Shape {
                name: name(),
                found,
                expected,
            });
        }
        let (values, _) = view.data().as_chunks::<4>();
        let values: Vec<f32> = values
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        if !values.iter().all(|value| value.is_finite()) {
            return Err(CheckpointError::NotFinite(name()));
        }
        Ok(values)
    }
}
