//! A larger network that computes what a smaller one does.
//!
//! The idea is Net2Net's (Chen et al. 2016): training goes on in the larger network from where the
//! smaller one had come to, instead of from nothing. Here it is nearly free, as the tower has no
//! normalisation: a block whose second convolution is zero hands its input on, and a channel whose
//! outgoing weights are zero changes nothing.

use rand::Rng;

use crate::architecture::{Architecture, ArchitectureError, Role, TensorSpec};
use crate::checkpoint::Moments;
use crate::weights::Weights;

impl Weights {
    /// The same function in a deeper or wider tower. New weights are fresh where what they feed is
    /// new, and zero where they would reach what was there before.
    ///
    /// # Errors
    /// If anything but `blocks` and `channels` differs, or either of them would shrink.
    pub fn grown(
        &self,
        larger: &Architecture,
        rng: &mut impl Rng,
    ) -> Result<Weights, ArchitectureError> {
        let architecture = self.architecture();
        let same_but_larger = Architecture {
            blocks: larger.blocks.max(architecture.blocks),
            channels: larger.channels.max(architecture.channels),
            ..architecture.clone()
        };
        larger.expect(&same_but_larger)?;
        let fresh = Weights::init(larger.clone(), rng);
        Ok(
            self.placed_in(&fresh, |spec, output, outputs| match spec.role {
                Role::Hidden => output >= outputs,
                // A wholly new block starts as the identity.
                Role::Residual => output >= outputs && outputs > 0,
                Role::Output | Role::Bias => false,
            }),
        )
    }

    /// These weights in the corner of each tensor of a larger network. A value that is new is that
    /// of `fresh` where `keep` says so of its tensor, its output, and the outputs that this network
    /// has there; elsewhere it is zero.
    fn placed_in(
        &self,
        fresh: &Weights,
        keep: impl Fn(&TensorSpec, usize, usize) -> bool,
    ) -> Weights {
        let specs = self.architecture().tensors();
        let mut fresh_tensors = fresh.tensors().iter();
        Weights::from_fn(fresh.architecture().clone(), |spec| {
            let fresh = fresh_tensors.next().expect("one for every tensor");
            let here = specs.iter().position(|old| old.name == spec.name);
            let extent = |spec: &TensorSpec| [spec.shape[0], *spec.shape.get(1).unwrap_or(&1)];
            let [_, inputs] = extent(spec);
            let taps: usize = spec.shape.iter().skip(2).product();
            let old_extent = here.map_or([0, 0], |index| extent(&specs[index]));
            fresh
                .iter()
                .enumerate()
                .map(|(i, &value)| {
                    let (output, input, tap) = (i / taps / inputs, i / taps % inputs, i % taps);
                    match here {
                        Some(index) if output < old_extent[0] && input < old_extent[1] => {
                            self.tensors()[index][(output * old_extent[1] + input) * taps + tap]
                        }
                        _ if keep(spec, output, old_extent[0]) => value,
                        _ => 0.0,
                    }
                })
                .collect()
        })
    }
}

impl Moments {
    /// The memory for a larger network: nothing is known yet of the weights that are new.
    pub fn grown(&self, larger: &Architecture) -> Moments {
        let zeros = Weights::zeros(larger.clone());
        let grow = |weights: &Weights| weights.placed_in(&zeros, |_, _, _| false);
        Moments {
            steps: self.steps,
            first: grow(&self.first),
            second: grow(&self.second),
        }
    }
}

#[cfg(test)]
mod tests {
    use outflank_rules::{Board, Size};
    use outflank_search::Evaluator;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::CompiledNetwork;

    fn architecture(blocks: usize, channels: usize) -> Architecture {
        Architecture {
            size: Size::Six,
            blocks,
            channels,
            ..Architecture::default()
        }
    }

    fn positions() -> Vec<Board> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut board = Board::start(Size::Six);
        let mut boards = vec![board];
        while boards.len() < 12 {
            let moves: Vec<_> = board.legal_moves().collect();
            board = board
                .play(moves[rng.random_range(0..moves.len())])
                .expect("the move is legal");
            if board.must_pass() || board.is_over() {
                break;
            }
            boards.push(board);
        }
        boards
    }

    #[test]
    fn a_grown_network_says_the_same() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let small = Weights::init(architecture(2, 16), &mut rng);
        let boards = positions();
        let evaluate = |weights: &Weights| {
            let mut evaluations = Vec::new();
            CompiledNetwork::new(weights).evaluate(&boards, &mut evaluations);
            evaluations
        };
        let expected = evaluate(&small);
        for (blocks, channels) in [(2, 16), (3, 16), (2, 48), (5, 32)] {
            let large = small
                .grown(&architecture(blocks, channels), &mut rng)
                .unwrap();
            for (found, expected) in evaluate(&large).iter().zip(&expected) {
                for (a, b) in found.policy.iter().zip(&expected.policy) {
                    assert!((a - b).abs() < 1e-4, "{blocks} x {channels}: {a} {b}");
                }
                assert!((found.value - expected.value).abs() < 1e-5);
            }
            // The new part can learn: a block's first convolution is alive.
            let last = format!("tower.{}.conv1.weight", blocks - 1);
            assert!(
                large
                    .get(&last)
                    .unwrap()
                    .iter()
                    .any(|&weight| weight != 0.0)
            );
        }
    }

    #[test]
    fn nothing_shrinks_and_nothing_else_changes() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let weights = Weights::init(architecture(2, 32), &mut rng);
        let error = weights
            .grown(&architecture(2, 16), &mut rng)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "the network has channels 16, but channels 32 was expected"
        );
        let mut other = architecture(3, 32);
        other.value_hidden = 128;
        assert!(weights.grown(&other, &mut rng).is_err());
    }

    #[test]
    fn moments_keep_their_places() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let small = architecture(1, 16);
        let moments = Moments {
            steps: 5,
            first: Weights::init(small.clone(), &mut rng),
            second: Weights::init(small, &mut rng),
        };
        let grown = moments.grown(&architecture(2, 32));
        assert_eq!(grown.steps, 5);
        let (old, new) = (
            moments.first.get("tower.0.conv1.weight").unwrap(),
            grown.first.get("tower.0.conv1.weight").unwrap(),
        );
        // Output 3, input 7, the middle tap.
        assert_eq!(old[(3 * 16 + 7) * 9 + 4], new[(3 * 32 + 7) * 9 + 4]);
        assert_eq!(new[(3 * 32 + 17) * 9 + 4], 0.0);
        assert!(
            grown
                .second
                .get("tower.1.conv2.weight")
                .unwrap()
                .iter()
                .all(|&moment| moment == 0.0)
        );
    }
}
