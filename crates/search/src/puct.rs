//! Choosing moves by upper confidence bounds with the policy as prior (PUCT), as in AlphaZero
//! (Silver et al. 2018), with forced playouts and policy target pruning as in KataGo (Wu,
//! "Accelerating self-play learning in Go", 2019).

use rand::{Rng, RngExt};

use crate::PuctConfig;
use crate::gumbel::best;
use crate::root::RootEdge;
use crate::tree::{Edge, Node};

/// What the scores of a node's moves have in common.
struct Scale {
    /// `c(s) * sqrt(visits of the node)`.
    exploration: f32,
    /// Stands in for Q where there are no visits.
    first_play: f32,
    virtual_loss: f32,
}

impl Scale {
    fn new(config: &PuctConfig, node: &Node, edges: &[Edge]) -> Scale {
        let (mut begun, mut visits, mut value_sum, mut visited_policy) = (0, 0, 0.0, 0.0);
        for edge in edges {
            begun += edge.visits_begun();
            if edge.visits > 0 {
                visits += edge.visits;
                value_sum += edge.visits as f32 * edge.mean;
                visited_policy += edge.prior;
            }
        }
        // The node's own evaluation is its first visit: so the very first choice follows the policy.
        let n = (begun + 1) as f32;
        let mean = (node.value + value_sum) / (visits + 1) as f32;
        let growth = ((n + config.c_base) / config.c_base).ln();
        let mut c = config.c_init + config.c_growth * growth;
        if config.deviation_scale > 0.0 {
            let deviation = deviation(config, node, visits + 1, mean) / config.deviation_prior;
            c *= 1.0 + config.deviation_scale * (deviation - 1.0);
        }
        Scale {
            exploration: c * n.sqrt(),
            first_play: mean - config.fpu_reduction * visited_policy.sqrt(),
            virtual_loss: config.virtual_loss,
        }
    }

    /// Q + U. Visits in flight count as visits that lost.
    fn score(&self, edge: &Edge, prior: f32) -> f32 {
        let begun = edge.visits_begun() as f32;
        let q = match (edge.visits, edge.in_flight) {
            (0, 0) => self.first_play,
            (_, 0) => edge.mean,
            (visits, lost) => (edge.mean * visits as f32 - self.virtual_loss * lost as f32) / begun,
        };
        q + self.exploration * prior / (1.0 + begun)
    }
}

/// The standard deviation of the utility over a node's visits, together with as many that deviate as
/// is expected (KataGo, "Dynamic variance-scaled cPUCT").
fn deviation(config: &PuctConfig, node: &Node, visits: u32, mean: f32) -> f32 {
    if visits == 1 {
        return config.deviation_prior;
    }
    let (n, weight) = (visits as f32, config.deviation_prior_weight);
    let square_mean = mean * mean;
    let seen = (node.value * node.value + node.square_sum).max(n * square_mean);
    let expected = weight * (square_mean + config.deviation_prior * config.deviation_prior);
    let variance = (expected + seen) / (weight + n - 1.0) - square_mean;
    variance.sqrt()
}

/// Mixes Dirichlet noise into the policy of the root: `(1 - f) * prior + f * noise`.
pub(crate) fn add_noise(
    config: &PuctConfig,
    edges: &[Edge],
    root: &mut [RootEdge],
    rng: &mut (impl Rng + ?Sized),
) {
    let fraction = config.dirichlet_fraction;
    for (edge, root) in edges.iter().zip(root.iter_mut()) {
        root.noisy = edge.prior;
    }
    if fraction == 0.0 || edges.len() < 2 {
        return;
    }
    // Independent gamma variables over their sum are Dirichlet distributed.
    let alpha = (config.dirichlet_alpha / edges.len() as f32) as f64;
    let noise: Vec<f64> = edges.iter().map(|_| gamma(alpha, rng)).collect();
    let sum: f64 = noise.iter().sum();
    if sum > 0.0 {
        for (root, noise) in root.iter_mut().zip(noise) {
            root.noisy = (1.0 - fraction) * root.noisy + fraction * (noise / sum) as f32;
        }
    }
}

/// A gamma variable of this shape and scale 1 (Marsaglia and Tsang, "A simple method for
/// generating gamma variables", 2000).
fn gamma(shape: f64, rng: &mut (impl Rng + ?Sized)) -> f64 {
    if shape < 1.0 {
        let uniform: f64 = rng.random();
        return gamma(shape + 1.0, rng) * uniform.powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        let uniform: f64 = rng.random();
        if v > 0.0 && uniform.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

/// A normal variable (Box and Muller 1958).
fn normal(rng: &mut (impl Rng + ?Sized)) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

/// The move of the root to follow next.
pub(crate) fn choose_at_root(
    config: &PuctConfig,
    node: &Node,
    edges: &[Edge],
    root: &[RootEdge],
) -> usize {
    let scale = Scale::new(config, node, edges);
    let forced = forced_playouts(config, edges);
    // A proven move stays in: its visits cost nothing, and the visits are the policy target.
    let candidates = (0..edges.len()).filter(|&i| edges[i].upper >= node.lower);
    best(candidates, |i| {
        let begun = edges[i].visits_begun();
        if begun > 0 && (begun as f32) < forced(root[i].noisy) {
            return f32::MAX;
        }
        scale.score(&edges[i], root[i].noisy)
    })
}

/// The move to follow below the root, among those that may still beat what is proven.
pub(crate) fn choose_below(config: &PuctConfig, node: &Node, edges: &[Edge]) -> usize {
    let scale = Scale::new(config, node, edges);
    let open = (0..edges.len()).filter(|&i| edges[i].upper > node.lower);
    best(open, |i| scale.score(&edges[i], edges[i].prior))
}

/// The visits that a root move of some policy is due once it was visited.
fn forced_playouts(config: &PuctConfig, edges: &[Edge]) -> impl Fn(f32) -> f32 {
    let visits: u32 = edges.iter().map(Edge::visits_begun).sum();
    let factor = config.forced_playouts * visits as f32;
    move |policy| (factor * policy).sqrt()
}

/// The visits of each root move that count for the policy target: without those that were forced
/// and that its score did not earn.
pub(crate) fn target_visits(
    config: &PuctConfig,
    node: &Node,
    edges: &[Edge],
    root: &[RootEdge],
    visits: &mut [f32],
) {
    for (visits, edge) in visits.iter_mut().zip(edges) {
        *visits = edge.visits as f32;
    }
    if config.forced_playouts == 0.0 || root.is_empty() {
        return;
    }
    let scale = Scale::new(config, node, edges);
    let forced = forced_playouts(config, edges);
    let favourite = best(0..edges.len(), |i| edges[i].visits as f32);
    let favourite_score = scale.score(&edges[favourite], root[favourite].noisy);
    for (i, edge) in edges.iter().enumerate() {
        let Some(q) = edge.q().filter(|&q| i != favourite && q < favourite_score) else {
            continue;
        };
        // With this many visits the move would score like the favourite: what goes beyond was
        // forced on it.
        let earned = scale.exploration * root[i].noisy / (favourite_score - q) - 1.0;
        let least = visits[i] - forced(root[i].noisy);
        visits[i] = visits[i].min(earned.max(least).ceil());
        if visits[i] <= 1.0 {
            visits[i] = 0.0;
        }
    }
}

/// The move to play: the most visited, or the one with the best lower confidence bound among
/// those with at least a tenth of the visits of the most visited.
pub(crate) fn final_choice(config: &PuctConfig, edges: &[Edge], root: &[RootEdge]) -> usize {
    let most = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
    if most == 0 {
        return best(0..edges.len(), |i| edges[i].prior);
    }
    if config.lcb_deviations == 0.0 {
        return best(0..edges.len(), |i| edges[i].visits as f32);
    }
    let visited = |i: &usize| edges[*i].visits > 0 && 10 * edges[*i].visits >= most;
    best((0..edges.len()).filter(visited), |i| {
        let q = edges[i].q().expect("only visited moves");
        let deviations = if edges[i].exact().is_some() {
            0.0
        } else {
            config.lcb_deviations
        };
        q - deviations * standard_error(&edges[i], &root[i])
    })
}

/// The standard error of Q as if visits were independent, with one more of deviation 1 for those
/// that are visited too little to tell.
fn standard_error(edge: &Edge, root: &RootEdge) -> f32 {
    let n = root.finished as f32;
    let q = edge.q().unwrap_or(0.0);
    let squares = (root.square_sum - n * q * q).max(0.0) + 1.0;
    squares.sqrt() / (n + 1.0)
}

#[cfg(test)]
mod tests {
    use outflank_rules::{Board, Move, Size, Square};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

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

    #[test]
    fn scores_are_q_plus_u() {
        let mut node = Node::new(Board::start(Size::Eight));
        node.value = 0.2;
        let mut edges = moves(&[(0.5, 3, 0.4), (0.25, 4, -0.1), (0.25, 0, 0.0)]);
        let config = PuctConfig {
            c_init: 2.0,
            c_base: 1e30,
            deviation_scale: 0.0,
            ..PuctConfig::default()
        };
        let scale = Scale::new(&config, &node, &edges);
        // c sqrt(1 + 7) prior / (1 + n); the mean is (0.2 + 1.2 - 0.4) / 8.
        let u = 2.0 * 8f32.sqrt();
        let first_play = 0.125 - 0.25 * 0.75f32.sqrt();
        let expected = [
            0.4 + u * 0.5 / 4.0,
            -0.1 + u * 0.25 / 5.0,
            first_play + u * 0.25,
        ];
        for (edge, expected) in edges.iter().zip(expected) {
            assert!((scale.score(edge, edge.prior) - expected).abs() < 1e-6);
        }
        // A visit in flight counts as a visit and as a loss.
        edges[0].in_flight = 1;
        let scale = Scale::new(&config, &node, &edges);
        let expected = (1.2 - 1.0) / 4.0 + 2.0 * 9f32.sqrt() * 0.5 / 5.0;
        assert!((scale.score(&edges[0], 0.5) - expected).abs() < 1e-6);
    }

    #[test]
    fn exploration_follows_the_deviation_of_the_values() {
        let mut node = Node::new(Board::start(Size::Eight));
        let config = PuctConfig {
            c_init: 2.0,
            c_base: 500.0,
            c_growth: 0.5,
            deviation_scale: 0.75,
            deviation_prior: 0.5,
            deviation_prior_weight: 2.0,
            ..PuctConfig::default()
        };
        // One visit tells nothing.
        let scale = Scale::new(&config, &node, &moves(&[(1.0, 0, 0.0)]));
        let c = |n: f32| 2.0 + 0.5 * ((n + 500.0) / 500.0).ln();
        assert!((scale.exploration - c(1.0)).abs() < 1e-6);
        // Values 0.25, 0.5, -0.25 and -0.5: the variance is (2 * 0.25 + 0.625) / (2 + 4 - 1).
        node.value = 0.25;
        node.square_sum = 0.5625;
        let edges = moves(&[(0.5, 2, 0.125), (0.5, 1, -0.5)]);
        let scale = Scale::new(&config, &node, &edges);
        let factor = 1.0 + 0.75 * (0.225f32.sqrt() / 0.5 - 1.0);
        assert!((scale.exploration - c(4.0) * 2.0 * factor).abs() < 1e-5);
        // Certain values need little exploration.
        node.square_sum = 3.0 * 0.0625;
        let certain = moves(&[(0.5, 2, 0.25), (0.5, 1, 0.25)]);
        assert!(Scale::new(&config, &node, &certain).exploration < scale.exploration);
    }

    #[test]
    fn unearned_forced_visits_are_no_target() {
        let mut node = Node::new(Board::start(Size::Eight));
        node.value = 0.0;
        let edges = moves(&[(0.6, 80, 0.5), (0.2, 12, 0.45), (0.2, 8, -0.9)]);
        let mut root = [RootEdge::default(); 3];
        for (root, edge) in root.iter_mut().zip(&edges) {
            root.noisy = edge.prior;
        }
        let config = PuctConfig {
            forced_playouts: 2.0,
            c_base: 1e30,
            deviation_scale: 0.0,
            ..PuctConfig::default()
        };
        let mut visits = [0.0; 3];
        target_visits(&config, &node, &edges, &root, &mut visits);
        // Due are sqrt(2 * 0.2 * 100) = 6.3 each. The favourite scores 0.5 + 1.5 sqrt(101) 0.6 / 81
        // = 0.612: with Q 0.45 that is reached after 17.7 visits, so all 12 were earned; with Q -0.9
        // after 0.99 visits, so 6.3 of the 8 go, rounded to the search's favour.
        assert_eq!(visits, [80.0, 12.0, 2.0]);
    }

    #[test]
    fn the_lower_bound_prefers_what_is_sure() {
        let edges = moves(&[(0.5, 100, 0.30), (0.5, 20, 0.32), (0.5, 5, 0.9)]);
        let root = [(100, 0.30f32), (20, 0.32), (5, 0.9)].map(|(finished, mean)| RootEdge {
            finished,
            square_sum: finished as f32 * (mean * mean + 0.01),
            ..RootEdge::default()
        });
        let mut config = PuctConfig::default();
        assert_eq!(final_choice(&config, &edges, &root), 0);
        config.lcb_deviations = 1.0;
        assert_eq!(final_choice(&config, &edges, &root), 0, "sure enough");
        config.lcb_deviations = 0.1;
        assert_eq!(
            final_choice(&config, &edges, &root),
            1,
            "better and visited enough"
        );
    }

    #[test]
    fn gamma_variables_have_mean_and_variance_of_their_shape() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for shape in [0.3, 1.0, 4.0] {
            let n = 20_000;
            let draws: Vec<f64> = (0..n).map(|_| gamma(shape, &mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / n as f64;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            // Five standard errors of the mean; the variance's are wider.
            assert!(
                (mean - shape).abs() < 5.0 * (shape / n as f64).sqrt(),
                "{shape}: {mean}"
            );
            assert!((variance / shape - 1.0).abs() < 0.15, "{shape}: {variance}");
        }
    }

    #[test]
    fn noise_mixes_two_distributions() {
        let edges = moves(&[(0.7, 0, 0.0), (0.2, 0, 0.0), (0.1, 0, 0.0)]);
        let mut root = [RootEdge::default(); 3];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        add_noise(&PuctConfig::default(), &edges, &mut root, &mut rng);
        assert!((root.iter().map(|edge| edge.noisy).sum::<f32>() - 1.0).abs() < 1e-5);
        for (root, edge) in root.iter().zip(&edges) {
            let noise = (root.noisy - 0.75 * edge.prior) / 0.25;
            assert!((0.0..=1.0).contains(&noise));
        }
    }
}
