use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use outflank_rules::Board;
use outflank_search::{Evaluation, Evaluator};

/// One evaluator for many threads, as a GPU wants it: while it evaluates a batch, the boards that
/// other threads ask about gather into the next.
///
/// On a CPU an evaluator for each thread is faster.
pub struct Batcher {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
    done: Arc<Done>,
}

/// What was evaluated so far.
#[derive(Default)]
struct Done {
    batches: AtomicU64,
    boards: AtomicU64,
}

/// Boards of one thread, and where their evaluations go.
struct Request {
    boards: Vec<Board>,
    reply: Sender<Vec<Evaluation>>,
}

/// A thread's end of a [`Batcher`].
#[derive(Clone)]
pub struct Batched {
    requests: Sender<Request>,
}

impl Batcher {
    /// Starts the thread that evaluates, in batches of about `most` boards: a request is never
    /// divided. `evaluator` is called in that thread.
    pub fn start<E: Evaluator>(
        evaluator: impl FnOnce() -> E + Send + 'static,
        most: usize,
    ) -> Batcher {
        let (requests, asked) = channel();
        let done = Arc::new(Done::default());
        let count = done.clone();
        let thread = std::thread::spawn(move || serve(&mut evaluator(), &asked, most, &count));
        Batcher {
            requests: Some(requests),
            thread: Some(thread),
            done,
        }
    }

    /// Boards of a batch so far, on average; 0 before the first.
    pub fn mean_batch(&self) -> f64 {
        let boards = self.done.boards.load(Ordering::Relaxed) as f64;
        boards / self.done.batches.load(Ordering::Relaxed).max(1) as f64
    }

    /// An evaluator for one more thread.
    pub fn evaluator(&self) -> Batched {
        let requests = self.requests.clone();
        Batched {
            requests: requests.expect("open until the batcher is dropped"),
        }
    }
}

impl Drop for Batcher {
    /// Waits for the thread, which ends when all evaluators are gone too.
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // Whoever waited for an answer has panicked already.
            let _ = thread.join();
        }
    }
}

fn serve(evaluator: &mut impl Evaluator, asked: &Receiver<Request>, most: usize, done: &Done) {
    let (mut boards, mut evaluations) = (Vec::new(), Vec::new());
    while let Ok(first) = asked.recv() {
        let mut requests = vec![first];
        let mut count = requests[0].boards.len();
        while count < most {
            let Ok(request) = asked.try_recv() else { break };
            count += request.boards.len();
            requests.push(request);
        }
        boards.clear();
        for request in &requests {
            boards.extend_from_slice(&request.boards);
        }
        evaluator.evaluate(&boards, &mut evaluations);
        done.batches.fetch_add(1, Ordering::Relaxed);
        done.boards
            .fetch_add(boards.len() as u64, Ordering::Relaxed);
        let mut rest = evaluations.drain(..);
        for request in requests {
            let answer = rest.by_ref().take(request.boards.len()).collect();
            // One that is gone does not miss its answer.
            let _ = request.reply.send(answer);
        }
    }
}

impl Evaluator for Batched {
    /// # Panics
    /// If the evaluator behind has panicked.
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        let (reply, answer) = channel();
        let request = Request {
            boards: boards.to_vec(),
            reply,
        };
        let sent = self.requests.send(request);
        let answer = sent.ok().and_then(|()| answer.recv().ok());
        *out = answer.expect("the evaluator that all threads share is alive");
    }
}

#[cfg(test)]
mod tests {
    use outflank_rules::Size;
    use outflank_search::DiscCount;

    use super::*;

    #[test]
    fn every_thread_gets_its_own_answers() {
        let batcher = Batcher::start(|| DiscCount, 8);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let mut evaluator = batcher.evaluator();
                scope.spawn(move || {
                    let mut board = Board::start(Size::Eight);
                    for step in 0..40 {
                        let moves: Vec<_> = board.legal_moves().collect();
                        let Some(square) = moves.get((thread + step) % moves.len().max(1)) else {
                            break;
                        };
                        board = board.play(*square).expect("legal");
                        let boards = vec![board; 1 + step % 3];
                        let (mut found, mut expected) = (Vec::new(), Vec::new());
                        evaluator.evaluate(&boards, &mut found);
                        DiscCount.evaluate(&boards, &mut expected);
                        assert_eq!(found, expected);
                    }
                });
            }
        });
    }

    #[test]
    fn what_is_asked_meanwhile_becomes_the_next_batch() {
        struct Waiting {
            begun: Sender<usize>,
            go: Receiver<()>,
        }
        impl Evaluator for Waiting {
            fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
                self.begun.send(boards.len()).expect("the test listens");
                self.go.recv().expect("the test lets it go");
                DiscCount.evaluate(boards, out);
            }
        }
        let (begun, sizes) = channel();
        let (release, go) = channel();
        let batcher = Batcher::start(move || Waiting { begun, go }, 8);
        let requests = batcher.evaluator().requests;
        let ask = |count| {
            let (reply, answer) = channel();
            let boards = vec![Board::start(Size::Eight); count];
            requests.send(Request { boards, reply }).unwrap();
            answer
        };
        let first = ask(3);
        assert_eq!(sizes.recv(), Ok(3));
        let others = [ask(3), ask(4), ask(2), ask(1)];
        for size in [9, 1] {
            release.send(()).unwrap();
            assert_eq!(sizes.recv(), Ok(size));
        }
        release.send(()).unwrap();
        assert_eq!(first.recv().unwrap().len(), 3);
        assert_eq!(
            others.map(|answer| answer.recv().unwrap().len()),
            [3, 4, 2, 1]
        );
        drop(requests);
        assert_eq!(batcher.mean_batch(), 13.0 / 3.0);
    }

    #[test]
    fn a_panic_behind_reaches_those_who_ask() {
        struct Failing;
        impl Evaluator for Failing {
            fn evaluate(&mut self, _: &[Board], _: &mut Vec<Evaluation>) {
                panic!("no answer");
            }
        }
        let batcher = Batcher::start(|| Failing, 8);
        let mut evaluator = batcher.evaluator();
        let asked = std::panic::AssertUnwindSafe(|| {
            evaluator.evaluate(&[Board::start(Size::Eight)], &mut Vec::new());
        });
        assert!(std::panic::catch_unwind(asked).is_err());
        drop(evaluator);
    }
}
