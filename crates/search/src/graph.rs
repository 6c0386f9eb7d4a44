//! Positions that several orders of moves lead to, kept once.
//!
//! After Wu, "Monte-Carlo graph search from first principles" (KataGo, 2023), and Czech, Korus and
//! Kersting, "Improving AlphaZero using Monte-Carlo graph search" (2021). What makes it sound: each
//! move counts the visits that its own position gave it, whoever else visits the position after it;
//! and the value of a position is computed anew, from its own evaluation and the present values of
//! the positions after its moves, whenever a walk comes by. A walk ends at a position that was
//! visited more often than the move that leads there: it has an answer for more than it is asked.
//!
//! A pass is a move and every other move fills a square, so that there are no cycles.

use outflank_rules::{Board, Move};
use rustc_hash::FxHashMap;

use crate::Tree;
use crate::tree::{Edge, Node, ROOT, State};

/// What a tree keeps beside its nodes where positions are shared.
#[derive(Default)]
pub(crate) struct Graph {
    index: FxHashMap<Board, u32>,
    /// In the order of the nodes.
    means: Vec<Mean>,
}

/// The mean results of a position's visits, its own evaluation being the first. They are its
/// mover's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Mean {
    pub utility: f32,
    /// Of the utility's square.
    pub square: f32,
    pub outcome: f32,
    pub margin: f32,
}

impl Graph {
    pub fn clear(&mut self) {
        self.index.clear();
        self.means.clear();
    }

    /// The node of a position, if there is one.
    pub fn find(&self, board: &Board) -> Option<usize> {
        self.index.get(board).map(|&node| node as usize)
    }

    /// Takes in the newest node.
    pub fn add(&mut self, board: Board, node: usize) {
        self.index.insert(board, node as u32);
        self.means.push(Mean::default());
    }

    /// Goes over to the nodes that were kept of a tree; `origins` says what they were before.
    pub fn keep(&mut self, origins: &[usize], nodes: &[Node]) {
        self.means = origins.iter().map(|&origin| self.means[origin]).collect();
        self.index.clear();
        let boards = nodes.iter().map(|node| node.board);
        self.index.extend(boards.zip(0..));
    }

    /// Bytes in use, without the spare room of the index.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.means[..]) + self.index.len() * size_of::<(Board, u32)>()
    }
}

impl Mean {
    fn of(node: &Node) -> Mean {
        Mean {
            utility: node.value,
            square: node.value * node.value,
            outcome: node.outcome,
            margin: node.margin,
        }
    }

    fn scaled(self, factor: f32) -> Mean {
        Mean {
            utility: factor * self.utility,
            square: factor * self.square,
            outcome: factor * self.outcome,
            margin: factor * self.margin,
        }
    }

    /// Adds visits to the opponent's position after a move.
    fn add_opponent(&mut self, mean: &Mean, visits: f32) {
        self.utility -= visits * mean.utility;
        self.square += visits * mean.square;
        self.outcome -= visits * mean.outcome;
        self.margin -= visits * mean.margin;
    }
}

impl Tree {
    /// Lets the moves of a node know what the positions after them have learned meanwhile.
    pub(crate) fn catch_up(&mut self, node: usize) {
        let Some(graph) = &self.graph else { return };
        if self.nodes[node].state != State::Open {
            return;
        }
        let mut is_tighter = false;
        for edge in &mut self.edges[self.nodes[node].edges()] {
            if edge.child == Edge::NO_CHILD {
                continue;
            }
            let child = &self.nodes[edge.child as usize];
            if edge.visits > 0 {
                edge.mean = -graph.means[edge.child as usize].utility;
            }
            let bounds = (-child.upper, -child.lower);
            is_tighter |= bounds != (edge.lower, edge.upper);
            (edge.lower, edge.upper) = bounds;
        }
        if is_tighter {
            self.tighten(node);
        }
    }

    /// Whether the open position after a move was visited on other ways more often than the move.
    pub(crate) fn has_enough_visits(&self, edge: usize) -> bool {
        let edge = &self.edges[edge];
        self.graph.is_some() && self.visits(edge.child as usize) > edge.visits_begun()
    }

    /// The finished visits of an open node, its own evaluation being the first.
    fn visits(&self, node: usize) -> u32 {
        let edges = &self.edges[self.nodes[node].edges()];
        let own = is_evaluated(edges) as u32;
        own + edges.iter().map(|edge| edge.visits).sum::<u32>()
    }

    /// What [`Tree::apply`] does with the path to a leaf where positions are shared.
    pub(crate) fn back_up_shared(&mut self, path: &[u32]) {
        let mut child = self.edges[path[path.len() - 1] as usize].child as usize;
        let mut mean = self.renew_mean(child);
        for depth in (0..path.len()).rev() {
            let parent = self.parent(path, depth);
            let bounds = (-self.nodes[child].upper, -self.nodes[child].lower);
            let edge = &mut self.edges[path[depth] as usize];
            edge.in_flight -= 1;
            edge.visits += 1;
            edge.mean = -mean.utility;
            if depth == 0 {
                let index = path[0] as usize - self.nodes[ROOT].first_edge as usize;
                self.root.edges[index].arrive_at(&mean);
            }
            if (edge.lower, edge.upper) != bounds {
                (edge.lower, edge.upper) = bounds;
                self.tighten(parent);
            }
            mean = self.renew_mean(parent);
            child = parent;
        }
        self.finished += 1;
    }

    /// Computes the mean of a node from its evaluation and the positions after its moves.
    fn renew_mean(&mut self, node: usize) -> Mean {
        let graph = self.graph.as_mut().expect("positions are shared");
        let Node { lower, upper, .. } = self.nodes[node];
        let own = Mean::of(&self.nodes[node]);
        let mut mean = own;
        if self.nodes[node].state == State::Open {
            let edges = &self.edges[self.nodes[node].edges()];
            let mut visits = is_evaluated(edges) as u8 as f32;
            let mut sum = own.scaled(visits);
            for edge in edges.iter().filter(|edge| edge.visits > 0) {
                sum.add_opponent(&graph.means[edge.child as usize], edge.visits as f32);
                visits += edge.visits as f32;
            }
            self.nodes[node].square_sum = sum.square - own.square;
            mean = sum.scaled(1.0 / visits);
            // The visits may have looked at worse moves than what is proven.
            let bound = |score: i8| self.utility.of_score(score as i32);
            mean.utility = mean.utility.clamp(bound(lower), bound(upper));
            let sign = |score: i8| score.signum() as f32;
            mean.outcome = mean.outcome.clamp(sign(lower), sign(upper));
            mean.margin = mean.margin.clamp(lower as f32, upper as f32);
        }
        graph.means[node] = mean;
        mean
    }
}

/// Whether the node of these moves was evaluated: one that must pass was not.
fn is_evaluated(edges: &[Edge]) -> bool {
    edges.first().is_some_and(|edge| edge.mv() != Move::Pass)
}

#[cfg(test)]
mod tests {
    use outflank_rules::{Size, Square};
    use outflank_solver::Solver;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Budget, DiscCount, Method, SearchConfig, search_tree};

    /// Moves as `c4c3...` from the start.
    fn after(moves: &str) -> Board {
        let mut board = Board::start(Size::Eight);
        for name in moves.as_bytes().chunks(2) {
            let square: Square = std::str::from_utf8(name)
                .ok()
                .and_then(|name| name.parse().ok())
                .expect("a square");
            board = board.play(square).expect("a legal move");
        }
        board
    }

    fn searched(method: Method) -> Tree {
        let config = SearchConfig {
            method,
            simulations: 1500,
            transpositions: true,
            ..SearchConfig::default()
        };
        let mut tree = Tree::new(after("f5d6c3d3c4"), config.without_noise());
        let (mut solver, mut rng) = (Solver::new(1 << 16), ChaCha8Rng::seed_from_u64(1));
        search_tree(
            &mut tree,
            Budget::default(),
            &mut DiscCount,
            &mut solver,
            &mut rng,
            &mut |_| (),
        );
        tree
    }

    fn check(tree: &Tree) {
        let graph = tree.graph.as_ref().expect("positions are shared");
        assert_eq!(graph.means.len(), tree.nodes.len());
        assert_eq!(graph.index.len(), tree.nodes.len(), "no position twice");
        let mut parents = vec![0; tree.nodes.len()];
        for (number, node) in tree.nodes.iter().enumerate() {
            assert_eq!(graph.find(&node.board), Some(number));
            for edge in &tree.edges[node.edges()] {
                if edge.child == Edge::NO_CHILD {
                    continue;
                }
                let child = edge.child as usize;
                parents[child] += 1;
                let board = Tree::after(&node.board, edge.mv());
                assert_eq!(board, Some(tree.nodes[child].board));
                let is_open = tree.nodes[child].state == State::Open;
                assert!(!is_open || tree.visits(child) >= edge.visits);
            }
        }
        assert!(parents[1..].iter().all(|&count| count > 0));
        assert!(parents.iter().any(|&count| count > 1), "some are shared");
    }

    #[test]
    fn a_graph_has_each_position_once_and_visits_for_all_who_ask() {
        for method in [Method::Gumbel, Method::Puct] {
            let mut tree = searched(method);
            check(&tree);
            // What is kept for the next move is such a graph too, with the same means.
            let best = tree.best_move().expect("a move");
            let root = tree.edges[tree.nodes[ROOT].edges()]
                .iter()
                .find(|edge| edge.mv() == best)
                .expect("the best move is one");
            let before = tree.graph.as_ref().expect("shared").means[root.child as usize];
            assert!(tree.advance(best));
            check(&tree);
            assert_eq!(tree.graph.as_ref().expect("shared").means[ROOT], before);
        }
    }
}
