//! Any bytes as a base of games: records or errors, no more than the file is long.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_formats::wthor::{Names, read_games};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(games) = read_games(bytes, "fuzz", Names::default()) {
        assert!(games.skip_bad(true).count() <= bytes.len());
    }
});
