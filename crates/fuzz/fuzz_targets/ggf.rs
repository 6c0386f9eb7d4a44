//! What is read of any bytes can be written, where the format can hold it, and reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_formats::ggf;

fuzz_target!(|bytes: &[u8]| {
    for game in ggf::read(bytes, "fuzz").skip_bad(true).flatten() {
        if let Ok(text) = ggf::format(&game) {
            let again = ggf::parse(&text).expect("what was written can be read");
            assert_eq!(again.game(), game.game());
        }
    }
});
