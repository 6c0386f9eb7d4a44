use std::fmt;

use outflank_rules::Size;
use serde::{Deserialize, Serialize};

use crate::Feature;

/// What a network is built from: everything that decides the shapes of its tensors and the meaning
/// of its inputs. It is part of a run's configuration and is stored in every checkpoint.
///
/// The network is a residual tower of 3x3 convolutions without normalisation (see
/// [`Weights::init`](crate::Weights::init)), with heads for the policy, the outcome with the disc
/// margin, and the final owner of every square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Architecture {
    /// Side of the board: 4, 6 or 8. Default 8.
    pub size: Size,
    /// The input planes, in order. Default `own`, `opponent`, `own_moves`, `opponent_moves`, `ones`.
    pub features: Vec<Feature>,
    /// Residual blocks of two convolutions each, 1 to 64. Default 4.
    pub blocks: usize,
    /// Channels of the tower, a multiple of 16 up to 512. Default 32.
    pub channels: usize,
    /// Channels between the tower and the dense layer of the policy, 1 to 64. Default 4.
    pub policy_channels: usize,
    /// Channels between the tower and the dense layers of the value, 1 to 64. Default 4.
    pub value_channels: usize,
    /// Width of the hidden dense layer that the outcome and the margin share, a multiple of 16 up
    /// to 1024. Default 64.
    pub value_hidden: usize,
    /// Whether a head predicts the opponent's reply; a help in training, never evaluated at play
    /// (Wu 2019, section 3.3). Default false.
    pub reply_head: bool,
    /// Whether a head predicts a softened policy, in which good moves beside the best weigh more; a
    /// help in training as well (KataGo's auxiliary soft policy). Default false.
    pub soft_policy_head: bool,
}

/// Settings that make no network, or two architectures that should be one and differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchitectureError {
    /// A setting is out of its range.
    #[error("{key} is {found}; expected {expected}")]
    Setting {
        /// The field's name, as in a configuration.
        key: &'static str,
        /// The value it has.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A network differs from what its user needs.
    #[error("the network has {found}, but {expected} was expected")]
    Mismatch {
        /// The differing settings, as the network has them.
        found: String,
        /// The same settings, as they were expected.
        expected: String,
    },
}

impl Default for Architecture {
    fn default() -> Architecture {
        Architecture {
            size: Size::Eight,
            features: Feature::DEFAULT.to_vec(),
            blocks: 4,
            channels: 32,
            policy_channels: 4,
            value_channels: 4,
            value_hidden: 64,
            reply_head: false,
            soft_policy_head: false,
        }
    }
}

/// Name and shape of one tensor of a network, in the layout that PyTorch uses: a convolution's
/// weight is `[outputs, inputs, 3, 3]`, a dense layer's `[outputs, inputs]`, a bias `[outputs]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// Such as `tower.0.conv1.weight`.
    pub name: String,
    /// Length of every dimension, outermost first; one to four of them.
    pub shape: Vec<usize>,
    /// What the tensor is for, which decides how it is initialised.
    pub role: Role,
}

/// The place of a tensor in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Weights followed by a ReLU.
    Hidden,
    /// Weights of the second convolution of a block, whose output is added to the block's input.
    Residual,
    /// Weights of a head's last layer.
    Output,
    /// Any bias.
    Bias,
}

impl TensorSpec {
    /// The number of values in the tensor.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the tensor has no values, which is never so in a valid architecture.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Architecture {
    /// Checks every setting; the other functions of this crate expect an architecture that passed.
    pub fn validate(&self) -> Result<(), ArchitectureError> {
        let range = |key, found: usize, low: usize, high: usize| {
            if (low..=high).contains(&found) {
                return Ok(());
            }
            Err(setting(key, found, format!("{low} to {high}")))
        };
        let width = |key, found: usize, high: usize| {
            if found > 0 && found <= high && found.is_multiple_of(16) {
                return Ok(());
            }
            Err(setting(
                key,
                found,
                format!("a multiple of 16 up to {high}"),
            ))
        };
        range("blocks", self.blocks, 1, 64)?;
        width("channels", self.channels, 512)?;
        range("policy_channels", self.policy_channels, 1, 64)?;
        range("value_channels", self.value_channels, 1, 64)?;
        width("value_hidden", self.value_hidden, 1024)?;
        for needed in [Feature::Own, Feature::Opponent] {
            if !self.features.contains(&needed) {
                let expected = format!("a list with '{needed}' in it");
                return Err(setting("features", self.feature_names(), expected));
            }
        }
        for (i, feature) in self.features.iter().enumerate() {
            if self.features[..i].contains(feature) {
                let expected = format!("'{feature}' only once");
                return Err(setting("features", self.feature_names(), expected));
            }
        }
        Ok(())
    }

    /// Checks that a network of this architecture can stand in for one of `expected`, and names
    /// every setting that differs.
    pub fn expect(&self, expected: &Architecture) -> Result<(), ArchitectureError> {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for ((key, found), (_, wanted)) in self.settings().into_iter().zip(expected.settings()) {
            if found != wanted {
                here.push(format!("{key} {found}"));
                there.push(format!("{key} {wanted}"));
            }
        }
        if here.is_empty() {
            return Ok(());
        }
        Err(ArchitectureError::Mismatch {
            found: here.join(", "),
            expected: there.join(", "),
        })
    }

    /// Every tensor of the network, in the order in which checkpoints and modules list them.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let mut specs = Vec::new();
        let mut layer = |name: &str, shape: &[usize], role| {
            let weight = TensorSpec {
                name: format!("{name}.weight"),
                shape: shape.to_vec(),
                role,
            };
            let bias = TensorSpec {
                name: format!("{name}.bias"),
                shape: vec![shape[0]],
                role: Role::Bias,
            };
            specs.extend([weight, bias]);
        };
        let (area, channels) = (self.size.area(), self.channels);
        layer("stem", &[channels, self.features.len(), 3, 3], Role::Hidden);
        for block in 0..self.blocks {
            let shape = [channels, channels, 3, 3];
            layer(&format!("tower.{block}.conv1"), &shape, Role::Hidden);
            layer(&format!("tower.{block}.conv2"), &shape, Role::Residual);
        }
        layer(
            "policy.conv",
            &[self.policy_channels, channels, 1, 1],
            Role::Hidden,
        );
        let policy = [area, self.policy_channels * area];
        layer("policy.dense", &policy, Role::Output);
        if self.reply_head {
            layer("policy.reply", &policy, Role::Output);
        }
        if self.soft_policy_head {
            layer("policy.soft", &policy, Role::Output);
        }
        layer(
            "value.conv",
            &[self.value_channels, channels, 1, 1],
            Role::Hidden,
        );
        layer(
            "value.dense",
            &[self.value_hidden, self.value_channels * area],
            Role::Hidden,
        );
        layer("value.outcome", &[3, self.value_hidden], Role::Output);
        layer("value.margin", &[1, self.value_hidden], Role::Output);
        layer("ownership", &[1, channels, 1, 1], Role::Output);
        specs
    }

    /// The number of values in all tensors together.
    pub fn parameters(&self) -> usize {
        self.tensors().iter().map(TensorSpec::len).sum()
    }

    fn feature_names(&self) -> String {
        let names: Vec<String> = self.features.iter().map(Feature::to_string).collect();
        format!("[{}]", names.join(", "))
    }

    fn settings(&self) -> [(&'static str, String); 9] {
        [
            ("size", self.size.to_string()),
            ("features", self.feature_names()),
            ("blocks", self.blocks.to_string()),
            ("channels", self.channels.to_string()),
            ("policy_channels", self.policy_channels.to_string()),
            ("value_channels", self.value_channels.to_string()),
            ("value_hidden", self.value_hidden.to_string()),
            ("reply_head", self.reply_head.to_string()),
            ("soft_policy_head", self.soft_policy_head.to_string()),
        ]
    }
}

impl fmt::Display for Architecture {
    /// Board, depth and width, such as `8x8, 4 blocks of 32 channels`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} blocks of {} channels",
            self.size, self.blocks, self.channels
        )
    }
}

fn setting(key: &'static str, found: impl ToString, expected: String) -> ArchitectureError {
    ArchitectureError::Setting {
        key,
        found: found.to_string(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_has_the_known_number_of_parameters() {
        let architecture = Architecture::default();
        architecture.validate().unwrap();
        // Stem 5*9*32+32, tower 8*(32*9*32+32), policy 4*33 + 256*64+64, value the same with the
        // outcome 3*65 and the margin 65, ownership 33.
        let expected = 1472 + 8 * 9248 + (132 + 16448) + (132 + 16448) + 3 * 65 + 65 + 33;
        assert_eq!(architecture.parameters(), expected);
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let bad = |change: fn(&mut Architecture)| {
            let mut architecture = Architecture::default();
            change(&mut architecture);
            architecture.validate().unwrap_err().to_string()
        };
        assert_eq!(
            bad(|a| a.channels = 40),
            "channels is 40; expected a multiple of 16 up to 512"
        );
        assert_eq!(bad(|a| a.blocks = 0), "blocks is 0; expected 1 to 64");
        assert_eq!(
            bad(|a| a.features = vec![Feature::Own]),
            "features is [own]; expected a list with 'opponent' in it"
        );
        assert_eq!(
            bad(|a| a.features.push(Feature::Own)),
            "features is [own, opponent, own_moves, opponent_moves, ones, own]; expected 'own' only once"
        );
    }

    #[test]
    fn a_difference_names_both_sides() {
        let small = Architecture {
            size: Size::Six,
            channels: 16,
            ..Architecture::default()
        };
        let error = small
            .expect(&Architecture::default())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "the network has size 6x6, channels 16, but size 8x8, channels 32 was expected"
        );
        small.expect(&small).unwrap();
    }

    #[test]
    fn unknown_keys_are_refused() {
        let error = toml::from_str::<Architecture>("chanels = 32")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("chanels") && error.contains("channels"),
            "{error}"
        );
        let four: Architecture =
            toml::from_str("size = 4\nfeatures = ['own', 'opponent']").unwrap();
        assert_eq!((four.size, four.blocks), (Size::Four, 4));
    }
}
