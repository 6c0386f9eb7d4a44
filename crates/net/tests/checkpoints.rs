//! Models and training states survive being written and read, and nothing else is taken for one.

mod common;

use common::{busy_weights, rng};
use outflank_net::{Architecture, Feature, Model, Moments, TrainingFacts, TrainingState, Weights};
use outflank_rules::Size;

fn small() -> Architecture {
    Architecture {
        size: Size::Four,
        blocks: 1,
        channels: 16,
        ..Architecture::default()
    }
}

fn model() -> Model {
    let facts = TrainingFacts {
        steps: 120,
        samples: 30_720,
        games: 64,
        generation: 2,
    };
    Model {
        facts,
        weights: busy_weights(&small(), 1),
    }
}

/// Replaces text in the header, which must stay as long as it was.
fn patched(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes
        .windows(from.len())
        .position(|window| window == from.as_bytes())
        .expect("the header has the text");
    let mut bytes = bytes.to_vec();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    bytes
}

fn error(bytes: &[u8]) -> String {
    Model::from_bytes(bytes)
        .expect_err("not a model")
        .to_string()
}

#[test]
fn a_model_comes_back_bit_for_bit() {
    let model = model();
    let bytes = model.to_bytes();
    let read = Model::from_bytes(&bytes).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.to_bytes(), bytes);
}

#[test]
fn names_and_layout_are_those_of_pytorch() {
    let bytes = model().to_bytes();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let shape = |name: &str| file.tensor(name).unwrap().shape().to_vec();
    assert_eq!(shape("stem.weight"), [16, 5, 3, 3]);
    assert_eq!(shape("tower.0.conv2.weight"), [16, 16, 3, 3]);
    assert_eq!(shape("policy.dense.weight"), [16, 64]);
    assert_eq!(shape("value.outcome.bias"), [3]);
}

#[test]
fn the_description_is_readable() {
    let text = model().description();
    for line in [
        "format = 1",
        "kind = \"model\"",
        "size = 4",
        "channels = 16",
        "games = 64",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
}

#[test]
fn a_training_state_comes_back_bit_for_bit() {
    let moments = Moments {
        steps: 9,
        first: busy_weights(&small(), 3),
        second: busy_weights(&small(), 4),
    };
    let state = TrainingState {
        weights: busy_weights(&small(), 2),
        moments,
    };
    let bytes = state.to_bytes();
    assert_eq!(TrainingState::from_bytes(&bytes, &small()).unwrap(), state);

    let wide = Architecture {
        channels: 32,
        ..small()
    };
    assert_eq!(
        TrainingState::from_bytes(&bytes, &wide)
            .unwrap_err()
            .to_string(),
        "the network has channels 16, but channels 32 was expected"
    );
    assert_eq!(error(&bytes), "holds \"training\"; expected a \"model\"");
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let bytes = model().to_bytes();
    for end in (0..bytes.len()).step_by(41).chain([bytes.len() - 1]) {
        assert!(
            error(&bytes[..end]).starts_with("not a whole safetensors file: "),
            "{end}"
        );
    }
}

#[test]
fn a_foreign_file_is_refused() {
    assert!(error(b"PK\x03\x04 whatever else is in this archive").starts_with("not a whole"));
    let foreign =
        safetensors::serialize::<&str, safetensors::tensor::TensorView, _>([], None).unwrap();
    assert_eq!(
        error(&foreign),
        "a safetensors file of another program; expected one written by Outflank"
    );
}

#[test]
fn a_newer_format_is_refused_by_its_number() {
    let newer = patched(&model().to_bytes(), "format = 1", "format = 7");
    assert_eq!(
        error(&newer),
        "format 7 is newer than 1, the newest that this version reads"
    );
}

#[test]
fn a_wrong_architecture_in_the_header_names_both_shapes() {
    let bytes = model().to_bytes();
    // The same length of text, another architecture: the tensors tell.
    let wider = patched(&bytes, "channels = 16", "channels = 32");
    assert_eq!(
        error(&wider),
        "the tensor stem.weight has the shape [16, 5, 3, 3]; the architecture has [32, 5, 3, 3]"
    );
    let huge = patched(
        &bytes,
        "blocks = 1\\nchannels = 16",
        "blocks = 999999999999    ",
    );
    assert_eq!(error(&huge), "blocks is 999999999999; expected 1 to 64");
    let deeper = patched(&bytes, "blocks = 1", "blocks = 2");
    assert_eq!(
        error(&deeper),
        "there are 20 tensors; the architecture has 24"
    );
    let unknown = patched(&bytes, "blocks = 1", "blacks = 1");
    assert!(error(&unknown).contains("blacks"));
}

#[test]
fn a_weight_that_is_no_number_is_refused() {
    let mut bytes = model().to_bytes();
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(
        error(&bytes).ends_with("holds a value that is not finite"),
        "{}",
        error(&bytes)
    );
}

#[test]
fn a_file_that_is_missing_is_named() {
    let error = Model::load("no/such/model.safetensors".as_ref())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("no/such/model.safetensors: cannot be read: "),
        "{error}"
    );
}

#[test]
fn other_features_make_another_network() {
    let features = vec![Feature::Own, Feature::Opponent];
    let bare = Architecture {
        features,
        ..small()
    };
    let model = Model {
        facts: TrainingFacts::default(),
        weights: Weights::init(bare.clone(), &mut rng(1)),
    };
    let read = Model::from_bytes(&model.to_bytes()).unwrap();
    assert_eq!(
        read.weights
            .architecture()
            .expect(&small())
            .unwrap_err()
            .to_string(),
        "the network has features [own, opponent], but \
         features [own, opponent, own_moves, opponent_moves, ones] was expected"
    );
}
