//! Any lines of GTP, as an engine and as a controller read them, and a whole session.
#![no_main]

mod quick;

use libfuzzer_sys::fuzz_target;
use outflank_protocols::Protocol;
use outflank_protocols::gtp::{Reply, Request};

fuzz_target!(|bytes: &[u8]| {
    for line in String::from_utf8_lossy(bytes).lines() {
        let _ = Request::parse(line);
        let _ = Reply::parse(line);
    }
    quick::session(Protocol::Gtp, bytes);
});
