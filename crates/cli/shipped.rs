//! The networks that come with the program: trained by it, for those who have not trained one yet.

use std::ffi::OsStr;

use outflank_net::Model;

/// A network of the program. How it was trained and how strong it is says the card beside its file.
#[derive(Clone, Copy)]
pub struct Shipped {
    /// Its name on the command line.
    pub name: &'static str,
    bytes: &'static [u8],
}

const ALL: [Shipped; 2] = [
    Shipped {
        name: "shipped",
        bytes: include_bytes!("shipped/8x8.safetensors"),
    },
    Shipped {
        name: "shipped-large",
        bytes: include_bytes!("shipped/8x8-large.safetensors"),
    },
];

impl Shipped {
    /// The network of this name, if there is one.
    pub fn find(name: impl AsRef<OsStr>) -> Option<Shipped> {
        let name = name.as_ref();
        ALL.into_iter().find(|shipped| name == shipped.name)
    }

    pub fn model(self) -> Model {
        Model::from_bytes(self.bytes).expect("a test reads it")
    }
}

#[cfg(test)]
mod tests {
    use outflank_records::chunk::digest;

    use super::*;

    #[test]
    fn the_networks_are_whole_and_their_cards_are_their_own() {
        let cards = [
            include_str!("shipped/8x8.md"),
            include_str!("shipped/8x8-large.md"),
        ];
        for (shipped, card) in ALL.into_iter().zip(cards) {
            let architecture = shipped.model().weights.architecture().clone();
            assert_eq!(architecture.size.side(), 8);
            let blocks = format!("{} blocks", architecture.blocks);
            assert!(card.contains(&blocks), "{}", shipped.name);
            let digest = digest(shipped.bytes);
            assert!(
                card.contains(&digest),
                "the card of {} has another checksum than {digest}",
                shipped.name
            );
        }
    }
}
