use std::fmt::Write;

use outflank_net::{Architecture, Feature, Model};
use sha2::{Digest, Sha256};

/// The formats of a network for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Made by [`crate::to_onnx`].
    Onnx,
    /// Made by [`Model::to_bytes`].
    Safetensors,
    /// Made by [`crate::to_burnpack`].
    Burnpack,
}

impl Format {
    fn title(self) -> &'static str {
        match self {
            Format::Onnx => "an ONNX model (opset 17)",
            Format::Safetensors => "a safetensors file",
            Format::Burnpack => "a burnpack file",
        }
    }
}

/// The page that belongs to an exported network: what it is, what goes in, what comes out and how
/// it came about. `file` is the name of the file, `content` its bytes, `source` says where the
/// model was taken from.
pub fn card(model: &Model, format: Format, file: &str, content: &[u8], source: &str) -> String {
    let architecture = model.weights.architecture();
    let facts = &model.facts;
    let digest = Sha256::digest(content);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let [features, outputs] = [inputs(model), outputs(model, format)];
    format!(
        "\
# {file}

A network that judges Reversi (Othello) positions, as {title}. Made by Outflank {version}.

| | |
|---|---|
| board | {size} |
| network | residual tower, {blocks} blocks of two 3x3 convolutions, {channels} channels, no normalisation |
| heads | policy: 1x1 to {policy_channels} channels and a dense layer; value: 1x1 to {value_channels} channels and a hidden layer of {hidden}; ownership: 1x1{helpers} |
| parameters | {parameters}, f32 |
| taken from | {source} |
| trained | {generation} generations, {games} games, {steps} steps, {samples} samples |
| SHA-256 | `{digest}` |

Everything is seen by the player to move: a value belongs to the one whose discs are the plane
`own`, whatever the colour. Squares are in the order a1, b1, ... row by row from the top.

## Input

{features}
## Outputs

{outputs}
A player without a move passes; there is no output for that, and such a position was never shown to
the network. The network is meant to guide a search, and is much weaker without one.

## Licence

Outflank itself is under MIT or Apache-2.0. It puts no condition on networks trained with it: whoever
trained this one may say under which terms it is given away.
",
        title = format.title(),
        version = env!("CARGO_PKG_VERSION"),
        size = architecture.size,
        blocks = architecture.blocks,
        channels = architecture.channels,
        policy_channels = architecture.policy_channels,
        value_channels = architecture.value_channels,
        hidden = architecture.value_hidden,
        helpers = helpers(architecture, format),
        parameters = architecture.parameters(),
        generation = facts.generation,
        games = facts.games,
        steps = facts.steps,
        samples = facts.samples,
    )
}

/// The heads that only help in training.
fn helpers(architecture: &Architecture, format: Format) -> String {
    let mut text = String::new();
    for (is_there, what, layer) in [
        (architecture.reply_head, "the opponent's reply", "reply"),
        (architecture.soft_policy_head, "a softened policy", "soft"),
    ] {
        if is_there {
            let place = match format {
                Format::Onnx => "not in this file".to_owned(),
                _ => format!("`policy.{layer}`, a dense layer beside the policy's"),
            };
            // Writing to a string never fails.
            let _ = write!(
                text,
                "; a help in training, without use at play: {what} ({place})"
            );
        }
    }
    text
}

fn inputs(model: &Model) -> String {
    let architecture = model.weights.architecture();
    let side = architecture.size.side();
    let mut text = format!(
        "`planes`, f32, `[batch, {}, {side}, {side}]` (batch, plane, row, column): 1 on the squares of\na set, 0 elsewhere.\n\n| plane | name | squares |\n|---|---|---|\n",
        architecture.features.len()
    );
    for (plane, feature) in architecture.features.iter().enumerate() {
        let meaning = match feature {
            Feature::Own => "discs of the player to move",
            Feature::Opponent => "discs of the opponent",
            Feature::OwnMoves => "where the player to move can play",
            Feature::OpponentMoves => "where the opponent could play, were it the opponent's turn",
            Feature::Ones => "all",
            Feature::Empty => "empty squares",
        };
        // Writing to a string never fails.
        let _ = writeln!(text, "| {plane} | `{feature}` | {meaning} |");
    }
    text
}

fn outputs(model: &Model, format: Format) -> String {
    let size = model.weights.architecture().size;
    let (side, area) = (size.side(), size.area());
    if format != Format::Onnx {
        let reader = match format {
            Format::Safetensors => {
                "The file holds the weights under the names and in the layout of PyTorch; the header's\n\
                 metadata `outflank` describes the network in TOML. `scripts/pytorch_example.py` of\n\
                 Outflank's repository rebuilds it."
            }
            _ => {
                "The file holds the weights of the module `outflank_net::Network`; the metadata `outflank`\n\
                 describes the network in TOML. Load it with burn's `BurnpackStore`."
            }
        };
        return format!(
            "{reader}\n\n\
             | output | shape | |\n|---|---|---|\n\
             | policy | `[batch, {area}]` | logits of the squares; mask the illegal ones before a softmax |\n\
             | outcome | `[batch, 3]` | logits of win, draw and loss |\n\
             | margin | `[batch]` | expected final disc difference in halves of the board, {half} discs; empty squares to the winner |\n\
             | ownership | `[batch, {area}]` | before a tanh: expected final owner of each square, 1 the player to move, -1 the opponent |\n",
            half = area / 2,
        );
    }
    format!(
        "All f32.\n\n\
         | output | shape | |\n|---|---|---|\n\
         | `policy` | `[batch, {area}]` | logits of the squares; mask the illegal ones before a softmax |\n\
         | `outcome` | `[batch, 3]` | probabilities of win, draw and loss |\n\
         | `margin` | `[batch]` | expected final disc difference, in discs; empty squares to the winner |\n\
         | `ownership` | `[batch, {side}, {side}]` | expected final owner of each square: 1 the player to move, -1 the opponent |\n\n\
         The metadata `outflank` describes the network in TOML.\n"
    )
}

#[cfg(test)]
mod tests {
    use outflank_net::{TrainingFacts, Weights};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn a_card_tells_shapes_facts_and_the_checksum() {
        let weights = Weights::init(Architecture::default(), &mut ChaCha8Rng::seed_from_u64(1));
        let facts = TrainingFacts {
            steps: 11,
            samples: 22,
            games: 33,
            generation: 44,
        };
        let model = Model { facts, weights };
        let text = card(&model, Format::Onnx, "net.onnx", b"abc", "runs/quick@44");
        for expected in [
            "# net.onnx",
            "44 generations, 33 games, 11 steps, 22 samples",
            "`[batch, 5, 8, 8]`",
            "| 2 | `own_moves` |",
            "| `policy` | `[batch, 64]` |",
            // The example of FIPS 180-2.
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
        assert!(!text.contains("a help in training"), "{text}");
    }

    #[test]
    fn heads_that_help_in_training_are_named() {
        let architecture = Architecture {
            reply_head: true,
            soft_policy_head: true,
            ..Architecture::default()
        };
        let facts = TrainingFacts::default();
        let weights = Weights::init(architecture, &mut ChaCha8Rng::seed_from_u64(1));
        let model = Model { facts, weights };
        let text = |format| card(&model, format, "net", b"abc", "here");
        for expected in ["`policy.reply`", "`policy.soft`"] {
            assert!(text(Format::Safetensors).contains(expected), "{expected}");
            assert!(!text(Format::Onnx).contains(expected), "{expected}");
        }
        assert!(text(Format::Onnx).contains("a softened policy (not in this file)"));
    }
}
