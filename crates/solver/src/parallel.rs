//! Several threads on one position, by young brothers wait (R. Feldmann et al., "Distributed game
//! tree search", 1989): once a node's first move has failed to cut, idle threads may search the
//! others.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::isa::Isa;
use crate::ordering::Candidate;
use crate::search::Search;

/// Nodes with fewer empty squares are not shared: their moves cost less than handing them over.
pub(crate) const SPLIT_EMPTIES: u32 = 13;

/// A null-window node whose remaining moves several threads search.
pub(crate) struct Split {
    /// The split node below which this one was met.
    parent: Option<Arc<Split>>,
    alpha: i32,
    /// A move was better than `alpha`: the rest does not matter.
    cut: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// Not yet begun, the best last.
    moves: Vec<Candidate>,
    /// Threads that search one of the moves.
    searching: usize,
    best: i32,
    best_square: u8,
}

impl Split {
    /// Whether the results below this node still matter.
    pub fn is_cut(&self) -> bool {
        self.cut.load(Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cut())
    }

    fn is_below(&self, ancestor: &Split) -> bool {
        std::ptr::eq(self, ancestor)
            || self
                .parent
                .as_ref()
                .is_some_and(|parent| parent.is_below(ancestor))
    }

    fn take(&self) -> Option<Candidate> {
        if self.is_cut() {
            return None;
        }
        let mut state = lock(&self.state);
        let candidate = state.moves.pop()?;
        state.searching += 1;
        Some(candidate)
    }
}

/// What the threads of one search share besides the table.
#[derive(Default)]
pub(crate) struct Pool {
    /// The nodes that accept help, the oldest first: it has the most work left.
    open: Mutex<Vec<Arc<Split>>>,
    changed: Condvar,
    idle: AtomicUsize,
    finished: AtomicBool,
}

/// A poisoned lock means that another thread has panicked, which the scope of the threads
/// reports; what the lock guards is whole between any two statements here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Whether a thread has nothing to do.
    #[inline(always)]
    pub fn wants_work(&self) -> bool {
        self.idle.load(Relaxed) > 0
    }

    /// Sends the helpers home.
    pub fn finish(&self) {
        self.finished.store(true, Relaxed);
        self.notify();
    }

    fn notify(&self) {
        // Between the check and the wait of another thread this waits for the lock.
        drop(lock(&self.open));
        self.changed.notify_all();
    }

    /// Waits for a move to search: below `ancestor` until that node is done, or anywhere until the
    /// whole search is.
    fn wait_for_work(&self, ancestor: Option<&Split>) -> Option<(Arc<Split>, Candidate)> {
        let mut open = lock(&self.open);
        loop {
            let done = match ancestor {
                Some(split) => lock(&split.state).searching == 0,
                None => self.finished.load(Relaxed),
            };
            if done {
                return None;
            }
            for split in open.iter() {
                if ancestor.is_none_or(|ancestor| split.is_below(ancestor))
                    && let Some(candidate) = split.take()
                {
                    return Some((Arc::clone(split), candidate));
                }
            }
            self.idle.fetch_add(1, Relaxed);
            open = self
                .changed
                .wait(open)
                .unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Relaxed);
        }
    }
}

impl<I: Isa> Search<'_, I> {
    /// Searches moves of other threads' nodes until the pool is finished.
    pub fn help(&mut self, pool: &Pool) {
        while let Some((split, candidate)) = pool.wait_for_work(None) {
            self.search_for(pool, &split, &candidate);
        }
        self.count();
    }

    /// Searches a node's candidates from `start` on together with other threads, after its first
    /// move has led to `best`. Returns the new best score and its square.
    pub fn share(
        &mut self,
        pool: &Pool,
        start: usize,
        alpha: i32,
        best: i32,
        best_square: u8,
    ) -> (i32, u8) {
        let mut moves: Vec<Candidate> = std::iter::from_fn(|| self.pop_best(start)).collect();
        moves.reverse();
        let split = Arc::new(Split {
            parent: self.split.clone(),
            alpha,
            cut: AtomicBool::new(false),
            state: Mutex::new(State {
                moves,
                searching: 0,
                best,
                best_square,
            }),
        });
        lock(&pool.open).push(Arc::clone(&split));
        pool.changed.notify_all();

        while let Some(candidate) = split.take() {
            self.search_for(pool, &split, &candidate);
        }
        lock(&pool.open).retain(|open| !Arc::ptr_eq(open, &split));
        while let Some((below, candidate)) = pool.wait_for_work(Some(&split)) {
            self.search_for(pool, &below, &candidate);
        }
        // If an enclosing node was cut meanwhile, moves of this one were left out.
        self.stopped = self.is_pointless();
        let state = lock(&split.state);
        (state.best, state.best_square)
    }

    /// Searches one move of a split node.
    fn search_for(&mut self, pool: &Pool, split: &Arc<Split>, candidate: &Candidate) {
        let outer = self.split.replace(Arc::clone(split));
        let depth = self.candidates.len();
        self.nodes += 1;
        let &Candidate {
            own, opp, moves, ..
        } = candidate;
        let score = -I::null_window(self, own, opp, moves, -split.alpha - 1);
        self.split = outer;
        {
            let mut state = lock(&split.state);
            state.searching -= 1;
            if !self.stopped && score > state.best {
                state.best = score;
                state.best_square = candidate.square;
                if score > split.alpha {
                    split.cut.store(true, Relaxed);
                }
            }
        }
        if self.stopped {
            // The search may have been stopped for this node alone.
            self.candidates.truncate(depth);
            self.stopped = self.is_pointless();
        }
        pool.notify();
    }
}
