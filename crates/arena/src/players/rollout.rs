use outflank_rules::{Board, Game, Move, Scoring, SquareSet};
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::random::random_move;
use crate::{Player, PlayerError};

/// Monte-Carlo tree search without knowledge: UCT (Kocsis and Szepesvári 2006) whose leaves are
/// judged by one game of uniformly random moves each.
///
/// It shares no code with Outflank's own search, so as to be an opponent that has none of its
/// faults.
#[derive(Debug)]
pub struct Rollout {
    name: String,
    playouts: u32,
    rng: ChaCha8Rng,
    nodes: Vec<Node>,
}

/// The exploration constant of UCB1 for rewards in [0, 1].
const EXPLORATION: f32 = std::f32::consts::SQRT_2;

/// No node.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Node {
    board: Board,
    /// The move that led here.
    mv: Move,
    first_child: u32,
    next_sibling: u32,
    /// Moves without a child so far.
    untried: SquareSet,
    visits: u32,
    /// Points, one a win and a half a draw, of the player who moved here.
    points: f32,
}

impl Rollout {
    /// A player that spends so many playouts on each move, at least one.
    pub fn new(playouts: u32) -> Rollout {
        let playouts = playouts.max(1);
        Rollout {
            name: format!("rollout:{playouts}"),
            playouts,
            rng: ChaCha8Rng::seed_from_u64(0),
            nodes: Vec::new(),
        }
    }

    fn search(&mut self, root: Board) -> Move {
        self.nodes.clear();
        self.nodes.push(Node::new(root, Move::Pass));
        let mut path = Vec::new();
        for _ in 0..self.playouts {
            self.descend(&mut path);
            let leaf = &self.nodes[path[path.len() - 1] as usize];
            // Whoever moved into the leaf is the opponent of its mover.
            let mut points = -playout(leaf.board, &mut self.rng).signum() as f32 * 0.5 + 0.5;
            for &node in path.iter().rev() {
                let node = &mut self.nodes[node as usize];
                node.visits += 1;
                node.points += points;
                points = 1.0 - points;
            }
        }
        // The most visited move; of equals the one with more points.
        self.children(0)
            .map(|child| &self.nodes[child as usize])
            .max_by(|a, b| a.visits.cmp(&b.visits).then(a.points.total_cmp(&b.points)))
            .map_or(Move::Pass, |node| node.mv)
    }

    /// Walks from the root to a new node, or to the end of a game.
    fn descend(&mut self, path: &mut Vec<u32>) {
        path.clear();
        path.push(0);
        let mut node = 0;
        while let Some(next) = self.expand(node).or_else(|| self.select(node)) {
            path.push(next);
            if self.nodes[next as usize].visits == 0 {
                break;
            }
            node = next;
        }
    }

    /// Adds a child for a random untried move; `None` if there is none.
    fn expand(&mut self, parent: u32) -> Option<u32> {
        let node = &self.nodes[parent as usize];
        let (mv, after) = match node.untried.choose(&mut self.rng) {
            Some(square) => (Move::Place(square), node.board.play(square)?),
            None if node.first_child == NONE && node.board.must_pass() => {
                (Move::Pass, node.board.pass())
            }
            None => return None,
        };
        let child = self.nodes.len() as u32;
        let node = &mut self.nodes[parent as usize];
        if let Some(square) = mv.square() {
            node.untried = node.untried & !SquareSet::from_iter([square]);
        }
        let sibling = std::mem::replace(&mut node.first_child, child);
        let mut new = Node::new(after, mv);
        new.next_sibling = sibling;
        self.nodes.push(new);
        Some(child)
    }

    /// The child with the highest upper confidence bound; `None` if the game is over.
    fn select(&self, parent: u32) -> Option<u32> {
        let ln_visits = (self.nodes[parent as usize].visits as f32).ln();
        let bound = |child: &u32| {
            let Node { visits, points, .. } = self.nodes[*child as usize];
            let visits = visits as f32;
            points / visits + EXPLORATION * (ln_visits / visits).sqrt()
        };
        self.children(parent)
            .max_by(|a, b| bound(a).total_cmp(&bound(b)))
    }

    fn children(&self, parent: u32) -> impl Iterator<Item = u32> {
        let some = |node: u32| (node != NONE).then_some(node);
        std::iter::successors(
            some(self.nodes[parent as usize].first_child),
            move |&child| some(self.nodes[child as usize].next_sibling),
        )
    }
}

impl Node {
    fn new(board: Board, mv: Move) -> Node {
        Node {
            board,
            mv,
            first_child: NONE,
            next_sibling: NONE,
            untried: board.legal_moves(),
            visits: 0,
            points: 0.0,
        }
    }
}

/// The disc difference, for the mover of `board`, of a game of uniformly random moves.
fn playout(mut board: Board, rng: &mut impl Rng) -> i32 {
    let mut sign = 1;
    loop {
        match random_move(board.legal_moves(), rng) {
            Move::Place(square) => board = board.play(square).expect("the move is a legal one"),
            Move::Pass if board.pass().legal_moves().is_empty() => {
                return sign * board.score(Scoring::Tournament);
            }
            Move::Pass => board = board.pass(),
        }
        sign = -sign;
    }
}

impl Player for Rollout {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _: &Game, seed: u64) -> Result<(), PlayerError> {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        Ok(self.search(game.position().board))
    }
}

#[cfg(test)]
mod tests {
    use outflank_rules::Size;
    use outflank_solver::Solver;

    use super::*;

    #[test]
    fn with_many_playouts_small_endings_are_played_right() {
        // 4x4 from random positions with 6 empties: the chosen move keeps the solved outcome.
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut solver = Solver::new(1 << 20);
        let mut player = Rollout::new(4000);
        let (mut right, mut asked) = (0, 0);
        for _ in 0..60 {
            let mut game = Game::new(Size::Four);
            while !game.is_over() && game.position().board.empties() > 6 {
                let mv = random_move(game.legal_moves(), &mut rng);
                game.play(mv).expect("legal");
            }
            if game.is_over() || game.must_pass() {
                continue;
            }
            let board = game.position().board;
            let mv = player.choose(&game).expect("never fails");
            let after = board.play(mv.square().expect("a square")).expect("legal");
            asked += 1;
            right += usize::from(-solver.exact(&after).signum() == solver.exact(&board).signum());
        }
        assert!(asked >= 30 && right == asked, "{right} of {asked}");
    }

    #[test]
    fn playouts_are_counted_and_repeatable() {
        let game = Game::new(Size::Eight);
        let mut player = Rollout::new(300);
        let mut moves = Vec::new();
        for seed in [1, 1] {
            player.new_game(&game, seed).expect("never fails");
            moves.push(player.choose(&game).expect("never fails"));
            assert_eq!(player.nodes[0].visits, 300);
            assert_eq!(player.nodes.len(), 301);
        }
        assert_eq!(moves[0], moves[1]);
    }
}
