//! What a search keeps about the moves of its root alone.

use rand::Rng;

use crate::graph::Mean;
use crate::sequential_halving::SequentialHalving;
use crate::tree::ROOT;
use crate::{Method, Tree, gumbel, puct};

#[derive(Default)]
pub(crate) struct Root {
    /// In the order of the root's edges; empty until the search of this root begins.
    pub edges: Vec<RootEdge>,
    /// Simulations planned.
    pub simulations: u32,
    /// Which of them comes next, for the method `gumbel`.
    pub plan: SequentialHalving,
}

/// A root move in this search: unlike [`crate::tree::Edge`] it knows nothing of the searches that
/// the tree was kept from.
#[derive(Clone, Copy, Default)]
pub(crate) struct RootEdge {
    /// The policy with this search's noise: for `gumbel`, the Gumbel variable plus the logarithm
    /// of the prior; for `puct`, the prior mixed with Dirichlet noise.
    pub noisy: f32,
    pub begun: u32,
    pub finished: u32,
    /// Sums over the finished visits, seen by the root's mover.
    pub square_sum: f32,
    pub outcome_sum: f32,
    pub margin_sum: f32,
}

impl RootEdge {
    /// Adds a result: its utility, outcome and disc difference.
    pub fn arrive(&mut self, utility: f32, outcome: f32, margin: f32) {
        self.finished += 1;
        self.square_sum += utility * utility;
        self.outcome_sum += outcome;
        self.margin_sum += margin;
    }

    /// Adds a visit, and takes over the mean of all that led to the position after the move, as its
    /// mover sees it.
    pub fn arrive_at(&mut self, mean: &Mean) {
        self.finished += 1;
        let visits = self.finished as f32;
        self.square_sum = visits * mean.square;
        self.outcome_sum = -visits * mean.outcome;
        self.margin_sum = -visits * mean.margin;
    }
}

impl Tree {
    /// Draws the noise and plans the visits.
    pub(crate) fn prepare_root(&mut self, rng: &mut (impl Rng + ?Sized)) {
        let Tree { root, config, .. } = self;
        let edges = &self.edges[self.nodes[ROOT].edges()];
        root.edges.resize(edges.len(), RootEdge::default());
        root.simulations = config.simulations;
        match config.method {
            Method::Gumbel => {
                gumbel::add_noise(&config.gumbel, edges, &mut root.edges, rng);
                let candidates = edges.len().min(config.gumbel.max_considered as usize);
                root.plan = SequentialHalving::new(candidates, config.simulations);
            }
            Method::Puct => puct::add_noise(&config.puct, edges, &mut root.edges, rng),
        }
    }

    /// The edge that the next simulation follows from the root.
    pub(crate) fn choose_at_root(&self) -> usize {
        let node = &self.nodes[ROOT];
        let edges = &self.edges[node.edges()];
        let choice = match self.config.method {
            Method::Gumbel => {
                let visits = self.root.plan.considered_visits();
                gumbel::choose_at_root(&self.config.gumbel, node, edges, &self.root.edges, visits)
            }
            Method::Puct => puct::choose_at_root(&self.config.puct, node, edges, &self.root.edges),
        };
        node.first_edge as usize + choice
    }
}
