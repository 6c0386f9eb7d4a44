//! Any bytes as a model or the state of a training: what is read is written as a file that reads
//! back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_net::{Model, TrainingState};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = Model::from_bytes(bytes) {
        let again = model.to_bytes();
        let again = Model::from_bytes(&again).expect("what was written can be read");
        assert_eq!(again.to_bytes(), model.to_bytes());
        let _ = TrainingState::from_bytes(bytes, model.weights.architecture());
    }
});
