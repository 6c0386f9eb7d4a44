//! What is read of any bytes can be written, and reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_formats::sgf;

fuzz_target!(|bytes: &[u8]| {
    for game in sgf::read(bytes, "fuzz").skip_bad(true).flatten() {
        let text = sgf::format(&game).expect("SGF holds every game");
        let again = sgf::read(text.as_bytes(), "fuzz").next();
        let again = again.expect("there is a game").expect("it can be read");
        assert_eq!(again.game(), game.game());
    }
});
