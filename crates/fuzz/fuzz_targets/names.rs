//! Any bytes as the names that go with a base: players and tournaments.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_formats::wthor::{Directory, Kind};

fuzz_target!(|bytes: &[u8]| {
    for kind in [Kind::Players, Kind::Tournaments] {
        if let Ok(directory) = Directory::read(bytes, "fuzz", kind) {
            assert!(directory.names.len() <= bytes.len());
        }
    }
});
