//! What a person pastes into the page or a link holds: any text becomes a game that can be shown
//! and written, or an error. Any text as a task of the page's worker, too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_rules::Size;
use outflank_web::{Task, read, view};

fuzz_target!(|text: &str| {
    for size in Size::ALL {
        if let Ok(game) = read(text, size) {
            view(&game.start, &game.moves).expect("what was read can be shown");
        }
    }
    let _ = serde_json::from_str::<Task>(text);
});
