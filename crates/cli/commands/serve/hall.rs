//! Models and thinkers, for as many thoughts at a time as there are seats.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use hyper::StatusCode;
use hyper::body::Bytes;
use outflank_net::Model;
use outflank_rules::Size;
use outflank_web::{Description, Task, Thinker};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use super::Refusal;
use crate::args::Serve;
use crate::players::load_named;

/// How long a thinker thinks at once, and how often what it found is shown.
const STEP: Duration = Duration::from_millis(25);
const SHOW_EVERY: Duration = Duration::from_millis(120);

/// What all requests share.
pub struct Hall {
    desks: Vec<Arc<Desk>>,
    seats: Arc<Semaphore>,
    most_thoughts: usize,
    most_time: Duration,
    is_local: bool,
}

/// A model, and the thinkers that are not at work.
struct Desk {
    size: Size,
    model: Model,
    table_bytes: usize,
    description: Description,
    free: Mutex<Vec<Thinker>>,
}

impl Hall {
    pub fn new(args: &Serve) -> Result<Hall> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most_thoughts = args.thoughts.map_or(cores, usize::from);
        let mut desks: Vec<Arc<Desk>> = Vec::new();
        for name in &args.models {
            let (_, model) = load_named(name)?;
            let desk = Desk::new(model, args.table << 20);
            let size = desk.size;
            if desks.iter().any(|other| other.size == size) {
                bail!(
                    "{}: there is another model for the {size} board; expected one for each size",
                    name.display()
                );
            }
            desks.push(Arc::new(desk));
        }
        Ok(Hall {
            desks,
            seats: Arc::new(Semaphore::new(most_thoughts)),
            most_thoughts,
            most_time: Duration::from_secs(args.seconds.into()),
            is_local: args.listen.is_loopback(),
        })
    }

    pub fn most_thoughts(&self) -> usize {
        self.most_thoughts
    }

    /// Whether only this machine is listened to.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// The models, and where to ask them.
    pub fn models(&self) -> Value {
        let listed =
            |desk: &Arc<Desk>| json!({ "think": "think", "description": desk.description });
        self.desks.iter().map(listed).collect()
    }

    /// Begins to think about a task, and hands out the newest line of JSON of what has been found,
    /// the last one `done`. The thought ends when nobody watches it.
    pub async fn think(&self, task: Task) -> Result<watch::Receiver<Bytes>, Refusal> {
        let Ok(seat) = self.seats.clone().try_acquire_owned() else {
            let message = "too many thoughts at a time; try again";
            return Err((StatusCode::SERVICE_UNAVAILABLE, message.to_owned()));
        };
        let Some(desk) = self.desk(&task).cloned() else {
            let message = "there is no model";
            return Err((StatusCode::SERVICE_UNAVAILABLE, message.to_owned()));
        };
        let begin = {
            let desk = desk.clone();
            move || desk.begin(task)
        };
        let begun = spawn_blocking(begin).await.map_err(|error| {
            let message = format!("the thought has failed: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, message)
        })?;
        let mut thinker = begun?;
        let (show, shown) = watch::channel(Bytes::new());
        let most_time = self.most_time;
        spawn_blocking(move || {
            think_aloud(&mut thinker, most_time, &show);
            desk.give_back(thinker);
            drop(seat);
        });
        Ok(shown)
    }

    /// The model for a task. Where none fits, the first says which board it plays on.
    fn desk(&self, task: &Task) -> Option<&Arc<Desk>> {
        let area = task.position.split_whitespace().next().map_or(0, str::len);
        let fits = |desk: &&Arc<Desk>| desk.size.area() == area;
        self.desks.iter().find(fits).or(self.desks.first())
    }
}

impl Desk {
    fn new(model: Model, table_bytes: usize) -> Desk {
        let thinker = Thinker::new(&model, table_bytes);
        Desk {
            size: model.weights.architecture().size,
            model,
            table_bytes,
            description: thinker.description(),
            free: Mutex::new(vec![thinker]),
        }
    }

    /// A thinker that has begun a task.
    fn begin(&self, task: Task) -> Result<Thinker, Refusal> {
        let free = self.free().pop();
        let mut thinker = free.unwrap_or_else(|| Thinker::new(&self.model, self.table_bytes));
        match thinker.begin(task) {
            Ok(()) => Ok(thinker),
            Err(error) => {
                self.give_back(thinker);
                Err((StatusCode::BAD_REQUEST, error.to_string()))
            }
        }
    }

    fn give_back(&self, thinker: Thinker) {
        self.free().push(thinker);
    }

    fn free(&self) -> MutexGuard<'_, Vec<Thinker>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Thinks until all is found, the time is over or nobody watches.
fn think_aloud(thinker: &mut Thinker, most_time: Duration, show: &watch::Sender<Bytes>) {
    let begun = Instant::now();
    let mut shown = begun;
    while !show.is_closed()
        && let Some(mut thought) = thinker.step(STEP)
    {
        thought.done |= begun.elapsed() >= most_time;
        if thought.done || shown.elapsed() >= SHOW_EVERY {
            shown = Instant::now();
            show.send_replace(Bytes::from(format!("{}\n", json!(thought))));
        }
        if thought.done {
            break;
        }
    }
}
