use std::sync::Arc;

use outflank_rules::{Scoring, Size};

use crate::control::Control;
use crate::evaluation::Evaluation;
use crate::geometry::Geometry;
use crate::isa::Isa;
use crate::ordering::Candidate;
use crate::parallel::{Pool, Split};
use crate::table::{Key, Table};

/// Below every score.
pub(crate) const NONE: i32 = -127;

/// Positions with fewer empty squares are kept in the thread's own table.
const NEAR_EMPTIES: u32 = 12;

/// One thread's search: what it searches with, and what it has cost so far.
pub(crate) struct Search<'a, I> {
    pub isa: I,
    pub geometry: &'static Geometry,
    pub evaluation: Option<&'static Evaluation>,
    table: &'a Table,
    near: &'a Table,
    pub control: &'a Control<'a>,
    pub scoring: Scoring,
    /// The moves not yet searched of all nodes from the root to the current one.
    pub candidates: Vec<Candidate>,
    salt: u64,
    /// Positions visited so far.
    pub nodes: u64,
    /// The limits are exceeded: every result from now on is meaningless.
    pub stopped: bool,
    /// As many of them are known to all threads.
    counted: u64,
    /// The other threads, if there are any.
    pub pool: Option<&'a Pool>,
    /// The shared node that this thread searches below.
    pub split: Option<Arc<Split>>,
    /// Nodes at which the clock is looked at again.
    next_check: u64,
}

impl<'a, I: Isa> Search<'a, I> {
    pub fn new(
        isa: I,
        size: Size,
        scoring: Scoring,
        [table, near]: [&'a Table; 2],
        control: &'a Control<'a>,
        pool: Option<&'a Pool>,
    ) -> Search<'a, I> {
        Search {
            isa,
            geometry: Geometry::of(size),
            evaluation: Evaluation::of(size),
            table,
            near,
            control,
            scoring,
            candidates: Vec::with_capacity(512),
            salt: (2 * size.side() as u64 + (scoring == Scoring::Plain) as u64) << 40,
            nodes: 0,
            counted: 0,
            pool,
            split: None,
            stopped: false,
            next_check: 0,
        }
    }

    /// The squares that are empty.
    #[inline(always)]
    pub fn empty(&self, own: u64, opp: u64) -> u64 {
        self.geometry.squares & !(own | opp)
    }

    /// The table for positions with so many empty squares.
    #[inline(always)]
    pub fn table_for(&self, empties: u32) -> &'a Table {
        if empties < NEAR_EMPTIES {
            self.near
        } else {
            self.table
        }
    }

    #[inline(always)]
    pub fn key(&self, own: u64, opp: u64) -> Key {
        Key::new(own, opp, self.salt)
    }

    /// The score of a finished game.
    #[inline(always)]
    pub fn final_score(&self, own: u64, opp: u64) -> i32 {
        let difference = own.count_ones() as i32 - opp.count_ones() as i32;
        match self.scoring {
            Scoring::Plain => difference,
            Scoring::Tournament => {
                difference + difference.signum() * self.empty(own, opp).count_ones() as i32
            }
        }
    }

    /// Looks at the limits; call it where many nodes lie below.
    #[inline(always)]
    pub fn check_limits(&mut self) -> bool {
        if self.nodes >= self.next_check {
            self.count();
            let interval = if self.pool.is_some() { 1_000 } else { 20_000 };
            self.next_check = (self.nodes + interval).min(self.control.node_limit);
            self.stopped = self.is_pointless();
        }
        self.stopped
    }

    /// Whether a limit is reached, or another thread has found out that this one's work does not
    /// matter.
    pub fn is_pointless(&self) -> bool {
        self.control.is_over() || self.split.as_ref().is_some_and(|split| split.is_cut())
    }

    /// Adds the nodes since the last time to those of all threads.
    pub fn count(&mut self) {
        self.control.spend(self.nodes - self.counted);
        self.counted = self.nodes;
    }
}
