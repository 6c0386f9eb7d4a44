//! Any lines of NBoard's protocol, as an engine and as a GUI read them, and a whole session.
#![no_main]

mod quick;

use libfuzzer_sys::fuzz_target;
use outflank_protocols::Protocol;
use outflank_protocols::nboard::{Command, Message};

fuzz_target!(|bytes: &[u8]| {
    for line in String::from_utf8_lossy(bytes).lines() {
        if let Some(Ok(command)) = Command::parse(line) {
            assert!(matches!(Command::parse(&command.to_string()), Some(Ok(_))));
        }
        if let Some(Ok(message)) = Message::parse(line) {
            assert!(matches!(Message::parse(&message.to_string()), Some(Ok(_))));
        }
    }
    quick::session(Protocol::NBoard, bytes);
});
