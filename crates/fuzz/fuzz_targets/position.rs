//! Positions, moves and squares as text: what is read and shown reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_rules::{Move, Position, Square};

fuzz_target!(|text: &str| {
    if let Ok(position) = text.parse::<Position>() {
        assert_eq!(position.notation().parse(), Ok(position));
    }
    if let Ok(mv) = text.parse::<Move>() {
        assert_eq!(mv.to_string().parse::<Move>(), Ok(mv));
    }
    if let Ok(square) = text.parse::<Square>() {
        assert_eq!(square.to_string().parse::<Square>(), Ok(square));
    }
});
