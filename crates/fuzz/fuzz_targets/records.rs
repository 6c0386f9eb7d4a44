//! Any bytes as a chunk of games, and as the content under a right header and checksum: what is
//! read encodes to a chunk of the same games, and can be checked against the rules.
#![no_main]

use std::io::Write;

use flate2::{Compression, write::DeflateEncoder};
use libfuzzer_sys::fuzz_target;
use outflank_records::chunk::{VERSION, decode, encode};
use sha2::{Digest, Sha256};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&sealed(bytes));
});

fn check(bytes: &[u8]) {
    if let Ok(games) = decode(bytes) {
        for game in &games {
            let _ = game.verify();
        }
        let again = encode(&games).expect("what was read can be encoded");
        // Values may be no numbers, which equal nothing: so bytes are compared.
        let games = decode(&again).expect("what was encoded can be read");
        assert_eq!(encode(&games).as_ref(), Ok(&again));
    }
}

/// The content in the layout that the crate documents, as a list of as many games as it says.
fn sealed(content: &[u8]) -> Vec<u8> {
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::none());
    deflated.write_all(content).expect("memory can be written");
    let deflated = deflated.finish().expect("memory can be written");
    let games = content.first().copied().unwrap_or_default();
    let mut header = b"OUTFLREC".to_vec();
    for number in [VERSION, games.into(), deflated.len() as u32] {
        header.extend(number.to_le_bytes());
    }
    let checksum = Sha256::new().chain_update(&header).chain_update(&deflated);
    [header, checksum.finalize().to_vec(), deflated].concat()
}
