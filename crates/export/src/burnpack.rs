use burn::store::{BurnpackStore, ModuleSnapshot};
use burn::tensor::Device;
use outflank_net::{Model, Network};

/// Burn could not write its own format.
#[derive(Debug, thiserror::Error)]
#[error("burn cannot write the network: {0}")]
pub struct BurnpackError(String);

/// The model in burn's format: the module [`Network`] under the metadata `outflank`, which is the
/// model's description. To be loaded with burn's `BurnpackStore` into a network of the same
/// architecture.
pub fn to_burnpack(model: &Model) -> Result<Vec<u8>, BurnpackError> {
    let network = Network::new(&model.weights, &Device::flex());
    let mut store = BurnpackStore::from_bytes(None).metadata("outflank", model.description());
    let failed = |error: &dyn std::fmt::Display| BurnpackError(error.to_string());
    network
        .save_into(&mut store)
        .map_err(|error| failed(&error))?;
    let bytes = store.get_bytes().map_err(|error| failed(&error))?;
    Ok(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use burn::tensor::Bytes;
    use outflank_net::{Architecture, TrainingFacts, Weights};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn burn_reads_the_same_weights_back() {
        let architecture = Architecture {
            blocks: 1,
            channels: 16,
            ..Architecture::default()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let weights = Weights::init(architecture.clone(), &mut rng);
        let model = Model {
            facts: TrainingFacts::default(),
            weights,
        };
        let bytes = to_burnpack(&model).expect("written");
        let mut network = Network::new(&Weights::zeros(architecture), &Device::flex());
        let mut store = BurnpackStore::from_bytes(Some(Bytes::from_bytes_vec(bytes)));
        network.load_from(&mut store).expect("read");
        assert_eq!(network.weights(), model.weights);
    }
}
