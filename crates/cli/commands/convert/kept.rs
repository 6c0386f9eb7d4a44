//! What a format does not keep of a game: found by reading what was written.

use std::collections::BTreeMap;

use outflank_formats::{AnnotatedGame, Remark, Tags};

use crate::progress::thousands;

/// What was lost, and of how many games.
#[derive(Default)]
pub struct Losses(BTreeMap<&'static str, u64>);

impl Losses {
    /// One game lost this.
    pub fn add(&mut self, fact: &'static str) {
        *self.0.entry(fact).or_default() += 1;
    }

    /// Compares a game with what is read back of it. Another game altogether is refused.
    pub fn compare(&mut self, game: &AnnotatedGame, kept: &AnnotatedGame) -> Result<(), String> {
        if game.game().start() != kept.game().start() {
            return Err("the format cannot hold its starting position".to_owned());
        }
        let moves = |game: &AnnotatedGame| {
            let mut moves: Vec<_> = game.plies().map(|(mv, _)| mv).collect();
            let passes = moves.iter().rev().take_while(|mv| mv.is_pass()).count();
            moves.truncate(moves.len() - passes);
            moves
        };
        if moves(game) != moves(kept) {
            return Err("the format cannot hold its moves".to_owned());
        }
        if game.game() != kept.game() {
            self.add("the pass at the end");
        }
        for (fact, is_lost) in FACTS {
            if is_lost(&game.tags, &kept.tags) {
                self.add(fact);
            }
        }
        for (fact, of) in REMARKS {
            let said = |game: &AnnotatedGame| -> Vec<_> { game.remarks().iter().map(of).collect() };
            let said_before = said(game);
            if said_before.iter().any(Option::is_some) && said_before != said(kept) {
                self.add(fact);
            }
        }
        Ok(())
    }

    /// All losses in one line; none if nothing was lost.
    pub fn describe(&self) -> Option<String> {
        let parts: Vec<_> = self
            .0
            .iter()
            .map(|(fact, games)| format!("{fact} ({} games)", thousands(*games)))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Whether the second game lacks something that the first one says.
type IsLost = fn(&Tags, &Tags) -> bool;

const FACTS: [(&str, IsLost); 8] = [
    ("event", |a, b| lost(&a.event, &b.event)),
    ("place", |a, b| lost(&a.place, &b.place)),
    ("date", |a, b| lost(&a.date, &b.date)),
    ("players' names", |a, b| {
        lost(&a.black.name, &b.black.name) || lost(&a.white.name, &b.white.name)
    }),
    ("ratings", |a, b| {
        lost(&a.black.rating, &b.black.rating) || lost(&a.white.rating, &b.white.rating)
    }),
    ("clocks", |a, b| {
        lost(&a.clock, &b.clock)
            || lost(&a.black.clock, &b.black.clock)
            || lost(&a.white.clock, &b.white.clock)
    }),
    ("stated result", |a, b| lost(&a.result, &b.result)),
    ("other tags", |a, b| lost(&a.extra, &b.extra)),
];

/// What is read of a remark.
type OfRemark = fn(&Remark) -> Option<f64>;

const REMARKS: [(&str, OfRemark); 2] = [
    ("evaluations of moves", |remark| remark.evaluation),
    ("times of moves", |remark| remark.seconds),
];

fn lost<T: Default + PartialEq>(said: &T, kept: &T) -> bool {
    *said != T::default() && said != kept
}
