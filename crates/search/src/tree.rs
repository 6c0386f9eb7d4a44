use outflank_rules::{Board, Move, Scoring, Square, SquareSet};

use crate::exp::exp_below_highest;
use crate::graph::Graph;
use crate::root::Root;
use crate::{SearchConfig, Utility};

/// Index of the root in the arena.
pub(crate) const ROOT: usize = 0;

/// A search tree in two flat lists, nodes and edges, that are reused from search to search.
///
/// [`Tree::gather`] and [`Tree::apply`] grow it, [`Tree::best_move`], [`Tree::policy_target`],
/// [`Tree::value`] and the like read it, [`Tree::advance`] goes on to the next move.
pub struct Tree {
    pub(crate) config: SearchConfig,
    pub(crate) utility: Utility,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    /// Which positions are the same, if that is wanted.
    pub(crate) graph: Option<Graph>,
    pub(crate) root: Root,
    /// Simulations that were begun, and those whose result arrived.
    pub(crate) begun: u32,
    pub(crate) finished: u32,
    /// The edges from the root to each leaf in flight, by the leaf's slot, and the free slots.
    pub(crate) paths: Vec<Vec<u32>>,
    pub(crate) free_paths: Vec<u32>,
    /// Counts roots, so that a leaf handed out under an earlier one is recognised.
    pub(crate) epoch: u32,
    spare_nodes: Vec<Node>,
    spare_edges: Vec<Edge>,
}

/// A position of the tree. Values are its mover's.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub board: Board,
    /// What its evaluation or its exact score is worth; 0 where a pass is forced.
    pub value: f32,
    /// The same as an expected outcome, win less loss, and as an expected disc difference.
    pub outcome: f32,
    pub margin: f32,
    /// The sum of the squared values of the visits to its moves.
    pub square_sum: f32,
    pub first_edge: u32,
    pub edge_count: u8,
    pub state: State,
    /// The final score is proven to be in `lower..=upper`.
    pub lower: i8,
    pub upper: i8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Just made.
    New,
    /// Waits for its evaluation.
    Pending,
    /// Has edges.
    Open,
    /// Its score is proven.
    Exact,
}

/// A move of a node. Values and bounds are those of the player who makes it.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    /// The policy's probability.
    pub prior: f32,
    pub child: u32,
    pub visits: u32,
    /// Mean value of the visits; 0 without any.
    pub mean: f32,
    /// Visits that were begun and have no result yet.
    pub in_flight: u16,
    square: u8,
    pub lower: i8,
    pub upper: i8,
}

impl Edge {
    pub const NO_CHILD: u32 = u32::MAX;
    const PASS: u8 = 64;

    pub fn new(mv: Move, prior: f32, bound: i8) -> Edge {
        let square = mv
            .square()
            .map_or(Edge::PASS, |square| square.index() as u8);
        Edge {
            prior,
            child: Edge::NO_CHILD,
            visits: 0,
            mean: 0.0,
            in_flight: 0,
            square,
            lower: -bound,
            upper: bound,
        }
    }

    pub fn mv(&self) -> Move {
        Square::from_index(self.square as usize).map_or(Move::Pass, Move::Place)
    }

    /// Mean value of the visits so far, if any.
    pub fn q(&self) -> Option<f32> {
        (self.visits > 0).then_some(self.mean)
    }

    /// Visits with those that are under way.
    pub fn visits_begun(&self) -> u32 {
        self.visits + self.in_flight as u32
    }

    /// The proven score.
    pub fn exact(&self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower as i32)
    }
}

impl Node {
    pub fn new(board: Board) -> Node {
        let bound = board.size().area() as i8;
        Node {
            board,
            value: 0.0,
            outcome: 0.0,
            margin: 0.0,
            square_sum: 0.0,
            first_edge: 0,
            edge_count: 0,
            state: State::New,
            lower: -bound,
            upper: bound,
        }
    }

    /// Fixes the proven score.
    pub fn prove(&mut self, score: i32, utility: &Utility) {
        self.state = State::Exact;
        self.lower = score as i8;
        self.upper = score as i8;
        self.value = utility.of_score(score);
        self.outcome = score.signum() as f32;
        self.margin = score as f32;
    }

    pub fn edges(&self) -> std::ops::Range<usize> {
        let first = self.first_edge as usize;
        first..first + self.edge_count as usize
    }
}

impl Tree {
    /// A tree of one position, to be searched with valid settings (see
    /// [`SearchConfig::validate`]).
    pub fn new(board: Board, config: SearchConfig) -> Tree {
        let mut tree = Tree {
            utility: Utility::new(config.margin_weight, board.size()),
            graph: config.transpositions.then(Graph::default),
            config,
            nodes: Vec::new(),
            edges: Vec::new(),
            root: Root::default(),
            begun: 0,
            finished: 0,
            paths: Vec::new(),
            free_paths: Vec::new(),
            epoch: 0,
            spare_nodes: Vec::new(),
            spare_edges: Vec::new(),
        };
        tree.reset(board);
        tree
    }

    /// Forgets everything and begins with this position. Memory is kept for use.
    pub fn reset(&mut self, board: Board) {
        self.utility = Utility::new(self.config.margin_weight, board.size());
        self.nodes.clear();
        self.edges.clear();
        if let Some(graph) = &mut self.graph {
            graph.clear();
        }
        self.add_node(board);
        self.restart();
    }

    /// Changes the number of simulations of the searches that follow, and of this one if its root
    /// was not evaluated yet.
    pub fn set_simulations(&mut self, simulations: u32) {
        self.config.simulations = simulations;
    }

    /// The settings.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// The position at the root.
    pub fn board(&self) -> &Board {
        &self.nodes[ROOT].board
    }

    /// The position after a move, seen by the opponent; `None` if the move is not legal.
    pub(crate) fn after(board: &Board, mv: Move) -> Option<Board> {
        match mv {
            Move::Place(square) => board.play(square),
            Move::Pass => board.must_pass().then(|| board.pass()),
        }
    }

    /// Makes the position after a move the root and keeps what was learned about it. The new root
    /// has all its simulations before it; leaves in flight are forgotten. Returns whether the move
    /// is legal; if not, nothing changes.
    pub fn advance(&mut self, mv: Move) -> bool {
        let Some(board) = Tree::after(self.board(), mv) else {
            return false;
        };
        let edges = &self.edges[self.nodes[ROOT].edges()];
        let child = edges
            .iter()
            .find(|edge| edge.mv() == mv)
            .map(|edge| edge.child);
        match child {
            Some(child) if self.is_kept(child) => self.keep_subtree(child as usize),
            _ => self.reset(board),
        }
        true
    }

    fn is_kept(&self, child: u32) -> bool {
        child != Edge::NO_CHILD && self.nodes[child as usize].state != State::Pending
    }

    /// Makes a node of a position that the tree does not have yet.
    pub(crate) fn add_node(&mut self, board: Board) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node::new(board));
        if let Some(graph) = &mut self.graph {
            graph.add(board, node);
        }
        node
    }

    /// Copies the subtree, level by level, into the spare lists and swaps them in.
    fn keep_subtree(&mut self, root: usize) {
        let mut nodes = std::mem::take(&mut self.spare_nodes);
        let mut edges = std::mem::take(&mut self.spare_edges);
        nodes.clear();
        edges.clear();
        nodes.push(self.nodes[root]);
        // Where each node goes and comes from: one that several moves lead to is copied once.
        let mut places = vec![Edge::NO_CHILD; self.nodes.len()];
        let mut origins = vec![root];
        let mut next = 0;
        while next < nodes.len() {
            let old_edges = nodes[next].edges();
            nodes[next].first_edge = edges.len() as u32;
            for old in old_edges {
                let mut edge = self.edges[old];
                edge.in_flight = 0;
                if self.is_kept(edge.child) {
                    let child = edge.child as usize;
                    if places[child] == Edge::NO_CHILD {
                        places[child] = nodes.len() as u32;
                        nodes.push(self.nodes[child]);
                        origins.push(child);
                    }
                    edge.child = places[child];
                } else {
                    edge.child = Edge::NO_CHILD;
                }
                edges.push(edge);
            }
            next += 1;
        }
        // A leaf that was solved has a score but no moves yet.
        if nodes[ROOT].edge_count == 0 {
            nodes[ROOT] = Node::new(nodes[ROOT].board);
        }
        if let Some(graph) = &mut self.graph {
            graph.keep(&origins, &nodes);
        }
        self.spare_nodes = std::mem::replace(&mut self.nodes, nodes);
        self.spare_edges = std::mem::replace(&mut self.edges, edges);
        self.restart();
    }

    /// Begins a search of the root that is there.
    fn restart(&mut self) {
        self.root.edges.clear();
        self.begun = 0;
        self.finished = 0;
        self.epoch = self.epoch.wrapping_add(1);
        self.paths.iter_mut().for_each(Vec::clear);
        self.free_paths.clear();
        self.free_paths.extend(0..self.paths.len() as u32);
    }

    /// Gives a node its moves, with the softmax of the logits over the legal squares as priors.
    pub(crate) fn expand(&mut self, node: usize, policy: &[f32; 64]) {
        let board = self.nodes[node].board;
        let bound = board.size().area() as i8;
        let moves = board.legal_moves();
        let first_edge = self.edges.len();
        for (square, prior) in moves.zip(priors(policy, moves)) {
            self.edges
                .push(Edge::new(Move::Place(square), prior, bound));
        }
        let count = self.edges.len() - first_edge;
        if count == 0 {
            self.edges.push(Edge::new(Move::Pass, 1.0, bound));
        }
        let node = &mut self.nodes[node];
        node.first_edge = first_edge as u32;
        node.edge_count = count.max(1) as u8;
        node.state = State::Open;
    }

    /// Marks the end of the game on a node, if it is one.
    pub(crate) fn prove_if_over(&mut self, node: usize) -> bool {
        let board = self.nodes[node].board;
        let over = board.is_over();
        if over {
            self.nodes[node].prove(board.score(Scoring::Tournament), &self.utility);
        }
        over
    }

    /// Positions in the tree.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Moves in the tree.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Bytes that the nodes and edges in use take.
    pub fn bytes(&self) -> usize {
        let shared = self.graph.as_ref().map_or(0, Graph::bytes);
        size_of_val(&self.nodes[..]) + size_of_val(&self.edges[..]) + shared
    }

    /// Simulations finished since the root became the root.
    pub fn simulations(&self) -> u32 {
        self.finished
    }
}

/// The softmax of the logits over the legal squares, in their order; even if the logits say nothing.
fn priors(policy: &[f32; 64], moves: SquareSet) -> [f32; 64] {
    let mut priors = [0.0; 64];
    let legal = &mut priors[..moves.len() as usize];
    for (prior, square) in legal.iter_mut().zip(moves) {
        *prior = policy[square.index()];
    }
    let highest = legal.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if !highest.is_finite() || legal.iter().any(|logit| logit.is_nan()) {
        legal.fill(0.0);
    }
    exp_below_highest(legal);
    let sum: f32 = legal.iter().sum();
    for prior in legal {
        // Never 0: the search takes logarithms, and a move must not be lost to rounding.
        *prior = (*prior / sum).max(1e-30);
    }
    priors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_and_its_node_stay_small() {
        // Most edges have no node: a search of 800 simulations stores about 28 bytes an edge.
        assert_eq!((size_of::<Edge>(), size_of::<Node>()), (24, 48));
    }
}
