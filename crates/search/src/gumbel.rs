//! Choosing moves as in Danihelka et al., "Policy improvement by planning with Gumbel" (ICLR
//! 2022), with the paper's names. `logits` there is the logarithm of the prior here.

use rand::{Rng, RngExt};

use crate::GumbelConfig;
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
    let mut policy = [0.0; MAX_MOVES];
    improved_policy(config, node.value, edges, &mut policy[..edges.len()]);
    let visits: u32 = edges.iter().map(Edge::visits_begun).sum();
    let share = 1.0 / (1 + visits) as f32;
    let open = |i: &usize| edges[*i].upper > node.lower;
    best((0..edges.len()).filter(open), |i| {
        policy[i] - edges[i].visits_begun() as f32 * share
    })
}

/// Equation 11: the softmax of logits + sigma(completed Q). Also the policy's training target.
pub(crate) fn improved_policy(
    config: &GumbelConfig,
    value: f32,
    edges: &[Edge],
    policy: &mut [f32],
) {
    sigma_completed_q(config, value, edges, policy);
    let highest = policy.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (p, edge) in policy.iter_mut().zip(edges) {
        *p = edge.prior * (*p - highest).exp();
        sum += *p;
    }
    for p in policy {
        *p /= sum;
    }
}

/// Equation 8, `sigma(q) = (c_visit + max N) * c_scale * q`, of the completed Q: unvisited moves
/// count as the mixed value of appendix D, equation 33, that joins the node's own value and the
/// visited moves' Q, weighted by the policy.
fn sigma_completed_q(config: &GumbelConfig, value: f32, edges: &[Edge], out: &mut [f32]) {
    let (mut visits, mut most_visits, mut prior, mut prior_q) = (0, 0, 0.0, 0.0);
    for (out, edge) in out.iter_mut().zip(edges) {
        if let Some(q) = edge.q() {
            *out = q;
            visits += edge.visits;
            most_visits = most_visits.max(edge.visits);
            prior += edge.prior;
            prior_q += edge.prior * q;
        }
    }
    let mut mixed = value;
    if visits > 0 {
        mixed = (value + visits as f32 * (prior_q / prior)) / (1 + visits) as f32;
    }
    let (mut least, mut most) = (mixed, mixed);
    for (out, edge) in out.iter_mut().zip(edges) {
        if edge.visits == 0 {
            *out = mixed;
        }
        least = least.min(*out);
        most = most.max(*out);
    }
    let mut scale = (config.c_visit + most_visits as f32) * config.c_scale;
    if config.min_max {
        scale /= (most - least).max(1e-8);
    } else {
        least = 0.0;
    }
    for out in out {
        *out = (*out - least) * scale;
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
