//! The two halves of a search: *gather* and *apply*.

use outflank_rules::{Board, Move};
use outflank_solver::Solver;
use rand::Rng;

use crate::tree::{Edge, Node, ROOT, State};
use crate::wipe_out::{winning_move, wins};
use crate::{Evaluation, Method, Tree, gumbel, puct};

/// What a search needs next.
#[derive(Debug)]
pub enum Gather {
    /// The evaluation of this board. Its mover has a move.
    Leaf {
        /// To be given back with the evaluation.
        id: LeafId,
        /// The position to evaluate.
        board: Board,
    },
    /// Nothing to evaluate now: apply what is in flight, if anything, and gather again. With one
    /// leaf at a time it comes only from a search that found some thousand solved leaves in a row.
    Wait,
    /// All simulations are done, or the root's score is proven.
    Finished,
}

/// A leaf that waits for its evaluation.
#[derive(Debug, PartialEq, Eq)]
pub struct LeafId {
    slot: u32,
    epoch: u32,
}

/// How a walk from the root ended.
enum Walk {
    Leaf(LeafId, Board),
    /// At a position that is proven, or known well enough: backed up already.
    Known,
    /// At a leaf that is in flight: nothing was changed.
    Collision,
}

/// Walks in one [`Tree::gather`] that end at known positions, so that a driver can look at its
/// clock now and then.
const WALKS_BEFORE_WAIT: u32 = 1000;

impl Tree {
    /// Walks down to a leaf that needs an evaluation.
    pub fn gather(&mut self, solver: &mut Solver, rng: &mut (impl Rng + ?Sized)) -> Gather {
        if self.nodes[ROOT].state == State::New
            && let Some(leaf) = self.begin()
        {
            return leaf;
        }
        if self.nodes[ROOT].state == State::Pending {
            return Gather::Wait;
        }
        if self.root.edges.is_empty() {
            self.prepare_root(rng);
            // Unlike a solved leaf, a root with so few empties needs a score for each move.
            let solved = self.board().empties() <= self.config.leaf_solve_empties;
            let winning = winning_move(self.board()).map(Move::Place);
            for edge in self.nodes[ROOT].edges() {
                if solved || Some(self.edges[edge].mv()) == winning {
                    self.walk(edge, solver);
                }
            }
        }
        for _ in 0..WALKS_BEFORE_WAIT {
            self.catch_up(ROOT);
            if self.is_finished() {
                return Gather::Finished;
            }
            if self.begun == self.root.simulations {
                return Gather::Wait;
            }
            let first = self.choose_at_root();
            match self.walk(first, solver) {
                Walk::Leaf(id, board) => return Gather::Leaf { id, board },
                Walk::Known => {}
                Walk::Collision => return Gather::Wait,
            }
        }
        Gather::Wait
    }

    /// Fills in the evaluation of a leaf and backs it up. A leaf handed out before the last
    /// [`Tree::reset`] or [`Tree::advance`] is ignored.
    pub fn apply(&mut self, id: LeafId, evaluation: &Evaluation) {
        if id.epoch != self.epoch {
            return;
        }
        let path = std::mem::take(&mut self.paths[id.slot as usize]);
        let leaf = path
            .last()
            .map_or(ROOT, |&edge| self.edges[edge as usize].child as usize);
        let node = &mut self.nodes[leaf];
        node.value = self.utility.of_evaluation(evaluation);
        node.outcome = evaluation.known_value();
        node.margin = evaluation.known_margin();
        self.expand(leaf, &evaluation.policy);
        self.back_up(&path);
        self.recycle(id.slot, path);
    }

    /// Whether there is nothing left to do.
    pub fn is_finished(&self) -> bool {
        let planned = !self.root.edges.is_empty();
        let done = planned && self.finished >= self.root.simulations;
        done || self.nodes[ROOT].state == State::Exact
    }

    /// Hands out a root that was just made, unless there is nothing to ask an evaluator.
    fn begin(&mut self) -> Option<Gather> {
        let board = self.nodes[ROOT].board;
        if self.prove_if_over(ROOT) {
            return None;
        }
        if board.legal_moves().is_empty() || board.empties() <= self.config.leaf_solve_empties {
            self.expand(ROOT, &Evaluation::EVEN.policy);
            return None;
        }
        self.nodes[ROOT].state = State::Pending;
        let (slot, epoch) = (self.take_slot(), self.epoch);
        Some(Gather::Leaf {
            id: LeafId { slot, epoch },
            board,
        })
    }

    /// Walks down through `first`, an edge of the root, as far as the tree goes and one step on.
    fn walk(&mut self, first: usize, solver: &mut Solver) -> Walk {
        let slot = self.take_slot();
        let mut path = std::mem::take(&mut self.paths[slot as usize]);
        let (mut parent, mut edge) = (ROOT, first);
        loop {
            path.push(edge as u32);
            let fresh = self.edges[edge].child == Edge::NO_CHILD && self.grow(parent, edge, solver);
            let child = self.edges[edge].child as usize;
            self.catch_up(child);
            match self.nodes[child].state {
                State::Open if !self.has_enough_visits(edge) => {
                    (parent, edge) = (child, self.choose_below(child));
                }
                State::Open | State::Exact => {
                    self.depart(&path);
                    self.back_up(&path);
                    self.recycle(slot, path);
                    return Walk::Known;
                }
                State::New | State::Pending if !fresh => {
                    self.recycle(slot, path);
                    return Walk::Collision;
                }
                State::New | State::Pending => {
                    self.nodes[child].state = State::Pending;
                    self.depart(&path);
                    self.paths[slot as usize] = path;
                    let epoch = self.epoch;
                    return Walk::Leaf(LeafId { slot, epoch }, self.nodes[child].board);
                }
            }
        }
    }

    /// Finds or makes the position that an edge leads to, and says whether it was made.
    fn grow(&mut self, parent: usize, edge: usize, solver: &mut Solver) -> bool {
        let board = Tree::after(&self.nodes[parent].board, self.edges[edge].mv())
            .expect("edges are legal moves");
        let known = self.graph.as_ref().and_then(|graph| graph.find(&board));
        let child = known.unwrap_or_else(|| self.add_node(board));
        self.edges[edge].child = child as u32;
        if known.is_some() {
            return false;
        }
        if board.empties() <= self.config.leaf_solve_empties {
            self.nodes[child].prove(solver.exact(&board), &self.utility);
        } else if let Some(winner) = wins(&board) {
            let all = board.size().area() as i32;
            self.nodes[child].prove(if winner { all } else { -all }, &self.utility);
        } else if board.legal_moves().is_empty() && !self.prove_if_over(child) {
            self.expand(child, &Evaluation::EVEN.policy);
        }
        true
    }

    /// The edge to follow from a node below the root: one that may still beat what is proven.
    fn choose_below(&self, node: usize) -> usize {
        let node = &self.nodes[node];
        let edges = &self.edges[node.edges()];
        if let [_] = edges {
            return node.first_edge as usize;
        }
        let choice = match self.config.method {
            Method::Gumbel => gumbel::choose_below(&self.config.gumbel, node, edges),
            Method::Puct => puct::choose_below(&self.config.puct, node, edges),
        };
        node.first_edge as usize + choice
    }

    /// Counts a simulation as begun, so that others in flight spread.
    fn depart(&mut self, path: &[u32]) {
        self.begun += 1;
        let first_edge = self.nodes[ROOT].first_edge;
        self.root.edges[(path[0] - first_edge) as usize].begun += 1;
        if self.config.method == Method::Gumbel {
            self.root.plan.step();
        }
        for &edge in path {
            self.edges[edge as usize].in_flight += 1;
        }
    }

    /// Carries the value of the leaf at the end of the path, and what is proven, to the root.
    fn back_up(&mut self, path: &[u32]) {
        let Some(&last) = path.last() else {
            return; // the root's own evaluation is no simulation
        };
        if self.graph.is_some() {
            return self.back_up_shared(path);
        }
        let mut child = self.edges[last as usize].child as usize;
        let leaf = self.nodes[child];
        let (mut value, mut outcome, mut margin) = (leaf.value, leaf.outcome, leaf.margin);
        let bound = leaf.board.size().area() as i8;
        for depth in (0..path.len()).rev() {
            let parent = self.parent(path, depth);
            let (lower, upper) = (-self.nodes[child].upper, -self.nodes[child].lower);
            let edge = &mut self.edges[path[depth] as usize];
            edge.in_flight -= 1;
            edge.visits += 1;
            (value, outcome, margin) = (-value, -outcome, -margin);
            edge.mean += (value - edge.mean) / edge.visits as f32;
            if lower == upper {
                value = self.utility.of_score(lower as i32);
                edge.mean = value;
            }
            if depth == 0 {
                let index = path[0] as usize - self.nodes[ROOT].first_edge as usize;
                self.root.edges[index].arrive(value, outcome, margin);
            }
            if (edge.lower, edge.upper) != (lower, upper) {
                (edge.lower, edge.upper) = (lower, upper);
                self.tighten(parent);
            }
            // The walk may have looked at a worse move than one that is proven.
            let Node { lower, upper, .. } = self.nodes[parent];
            if lower > -bound {
                value = value.max(self.utility.of_score(lower as i32));
                outcome = outcome.max(lower.signum() as f32);
                margin = margin.max(lower as f32);
            }
            if upper < bound {
                value = value.min(self.utility.of_score(upper as i32));
                outcome = outcome.min(upper.signum() as f32);
                margin = margin.min(upper as f32);
            }
            self.nodes[parent].square_sum += value * value;
            child = parent;
        }
        self.finished += 1;
    }

    /// The node that the edge at this depth of a path belongs to.
    pub(crate) fn parent(&self, path: &[u32], depth: usize) -> usize {
        match depth {
            0 => ROOT,
            _ => self.edges[path[depth - 1] as usize].child as usize,
        }
    }

    /// Draws a node's bounds together from those of its moves.
    pub(crate) fn tighten(&mut self, node: usize) {
        let edges = &self.edges[self.nodes[node].edges()];
        let lower = edges.iter().map(|edge| edge.lower).max();
        let upper = edges.iter().map(|edge| edge.upper).max();
        let (lower, upper) = lower.zip(upper).expect("an open node has moves");
        let node = &mut self.nodes[node];
        (node.lower, node.upper) = (lower, upper);
        if lower == upper {
            node.prove(lower as i32, &self.utility);
        }
    }

    fn take_slot(&mut self) -> u32 {
        self.free_paths.pop().unwrap_or_else(|| {
            self.paths.push(Vec::new());
            self.paths.len() as u32 - 1
        })
    }

    fn recycle(&mut self, slot: u32, mut path: Vec<u32>) {
        path.clear();
        self.paths[slot as usize] = path;
        self.free_paths.push(slot);
    }
}
