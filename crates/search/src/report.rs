//! Reading the result of a search.

use outflank_rules::{Board, Move};

use crate::gumbel::{MAX_MOVES, best, improved_policy};
use crate::root::RootEdge;
use crate::tree::{Edge, Node, ROOT, State};
use crate::{Method, Tree, gumbel, puct};

/// All that a search found, for those who print it or store it. Values are the root mover's.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// The position searched.
    pub board: Board,
    /// The move to play; `None` only if the game is over.
    pub best: Option<Move>,
    /// Expected utility, in [-1, 1]; see [`Tree::value`].
    pub value: f32,
    /// Expected outcome, wins less losses, in [-1, 1].
    pub outcome: f32,
    /// Expected final disc difference.
    pub margin: f32,
    /// The final score with best play, if proven.
    pub exact: Option<i32>,
    /// The moves, most visited first.
    pub moves: Vec<MoveReport>,
    /// The expected line of play.
    pub principal_variation: Vec<Move>,
    /// Simulations done.
    pub simulations: u32,
    /// Positions in the tree.
    pub nodes: usize,
}

/// One move of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// The evaluator's probability.
    pub prior: f32,
    /// The probability in the policy target.
    pub policy: f32,
    /// Visits, with those of earlier searches that the tree was kept from.
    pub visits: u32,
    /// Mean utility of the visits, if any.
    pub q: Option<f32>,
    /// Mean expected final disc difference of this search's visits, if any, or the proven one.
    pub margin: Option<f32>,
    /// The final score after this move, if proven.
    pub exact: Option<i32>,
}

impl Tree {
    fn root(&self) -> (&Node, &[Edge]) {
        let node = &self.nodes[ROOT];
        (node, &self.edges[node.edges()])
    }

    /// The root's final score with best play, if proven: a disc difference, empties to the winner.
    pub fn exact(&self) -> Option<i32> {
        let root = &self.nodes[ROOT];
        (root.lower == root.upper).then_some(root.lower as i32)
    }

    /// The move to play: proven best, or else by the rule of the method. `None` if the game is
    /// over or the root was not evaluated yet.
    pub fn best_move(&self) -> Option<Move> {
        let (node, edges) = self.root();
        let root = &self.root.edges;
        if edges.is_empty() {
            return None;
        }
        let choice = if let Some(score) = self.exact() {
            best(0..edges.len(), |i| is_proven(&edges[i], score) as u8 as f32)
        } else if root.is_empty() {
            best(0..edges.len(), |i| edges[i].prior)
        } else {
            match self.config.method {
                Method::Gumbel => gumbel::final_choice(&self.config.gumbel, node, edges, root),
                Method::Puct => puct::final_choice(&self.config.puct, edges, root),
            }
        };
        // Better than an estimate that is lower: a score that is certain.
        let certain = self.utility.of_score(node.lower as i32);
        if edges[choice].q().is_some_and(|q| q < certain) {
            let surest = best(0..edges.len(), |i| edges[i].lower as f32);
            return Some(edges[surest].mv());
        }
        Some(edges[choice].mv())
    }

    /// The policy that the search recommends, as a training target: probabilities by
    /// [`outflank_rules::Square::index`]. For `gumbel` the improved policy (completed Q), for
    /// `puct` the share of the visits less the forced ones; with a proven root the proven best
    /// moves alike. All zeros where there is no square to choose.
    pub fn policy_target(&self) -> [f32; 64] {
        self.by_square(&self.target())
    }

    /// How far the policy target is from the evaluator's own policy, in nats: the
    /// Kullback-Leibler divergence from the priors. 0 before the root was evaluated.
    pub fn surprise(&self) -> f32 {
        let (_, edges) = self.root();
        let target = self.target();
        let parts = target.iter().zip(edges).filter(|(p, _)| **p > 0.0);
        let divergence: f32 = parts.map(|(p, edge)| p * (p / edge.prior).ln()).sum();
        divergence.max(0.0) // rounding may leave a little less than nothing
    }

    /// The share of each move in the visits, by [`outflank_rules::Square::index`]: to be sampled
    /// from with a temperature. All zeros without visits.
    pub fn visit_policy(&self) -> [f32; 64] {
        let (_, edges) = self.root();
        let mut policy = [0.0; MAX_MOVES];
        for (p, edge) in policy.iter_mut().zip(edges) {
            *p = edge.visits as f32;
        }
        normalise(&mut policy);
        self.by_square(&policy)
    }

    /// The root's expected utility under the policy target, in [-1, 1]: what the position is worth
    /// if play goes on as the search recommends. The evaluator's own value without simulations.
    pub fn value(&self) -> f32 {
        let (_, edges) = self.root();
        self.expectation(|i| edges[i].q())
            .unwrap_or(self.nodes[ROOT].value)
    }

    /// The root's mean utility over all visits, in [-1, 1].
    pub fn mean_value(&self) -> f32 {
        let (node, edges) = self.root();
        let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
        if self.exact().is_some() || visits == 0 {
            return node.value;
        }
        let sum: f32 = edges
            .iter()
            .map(|edge| edge.visits as f32 * edge.mean)
            .sum();
        sum / visits as f32
    }

    /// The root's expected outcome under the policy target, wins less losses, in [-1, 1].
    pub fn outcome(&self) -> f32 {
        self.mean_result(|root| root.outcome_sum, |score| score.signum() as f32)
            .unwrap_or(self.nodes[ROOT].outcome)
    }

    /// The root's expected final disc difference under the policy target.
    pub fn margin(&self) -> f32 {
        self.mean_result(|root| root.margin_sum, |score| score as f32)
            .unwrap_or(self.nodes[ROOT].margin)
    }

    /// The line of play that the search expects, from the best move on.
    pub fn principal_variation(&self) -> Vec<Move> {
        self.best_move()
            .map_or(Vec::new(), |first| self.line(first))
    }

    /// The line of play that the search expects after a move of the root, which comes first.
    pub fn line(&self, first: Move) -> Vec<Move> {
        let mut line = vec![first];
        let (_, edges) = self.root();
        let mut child = edges
            .iter()
            .find(|edge| edge.mv() == first)
            .map(|edge| edge.child);
        while let Some(node) = child.filter(|&child| child != Edge::NO_CHILD) {
            let node = &self.nodes[node as usize];
            let edges = &self.edges[node.edges()];
            let proven = node.state == State::Exact;
            let choice = best(0..edges.len(), |i| match proven {
                true => is_proven(&edges[i], node.lower as i32) as u8 as f32,
                false => edges[i].visits as f32,
            });
            let Some(edge) = edges.get(choice).filter(|edge| edge.visits > 0) else {
                break;
            };
            line.push(edge.mv());
            child = Some(edge.child);
        }
        line
    }

    /// Everything at once.
    pub fn report(&self) -> SearchReport {
        let (_, edges) = self.root();
        let policy = self.target();
        let mut moves: Vec<MoveReport> = edges
            .iter()
            .zip(policy)
            .enumerate()
            .map(|(i, (edge, policy))| MoveReport {
                mv: edge.mv(),
                prior: edge.prior,
                policy,
                visits: edge.visits,
                q: edge.q(),
                margin: self.margin_of(i),
                exact: edge.exact(),
            })
            .collect();
        moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.policy.total_cmp(&a.policy)));
        SearchReport {
            board: *self.board(),
            best: self.best_move(),
            value: self.value(),
            outcome: self.outcome(),
            margin: self.margin(),
            exact: self.exact(),
            moves,
            principal_variation: self.principal_variation(),
            simulations: self.simulations(),
            nodes: self.node_count(),
        }
    }

    /// The policy target in the order of the root's edges.
    fn target(&self) -> [f32; MAX_MOVES] {
        let (node, edges) = self.root();
        let mut policy = [0.0; MAX_MOVES];
        let target = &mut policy[..edges.len()];
        if let Some(score) = self.exact() {
            for (p, edge) in target.iter_mut().zip(edges) {
                *p = is_proven(edge, score) as u8 as f32;
            }
        } else if edges.iter().all(|edge| edge.visits == 0) {
            for (p, edge) in target.iter_mut().zip(edges) {
                *p = edge.prior;
            }
        } else {
            match self.config.method {
                Method::Gumbel => improved_policy(&self.config.gumbel, node.value, edges, target),
                Method::Puct => {
                    puct::target_visits(&self.config.puct, node, edges, &self.root.edges, target);
                }
            }
        }
        normalise(&mut policy);
        policy
    }

    /// The mean of a quantity over the moves that have it, weighted by the policy target.
    fn expectation(&self, quantity: impl Fn(usize) -> Option<f32>) -> Option<f32> {
        let (_, edges) = self.root();
        let policy = self.target();
        let (mut sum, mut weight) = (0.0, 0.0);
        for (i, p) in policy[..edges.len()].iter().enumerate() {
            if let Some(x) = quantity(i) {
                sum += p * x;
                weight += p;
            }
        }
        (weight > 0.0).then(|| sum / weight)
    }

    /// The expectation of a result that the moves' visits in this search brought, or that follows
    /// from a proven score.
    fn mean_result(
        &self,
        sum: impl Fn(&RootEdge) -> f32,
        of_score: impl Fn(i32) -> f32,
    ) -> Option<f32> {
        let (_, edges) = self.root();
        self.expectation(|i| match (edges[i].exact(), self.root.edges.get(i)) {
            (Some(score), _) => Some(of_score(score)),
            (None, Some(root)) if root.finished > 0 => Some(sum(root) / root.finished as f32),
            _ => None,
        })
    }

    /// The mean disc difference of a root move.
    fn margin_of(&self, edge: usize) -> Option<f32> {
        let (_, edges) = self.root();
        let mean = |root: &RootEdge| root.margin_sum / root.finished as f32;
        let root = self.root.edges.get(edge).filter(|root| root.finished > 0);
        let exact = edges[edge].exact().map(|score| score as f32);
        exact.or_else(|| root.map(mean))
    }

    fn by_square(&self, policy: &[f32; MAX_MOVES]) -> [f32; 64] {
        let (_, edges) = self.root();
        let mut squares = [0.0; 64];
        for (edge, p) in edges.iter().zip(policy) {
            if let Some(square) = edge.mv().square() {
                squares[square.index()] = *p;
            }
        }
        squares
    }
}

fn is_proven(edge: &Edge, score: i32) -> bool {
    edge.exact() == Some(score)
}

fn normalise(policy: &mut [f32]) {
    let sum: f32 = policy.iter().sum();
    if sum > 0.0 {
        for p in policy {
            *p /= sum;
        }
    }
}
