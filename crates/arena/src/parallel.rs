use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use outflank_rules::Board;
use outflank_search::{Evaluation, Evaluator};

/// An evaluator that shares each batch among threads of its own: a search on several cores.
///
/// An evaluation depends on the board alone, so the number of threads changes the time of a search
/// and nothing else. It pays with batches of some boards a thread, see
/// [`leaves_in_flight`](outflank_search::SearchConfig::leaves_in_flight).
pub struct Parallel<E> {
    own: E,
    helpers: Vec<Helper>,
}

/// A thread that evaluates its share of a batch until it is no longer asked.
struct Helper {
    shares: Option<Sender<Vec<Board>>>,
    answers: Receiver<(Vec<Board>, Vec<Evaluation>)>,
    thread: Option<JoinHandle<()>>,
    /// Memory for the next share.
    spare: Vec<Board>,
}

/// Boards for which another thread is worth waking.
const LEAST_SHARE: usize = 2;

impl<E: Evaluator + Clone + Send + 'static> Parallel<E> {
    /// Evaluates on so many threads, that of the caller included; at least 1.
    pub fn new(evaluator: E, threads: usize) -> Parallel<E> {
        let helpers = (1..threads).map(|_| Helper::start(evaluator.clone()));
        Parallel {
            helpers: helpers.collect(),
            own: evaluator,
        }
    }
}

impl Helper {
    fn start(mut evaluator: impl Evaluator + Send + 'static) -> Helper {
        let (shares, asked) = channel::<Vec<Board>>();
        let (answer, answers) = channel();
        let thread = std::thread::spawn(move || {
            for boards in asked {
                let mut evaluations = Vec::with_capacity(boards.len());
                evaluator.evaluate(&boards, &mut evaluations);
                if answer.send((boards, evaluations)).is_err() {
                    return;
                }
            }
        });
        Helper {
            shares: Some(shares),
            answers,
            thread: Some(thread),
            spare: Vec::new(),
        }
    }

    fn ask(&mut self, boards: &[Board]) {
        let mut share = std::mem::take(&mut self.spare);
        share.clear();
        share.extend_from_slice(boards);
        let shares = self
            .shares
            .as_ref()
            .expect("open until the helper is dropped");
        shares
            .send(share)
            .expect("a helper ends after its evaluator only");
    }

    fn answer(&mut self) -> Vec<Evaluation> {
        match self.answers.recv() {
            Ok((boards, evaluations)) => {
                self.spare = boards;
                evaluations
            }
            Err(_) => self.pass_on_panic(),
        }
    }

    /// A helper that gave no answer has panicked; so does the one who waits for it.
    fn pass_on_panic(&mut self) -> ! {
        self.shares = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => unreachable!("a helper answers whatever it is asked"),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.shares = None;
        if let Some(thread) = self.thread.take() {
            // A panic was passed on already, or nobody waits for the answer any more.
            let _ = thread.join();
        }
    }
}

impl<E: Evaluator> Evaluator for Parallel<E> {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        let threads = (boards.len() / LEAST_SHARE).clamp(1, 1 + self.helpers.len());
        let share = boards.len().div_ceil(threads).max(1);
        let (own, rest) = boards.split_at(share.min(boards.len()));
        let mut asked = 0;
        for (helper, boards) in self.helpers.iter_mut().zip(rest.chunks(share)) {
            helper.ask(boards);
            asked += 1;
        }
        self.own.evaluate(own, out);
        for helper in &mut self.helpers[..asked] {
            out.extend(helper.answer());
        }
    }
}

#[cfg(test)]
mod tests {
    use outflank_rules::Size;
    use outflank_search::DiscCount;

    use super::*;

    /// Positions of a few plies, all different in their discs.
    fn boards() -> Vec<Board> {
        let mut boards = vec![Board::start(Size::Eight)];
        for i in 0..40 {
            let board = boards[i];
            let next = board.legal_moves().filter_map(|square| board.play(square));
            boards.extend(next);
        }
        boards.truncate(37);
        boards
    }

    #[test]
    fn threads_never_change_an_answer() {
        let boards = boards();
        let mut expected = Vec::new();
        for threads in [1, 2, 3, 8] {
            let mut evaluator = Parallel::new(DiscCount, threads);
            for count in [0, 1, 2, 3, 17, boards.len()] {
                DiscCount.evaluate(&boards[..count], &mut expected);
                let mut found = vec![Evaluation::EVEN];
                evaluator.evaluate(&boards[..count], &mut found);
                assert_eq!(found, expected, "{threads} threads, {count} boards");
            }
        }
    }

    #[test]
    fn a_panic_in_a_thread_reaches_the_caller() {
        #[derive(Clone)]
        struct Failing(std::thread::ThreadId);
        impl Evaluator for Failing {
            fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
                assert!(std::thread::current().id() == self.0, "not here");
                DiscCount.evaluate(boards, out);
            }
        }
        let failed = std::panic::catch_unwind(|| {
            let failing = Failing(std::thread::current().id());
            Parallel::new(failing, 2).evaluate(&boards(), &mut Vec::new());
        });
        assert!(failed.is_err());
    }
}
