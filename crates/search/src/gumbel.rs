//! Choosing moves as in Danihelka et al., "Policy improvement by planning with Gumbel" (ICLR
//! 2022), with the paper's names. `logits` there is the logarithm of the prior here.

use rand::{Rng, RngExt};

use crate::GumbelConfig;
use crate::exp::exp_below_highest;
use crate::root::RootEdge;
use crate::tree::{Edge, Node};

/// Room for the moves of any position.
pub(crate) const MAX_MOVES: usize = 64;

/// Gumbel noise plus log prior for each move of the root (section 2: the best of these sums is a
/// sample of the policy, the best m are a sample without replacement).
pub(crate) fn add_noise(
    config: &GumbelConfig,
    edges: &[Edge],
    root: &mut [RootEdge],
    rng: &mut (impl Rng + ?Sized),
) {
    for (edge, root) in edges.iter().zip(root) {
        let mut noise = 0.0;
        if config.noise > 0.0 {
            let uniform: f64 = rng.random::<f64>().max(f64::MIN_POSITIVE);
            noise = -(-uniform.ln()).ln() as f32;
        }
        root.noisy = config.noise * noise + edge.prior.ln();
    }
}

/// Section 3, algorithm 2: the best of the moves that had as many visits in this search as
/// sequential halving is about to give.
pub(crate) fn choose_at_root(
    config: &GumbelConfig,
    node: &Node,
    edges: &[Edge],
    root: &[RootEdge],
    considered_visits: u32,
) -> usize {
    best_with(config, node, edges, root, |root| {
        root.begun == considered_visits
    })
}

/// The move to play: the best of the most visited in this search.
pub(crate) fn final_choice(
    config: &GumbelConfig,
    node: &Node,
    edges: &[Edge],
    root: &[RootEdge],
) -> usize {
    let most = root.iter().map(|root| root.finished).max().unwrap_or(0);
    best_with(config, node, edges, root, |root| root.finished == most)
}

/// The best by Gumbel noise + logits + sigma(completed Q) among some moves.
fn best_with(
    config: &GumbelConfig,
    node: &Node,
    edges: &[Edge],
    root: &[RootEdge],
    considered: impl Fn(&RootEdge) -> bool,
) -> usize {
    let mut sigma = [0.0; MAX_MOVES];
    sigma_completed_q(config, node.value, edges, &mut sigma[..edges.len()]);
    let candidates = (0..edges.len()).filter(|&i| considered(&root[i]));
    best(candidates, |i| root[i].noisy + sigma[i])
}

/// Section 5, equation 14: the move by which the visits fall most short of the improved policy.
/// Moves that cannot beat what is proven already are out.
pub(crate) fn choose_below(config: &GumbelConfig, node: &Node, edges: &[Edge]) -> usize {
    let mut weights = [0.0; MAX_MOVES];
    let weights = &mut weights[..edges.len()];
    let sum = improved_weights(config, node.value, edges, weights);
    let visits: u32 = edges.iter().map(Edge::visits_begun).sum();
    // Both terms times the sum of the weights: no division for each move.
    let share = sum / (1 + visits) as f32;
    let (mut choice, mut most) = (0, f32::NEG_INFINITY);
    for (i, (edge, weight)) in edges.iter().zip(weights).enumerate() {
        let short = *weight - edge.visits_begun() as f32 * share;
        if short > most && edge.upper > node.lower {
            (choice, most) = (i, short);
        }
    }
    choice
}

/// Equation 11: the softmax of logits + sigma(completed Q). Also the policy's training target.
pub(crate) fn improved_policy(
    config: &GumbelConfig,
    value: f32,
    edges: &[Edge],
    policy: &mut [f32],
) {
    let sum = improved_weights(config, value, edges, policy);
    for p in policy {
        *p /= sum;
    }
}

/// The improved policy before it is normalised; returns the sum.
fn improved_weights(config: &GumbelConfig, value: f32, edges: &[Edge], weights: &mut [f32]) -> f32 {
    sigma_completed_q(config, value, edges, weights);
    exp_below_highest(weights);
    let mut sum = 0.0;
    for (weight, edge) in weights.iter_mut().zip(edges) {
        *weight *= edge.prior;
        sum += *weight;
    }
    sum
}

/// Equation 8, `sigma(q) = (c_visit + max N) * c_scale * q`, of the completed Q: unvisited moves
/// count as the mixed value of appendix D, equation 33, that joins the node's own value and the
/// visited moves' Q, weighted by the policy.
fn sigma_completed_q(config: &GumbelConfig, value: f32, edges: &[Edge], out: &mut [f32]) {
    let (mut visits, mut most_visits, mut prior, mut prior_q) = (0, 0, 0.0, 0.0);
    for edge in edges.iter().filter(|edge| edge.visits > 0) {
        visits += edge.visits;
        most_visits = most_visits.max(edge.visits);
        prior += edge.prior;
        prior_q += edge.prior * edge.mean;
    }
    let mut mixed = value;
    if visits > 0 {
        mixed = (value + visits as f32 * (prior_q / prior)) / (1 + visits) as f32;
    }
    for (out, edge) in out.iter_mut().zip(edges) {
        *out = if edge.visits > 0 { edge.mean } else { mixed };
    }
    let mut scale = (config.c_visit + most_visits as f32) * config.c_scale;
    let mut offset = 0.0;
    if config.min_max {
        let least = out.iter().copied().fold(mixed, f32::min);
        let most = out.iter().copied().fold(mixed, f32::max);
        scale /= (most - least).max(1e-8);
        offset = least;
    }
    for out in out {
        *out = (*out - offset) * scale;
    }
}

/// The first of the best scored.
pub(crate) fn best(candidates: impl Iterator<Item = usize>, score: impl Fn(usize) -> f32) -> usize {
    let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
    for candidate in candidates {
        let score = score(candidate);
        if score > best_score {
            (best, best_score) = (candidate, score);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use outflank_rules::{Move, Square};

    use super::*;

    /// Moves with these (prior, visits, Q).
    fn moves(moves: &[(f32, u32, f32)]) -> Vec<Edge> {
        let edge = |(i, &(prior, visits, mean)): (usize, &(f32, u32, f32))| {
            let square = Square::from_index(i).expect("a square");
            let mut edge = Edge::new(Move::Place(square), prior, 64);
            (edge.visits, edge.mean) = (visits, mean);
            edge
        };
        moves.iter().enumerate().map(edge).collect()
    }

    fn assert_close(found: &[f32], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (*found as f64 - expected).abs() < 2e-5,
                "{found} {expected}"
            );
        }
    }

    #[test]
    fn unvisited_moves_count_as_the_mixed_value() {
        // By hand: the visited moves' Q under the policy is (0.2 * 0.5 + 0.3 * -0.25) / 0.5 =
        // 0.05; with the node's value 0.3 as one visit among 1 + 4: (0.3 + 4 * 0.05) / 5 = 0.1.
        let edges = moves(&[(0.2, 3, 0.5), (0.3, 1, -0.25), (0.5, 0, 0.0)]);
        let mut sigma = [0.0; 3];
        let mut config = GumbelConfig {
            c_visit: 5.0,
            c_scale: 0.5,
            ..GumbelConfig::default()
        };
        sigma_completed_q(&config, 0.3, &edges, &mut sigma);
        assert_close(&sigma, &[4.0 * 0.5, 4.0 * -0.25, 4.0 * 0.1]);
        // Stretched to [0, 1]: from -0.25 to 0.5.
        config.min_max = true;
        sigma_completed_q(&config, 0.3, &edges, &mut sigma);
        assert_close(&sigma, &[4.0, 0.0, 4.0 * 0.35 / 0.75]);
        // Without visits all moves count as the node, and the improved policy is the policy.
        let edges = moves(&[(0.2, 0, 0.0), (0.8, 0, 0.0)]);
        let mut policy = [0.0; 2];
        improved_policy(&config, 0.3, &edges, &mut policy);
        assert_close(&policy, &[0.2, 0.8]);
    }

    #[test]
    fn the_improved_policy_is_the_softmax_of_the_paper() {
        let config = GumbelConfig {
            c_visit: 10.0,
            c_scale: 0.2,
            ..GumbelConfig::default()
        };
        let edges = moves(&[
            (0.1, 7, 0.9),
            (0.6, 2, -0.3),
            (0.25, 0, 0.0),
            (0.05, 1, 0.1),
        ]);
        let value = 0.2;
        let visited = edges.iter().filter(|edge| edge.visits > 0);
        let (mut prior, mut prior_q) = (0.0, 0.0);
        for edge in visited {
            prior += edge.prior as f64;
            prior_q += (edge.prior * edge.mean) as f64;
        }
        let mixed = (value + 10.0 / prior * prior_q) / 11.0;
        let exponentials: Vec<f64> = edges
            .iter()
            .map(|edge| {
                let q = if edge.visits > 0 {
                    edge.mean as f64
                } else {
                    mixed
                };
                ((edge.prior as f64).ln() + (10.0 + 7.0) * 0.2 * q).exp()
            })
            .collect();
        let sum: f64 = exponentials.iter().sum();
        let expected: Vec<f64> = exponentials.iter().map(|e| e / sum).collect();
        let mut policy = [0.0; 4];
        improved_policy(&config, value as f32, &edges, &mut policy);
        assert_close(&policy, &expected);
    }

    #[test]
    fn visits_below_the_root_approach_the_improved_policy() {
        let board = outflank_rules::Board::start(Default::default());
        let config = GumbelConfig {
            c_visit: 1.0,
            c_scale: 1e-6,
            ..GumbelConfig::default()
        };
        let mut edges = moves(&[(0.5, 0, 0.0), (0.3, 0, 0.0), (0.2, 0, 0.0)]);
        for _ in 0..100 {
            let choice = choose_below(&config, &Node::new(board), &edges);
            edges[choice].visits += 1;
        }
        let visits: Vec<u32> = edges.iter().map(|edge| edge.visits).collect();
        assert_eq!(visits, [50, 30, 20]);
    }
}
