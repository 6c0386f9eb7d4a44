//! What a format does not keep of a game: found by reading what was written.

use std::collections::{BTreeMap, BTreeSet};

use outflank_formats::{AnnotatedGame, Remark, Tags};

use crate::messages::printable;
use crate::progress::count;

/// What was lost, and of how many games.
#[derive(Default)]
pub struct Losses(BTreeMap<String, u64>);

impl Losses {
    /// One game lost this.
    pub fn add(&mut self, fact: impl Into<String>) {
        *self.0.entry(fact.into()).or_default() += 1;
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
        for name in names_lost(&game.tags, &kept.tags) {
            match name {
                "theoretical" => self.add("theoretical score"),
                name => self.add(format!("tag {}", printable(name))),
            }
        }
        for (fact, is_there) in [
            ("variations", game.left_out.variations),
            ("comments", game.left_out.comments),
            ("other properties of moves", game.left_out.properties),
        ] {
            if is_there {
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
            .map(|(fact, games)| format!("{fact} ({})", count(*games, "game")))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Whether the second game lacks something that the first one says.
type IsLost = fn(&Tags, &Tags) -> bool;

const FACTS: [(&str, IsLost); 7] = [
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
];

/// What is read of a remark.
type OfRemark = fn(&Remark) -> Option<f64>;

const REMARKS: [(&str, OfRemark); 2] = [
    ("evaluations of moves", |remark| remark.evaluation),
    ("times of moves", |remark| remark.seconds),
];

/// The names of further tags that are not there any more, each once.
fn names_lost<'a>(said: &'a Tags, kept: &Tags) -> BTreeSet<&'a str> {
    let lost = said.extra.iter().filter(|tag| !kept.extra.contains(tag));
    lost.map(|(name, _)| name.as_str()).collect()
}

fn lost<T: Default + PartialEq>(said: &T, kept: &T) -> bool {
    *said != T::default() && said != kept
}
