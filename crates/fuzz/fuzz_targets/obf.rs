//! What is read of any bytes can be written, and reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_formats::obf;

fuzz_target!(|bytes: &[u8]| {
    for record in obf::read(bytes, "fuzz").skip_bad(true).flatten() {
        let again = obf::parse(&obf::format(&record)).expect("what was written can be read");
        assert_eq!(again, record);
    }
});
