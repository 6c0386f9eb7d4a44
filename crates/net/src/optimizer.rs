//! The memory of burn's Adam optimisers in the form that checkpoints store.
//!
//! burn keeps it by parameter number in a format of its own; here it becomes plain [`Moments`] by
//! tensor and back, so that a checkpoint does not depend on burn and foreign bytes never reach it.

use burn::optim::{ModuleOptimizer, OptimizerRecord};
use burn::store::RecordError;
use burn::store::burn_pack::{self, DType, Reader, Scalar, Writer};
use burn::tensor::Bytes;

use crate::architecture::Architecture;
use crate::checkpoint::Moments;
use crate::layers::param_id;
use crate::weights::Weights;

/// An optimiser whose memory has another form than [`Moments`].
#[derive(Debug, thiserror::Error)]
pub enum OptimizerError {
    /// burn could not write or read its own record.
    #[error("the optimiser's state: {0}")]
    Record(#[from] RecordError),
    /// The same, in the container that the record is packed in.
    #[error("the optimiser's state: {0}")]
    Pack(#[from] burn_pack::Error),
    /// Not Adam or AdamW of this network, or a tensor that took no part in every step. A loss that
    /// is switched off should be weighted by zero rather than left out.
    #[error("the optimiser's state of {tensor} is not that of Adam after {steps} steps")]
    Form {
        /// The tensor whose state is missing or different.
        tensor: String,
        /// Steps that the other tensors took.
        steps: u64,
    },
}

/// The memory of an Adam or AdamW (without AMSGrad) that trains a [`Network`](crate::Network) of
/// this architecture.
pub fn optimizer_moments(
    optimizer: &ModuleOptimizer,
    architecture: &Architecture,
) -> Result<Moments, OptimizerError> {
    let record = optimizer.to_record();
    if record.is_empty() {
        return Ok(Moments::new(architecture));
    }
    let reader = Reader::from_bytes(record.into_bytes()?)?;
    let steps_of = |index| match reader.scalars().get(&key(index, "time")) {
        Some(Scalar::UInt(steps)) => *steps,
        Some(Scalar::Int(steps)) => *steps as u64,
        _ => 0,
    };
    let steps = steps_of(0);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (index, spec) in architecture.tensors().iter().enumerate() {
        let form = || OptimizerError::Form {
            tensor: spec.name.clone(),
            steps,
        };
        if steps == 0 || steps_of(index) != steps {
            return Err(form());
        }
        for (field, moments) in [("moment_1", &mut first), ("moment_2", &mut second)] {
            let bytes = reader.tensor_data(&key(index, field)).map_err(|_| form())?;
            let (values, rest) = bytes.as_chunks::<4>();
            if values.len() != spec.len() || !rest.is_empty() {
                return Err(form());
            }
            moments.push(
                values
                    .iter()
                    .map(|bytes| f32::from_le_bytes(*bytes))
                    .collect(),
            );
        }
    }
    let weights = |tensors: Vec<Vec<f32>>| {
        let mut tensors = tensors.into_iter();
        Weights::from_fn(architecture.clone(), |_| {
            tensors.next().expect("one for every tensor")
        })
    };
    Ok(Moments {
        steps,
        first: weights(first),
        second: weights(second),
    })
}

/// The optimiser with this memory in place of its own.
pub fn restore_optimizer(
    optimizer: ModuleOptimizer,
    moments: &Moments,
) -> Result<ModuleOptimizer, OptimizerError> {
    if moments.steps == 0 {
        return Ok(optimizer.load_record(OptimizerRecord::default()));
    }
    let specs = moments.first.architecture().tensors();
    let mut tensors = Vec::new();
    let mut scalars = Vec::new();
    for (index, spec) in specs.into_iter().enumerate() {
        let fields = [("moment_1", &moments.first), ("moment_2", &moments.second)];
        for (field, weights) in fields {
            let values = &weights.tensors()[index];
            let bytes = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            tensors.push(burn_pack::Tensor::new(
                key(index, field),
                DType::F32,
                spec.shape.clone(),
                Some(param_id(index).val()),
                Bytes::from_bytes_vec(bytes),
            ));
        }
        scalars.push((key(index, "time"), moments.steps));
        scalars.push((
            format!("{}.__rank", param_id(index).val()),
            spec.shape.len() as u64,
        ));
    }
    let mut writer = Writer::new(tensors);
    for (key, value) in scalars {
        writer = writer.with_scalar(&key, Scalar::UInt(value));
    }
    Ok(optimizer.load_record(OptimizerRecord::from_bytes(writer.into_bytes()?)?))
}

/// The name of a part of a tensor's state in burn's record.
fn key(index: usize, field: &str) -> String {
    format!("{}.momentum.{field}", param_id(index).val())
}
