//! What is read of any bytes, on any board, can be written, and reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_formats::transcript;
use outflank_rules::Size;

fuzz_target!(|bytes: &[u8]| {
    for size in Size::ALL {
        for game in transcript::read(bytes, "fuzz", size)
            .skip_bad(true)
            .flatten()
        {
            if let Ok(text) = transcript::format(game.game()) {
                let again = transcript::read(text.as_bytes(), "fuzz", size).next();
                let again = again.expect("there is a game").expect("it can be read");
                assert_eq!(again.game(), game.game());
            }
        }
    }
});
