//! The network that comes with the program: trained by it, for those who have not trained one yet.

use outflank_net::Model;

/// How players and models are named on the command line when this one is meant.
pub const NAME: &str = "shipped";

/// Its file; how it was trained and how strong it is says the card beside it.
const BYTES: &[u8] = include_bytes!("shipped/8x8.safetensors");

/// The network.
pub fn model() -> Model {
    Model::from_bytes(BYTES).expect("a test reads it")
}

#[cfg(test)]
mod tests {
    use outflank_records::chunk::digest;

    use super::*;

    #[test]
    fn the_network_is_whole_and_its_card_is_its_own() {
        let model = model();
        assert_eq!(model.weights.architecture().size.side(), 8);
        let digest = digest(BYTES);
        let card = include_str!("shipped/8x8.md");
        assert!(
            card.contains(&digest),
            "the card has another checksum than {digest}"
        );
    }
}
