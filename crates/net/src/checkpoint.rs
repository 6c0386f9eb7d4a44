//! Networks and the state of their training as files.
//!
//! `model.safetensors` is a network on its own: weights under the names and in the layout that
//! PyTorch would use, and a readable description (architecture, training facts) in the header.
//! `training.safetensors` is what the trainer needs to go on as if it had never stopped: its latest
//! weights, which differ from the averaged ones that play, and the optimiser's moments.

use std::path::{Path, PathBuf};

use safetensors::SafeTensorError;
use serde::{Deserialize, Serialize};

use crate::architecture::{Architecture, ArchitectureError, TensorSpec};
use crate::tensor_file::{self, TensorFile};
use crate::weights::Weights;

/// The kinds of file, as their descriptions name them.
const MODEL: &str = "model";
const TRAINING: &str = "training";

/// How far a network's training had come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingFacts {
    /// Steps of the optimiser.
    pub steps: u64,
    /// Positions seen by the trainer, repetitions counted.
    pub samples: u64,
    /// Games that had been played for it.
    pub games: u64,
    /// Generations of games.
    pub generation: u64,
}

/// A network that plays, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// How far its training had come.
    pub facts: TrainingFacts,
    /// Its weights and architecture.
    pub weights: Weights,
}

/// What a trainer needs besides the model to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingState {
    /// The weights that the optimiser works on.
    pub weights: Weights,
    /// The optimiser's memory.
    pub moments: Moments,
}

/// The memory of Adam and its kin: running averages of every weight's gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Steps taken; 0 for an optimiser that has not started.
    pub steps: u64,
    /// Averages of the gradients.
    pub first: Weights,
    /// Averages of their squares.
    pub second: Weights,
}

/// A file that holds no usable network or training state.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The error is in this file.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<CheckpointError>,
    },
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// Not the safetensors format, or the end is missing.
    #[error("not a whole safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// Safetensors, but of another program.
    #[error("a safetensors file of another program; expected one written by Outflank")]
    Foreign,
    /// Written by a newer version of the program.
    #[error("format {found} is newer than {supported}, the newest that this version reads")]
    Newer {
        /// The format of the file.
        found: i64,
        /// The newest known format.
        supported: i64,
    },
    /// The description in the header is damaged.
    #[error("the description of the network is invalid: {0}")]
    Description(String),
    /// Another kind of file than was asked for.
    #[error("holds {found}; expected a \"{expected}\"")]
    Kind {
        /// What its description says.
        found: String,
        /// What was asked for.
        expected: &'static str,
    },
    /// The architecture is impossible, or not the one that is needed.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// The tensors are not those of the architecture.
    #[error("the tensor {0} is missing")]
    MissingTensor(String),
    /// There are tensors that the architecture does not have.
    #[error("there are {found} tensors; the architecture has {expected}")]
    Count {
        /// Tensors in the file.
        found: usize,
        /// Tensors that the architecture has.
        expected: usize,
    },
    /// A tensor of another shape than the architecture says.
    #[error("the tensor {name} has the shape {found:?}; the architecture has {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The right shape.
        expected: Vec<usize>,
    },
    /// A tensor of another type than f32.
    #[error("the tensor {name} holds {found}; expected F32")]
    Type {
        /// The tensor.
        name: String,
        /// Its type.
        found: String,
    },
    /// A weight is infinite or not a number.
    #[error("the tensor {0} holds a value that is not finite")]
    NotFinite(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelDescription {
    architecture: Architecture,
    training: TrainingFacts,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainingDescription {
    optimizer_steps: u64,
    architecture: Architecture,
}

impl Model {
    /// Usual name of a model's file.
    pub const FILE: &str = "model.safetensors";

    /// The model as a safetensors file. Equal models make equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        tensor_file::write(self.description(), named(&self.weights, ""))
    }

    /// Architecture and facts as readable TOML: the same text that the file carries in its header.
    pub fn description(&self) -> String {
        let architecture = self.weights.architecture().clone();
        let description = ModelDescription {
            architecture,
            training: self.facts.clone(),
        };
        tensor_file::description_text(MODEL, &description)
    }

    /// Reads a model of any architecture.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, CheckpointError> {
        let file = TensorFile::<ModelDescription>::read(bytes, MODEL)?;
        let architecture = file.description.architecture.clone();
        architecture.validate()?;
        let specs = architecture.tensors();
        expect_count(file.len(), specs.len())?;
        let weights = read_weights(&file, &architecture, &specs, "")?;
        Ok(Model {
            facts: file.description.training,
            weights,
        })
    }

    /// Reads a model of any architecture from a file, which errors then name.
    pub fn load(path: &Path) -> Result<Model, CheckpointError> {
        std::fs::read(path)
            .map_err(CheckpointError::from)
            .and_then(|bytes| Model::from_bytes(&bytes))
            .map_err(|error| CheckpointError::File {
                path: path.to_owned(),
                error: Box::new(error),
            })
    }
}

impl TrainingState {
    /// Usual name of the file.
    pub const FILE: &str = "training.safetensors";

    /// The state as a safetensors file. Equal states make equal bytes.
    ///
    /// # Panics
    /// If the weights and the moments have different architectures.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Moments {
            steps,
            first,
            second,
        } = &self.moments;
        let architecture = self.weights.architecture();
        assert!(architecture == first.architecture() && architecture == second.architecture());
        let description = TrainingDescription {
            optimizer_steps: *steps,
            architecture: architecture.clone(),
        };
        tensor_file::write(
            tensor_file::description_text(TRAINING, &description),
            named(&self.weights, "")
                .chain(named(first, FIRST))
                .chain(named(second, SECOND)),
        )
    }

    /// Reads the state of a training; `expected` is the architecture of the model beside it.
    pub fn from_bytes(
        bytes: &[u8],
        expected: &Architecture,
    ) -> Result<TrainingState, CheckpointError> {
        let file = TensorFile::<TrainingDescription>::read(bytes, TRAINING)?;
        file.description.architecture.expect(expected)?;
        let specs = expected.tensors();
        expect_count(file.len(), 3 * specs.len())?;
        Ok(TrainingState {
            weights: read_weights(&file, expected, &specs, "")?,
            moments: Moments {
                steps: file.description.optimizer_steps,
                first: read_weights(&file, expected, &specs, FIRST)?,
                second: read_weights(&file, expected, &specs, SECOND)?,
            },
        })
    }
}

impl Moments {
    /// The memory of an optimiser that has not started.
    pub fn new(architecture: &Architecture) -> Moments {
        let zeros = Weights::zeros(architecture.clone());
        Moments {
            steps: 0,
            first: zeros.clone(),
            second: zeros,
        }
    }
}

/// Endings of the moments' names, as in PyTorch's state of Adam.
const FIRST: &str = ".exp_avg";
const SECOND: &str = ".exp_avg_sq";

fn named<'a>(
    weights: &'a Weights,
    ending: &'a str,
) -> impl Iterator<Item = (String, Vec<usize>, &'a [f32])> {
    let specs = weights.architecture().tensors().into_iter();
    specs.zip(weights.tensors()).map(move |(spec, values)| {
        (
            format!("{}{ending}", spec.name),
            spec.shape,
            values.as_slice(),
        )
    })
}

fn read_weights<D: serde::de::DeserializeOwned>(
    file: &TensorFile<D>,
    architecture: &Architecture,
    specs: &[TensorSpec],
    ending: &str,
) -> Result<Weights, CheckpointError> {
    let tensors: Result<Vec<_>, _> = specs
        .iter()
        .map(|spec| file.tensor(&format!("{}{ending}", spec.name), &spec.shape))
        .collect();
    let mut tensors = tensors?.into_iter();
    Ok(Weights::from_fn(architecture.clone(), |_| {
        tensors.next().expect("as many tensors as specifications")
    }))
}

fn expect_count(found: usize, expected: usize) -> Result<(), CheckpointError> {
    if found == expected {
        return Ok(());
    }
    Err(CheckpointError::Count { found, expected })
}
