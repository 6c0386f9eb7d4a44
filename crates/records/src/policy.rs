use outflank_rules::{Square, SquareSet};
use serde::{Deserialize, Serialize};

/// A distribution over squares in few bytes: only squares with weight are kept, and weights have
/// 16 bits, the largest being `u16::MAX`. A probability read back is within 2e-5 of the original.
///
/// There is no entry for a pass: a pass is never a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u8, u16)>")]
pub struct PolicyTarget(Vec<(u8, u16)>);

/// Entries that are no policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A square's index must be below 64.
    #[error("a policy names square {0}; expected 0 to 63")]
    NoSquare(u8),
    /// Squares must ascend, so that none appears twice.
    #[error("a policy names square {0} out of order")]
    Order(u8),
    /// A square without weight is left out.
    #[error("a policy has no weight on square {0} that it names")]
    NoWeight(u8),
}

impl PolicyTarget {
    /// From weights by [`Square::index`], in any scale. Weights that are not positive and finite
    /// count as none, and so do those below 1/131070 of the largest; without any the policy is
    /// empty.
    pub fn from_weights(weights: &[f32; 64]) -> PolicyTarget {
        let valid = |weight: f32| {
            if weight.is_finite() {
                weight.max(0.0)
            } else {
                0.0
            }
        };
        let largest = weights
            .iter()
            .fold(0.0, |most, &weight| valid(weight).max(most));
        if largest == 0.0 {
            return PolicyTarget::default();
        }
        let quantised = |weight| (valid(weight) / largest * f32::from(u16::MAX)).round() as u16;
        PolicyTarget(
            (0..64)
                .zip(weights.iter().map(|&weight| quantised(weight)))
                .filter(|&(_, weight)| weight > 0)
                .collect(),
        )
    }

    /// Equal weight on each of these squares.
    pub fn uniform(squares: SquareSet) -> PolicyTarget {
        PolicyTarget(
            squares
                .map(|square| (square.index() as u8, u16::MAX))
                .collect(),
        )
    }

    /// The squares with weight.
    pub fn support(&self) -> SquareSet {
        SquareSet::from_bits(
            self.0
                .iter()
                .fold(0, |bits, &(square, _)| bits | 1 << square),
        )
    }

    /// Whether no square has weight.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The probability of each square that has any, in ascending order.
    pub fn probabilities(&self) -> impl Iterator<Item = (Square, f32)> {
        let total: f32 = self.0.iter().map(|&(_, weight)| f32::from(weight)).sum();
        self.0.iter().map(move |&(square, weight)| {
            let square = Square::from_index(square.into()).expect("squares are below 64");
            (square, f32::from(weight) / total)
        })
    }

    /// Probabilities by [`Square::index`] that sum to 1; `None` if the policy is empty.
    pub fn to_dense(&self) -> Option<[f32; 64]> {
        dense(self.0.iter().copied())
    }

    /// Square indices and weights, ascending.
    pub(crate) fn entries(&self) -> &[(u8, u16)] {
        &self.0
    }
}

impl TryFrom<Vec<(u8, u16)>> for PolicyTarget {
    type Error = PolicyError;

    fn try_from(entries: Vec<(u8, u16)>) -> Result<PolicyTarget, PolicyError> {
        let mut next = 0;
        for &(square, weight) in &entries {
            match (square, weight) {
                (64.., _) => return Err(PolicyError::NoSquare(square)),
                (_, 0) => return Err(PolicyError::NoWeight(square)),
                _ if square < next => return Err(PolicyError::Order(square)),
                _ => next = square + 1,
            }
        }
        Ok(PolicyTarget(entries))
    }
}

/// Probabilities by square index from entries below 64; `None` without entries.
pub(crate) fn dense(entries: impl Iterator<Item = (u8, u16)> + Clone) -> Option<[f32; 64]> {
    let total: u32 = entries.clone().map(|(_, weight)| u32::from(weight)).sum();
    if total == 0 {
        return None;
    }
    let mut policy = [0.0; 64];
    for (square, weight) in entries {
        policy[usize::from(square)] = f32::from(weight) / total as f32;
    }
    Some(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantised_weights_keep_their_proportions() {
        let mut weights = [0.0f32; 64];
        for (i, weight) in weights.iter_mut().enumerate().take(20) {
            *weight = (i as f32 + 1.0).powi(-3);
        }
        let total: f32 = weights.iter().sum();
        let policy = PolicyTarget::from_weights(&weights);
        let dense = policy.to_dense().expect("there is weight");
        for (read, weight) in dense.iter().zip(weights) {
            assert!((read - weight / total).abs() < 2e-5, "{read} {weight}");
        }
        assert!((dense.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(policy.support().bits(), 0xf_ffff);
        for (square, probability) in policy.probabilities() {
            assert!((probability - dense[square.index()]).abs() < 1e-6);
        }
    }

    #[test]
    fn nonsense_weights_count_as_none() {
        let mut weights = [f32::NAN; 64];
        weights[1] = -1.0;
        weights[2] = f32::INFINITY;
        weights[3] = 0.0;
        assert!(PolicyTarget::from_weights(&weights).is_empty());
        assert_eq!(PolicyTarget::from_weights(&weights).to_dense(), None);
        weights[63] = f32::MIN_POSITIVE;
        assert_eq!(
            PolicyTarget::from_weights(&weights).support().bits(),
            1 << 63
        );
    }

    #[test]
    fn uniform_is_equal() {
        let squares = SquareSet::from_bits(0x8000_0000_0000_0101);
        let dense = PolicyTarget::uniform(squares)
            .to_dense()
            .expect("three squares");
        assert!(
            squares
                .into_iter()
                .all(|square| dense[square.index()] == 1.0 / 3.0)
        );
        assert!(PolicyTarget::uniform(SquareSet::EMPTY).is_empty());
    }

    #[test]
    fn entries_out_of_order_are_refused() {
        assert_eq!(
            PolicyTarget::try_from(vec![(64, 1)]),
            Err(PolicyError::NoSquare(64))
        );
        assert_eq!(
            PolicyTarget::try_from(vec![(5, 0)]),
            Err(PolicyError::NoWeight(5))
        );
        assert_eq!(
            PolicyTarget::try_from(vec![(5, 1), (5, 1)]),
            Err(PolicyError::Order(5))
        );
        assert_eq!(
            PolicyTarget::try_from(vec![(6, 1), (5, 1)]),
            Err(PolicyError::Order(5))
        );
        assert!(PolicyTarget::try_from(vec![(5, 1), (63, 1)]).is_ok());
    }
}
