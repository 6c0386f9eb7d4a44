//! `outflank serve`: the page of the crate `web`, with this program behind it instead of a worker.
//!
//! The page sends a position with each task, so nothing is kept from one request to the next, and
//! players at the same time know nothing of each other.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use outflank_net::Model;
use outflank_rules::Size;
use outflank_web::{Description, Task, Thinker};
use serde_json::json;
use tiny_http::{Header, Method, Request, Response, Server};

use crate::args::Serve;
use crate::page;
use crate::players::load_named;

/// The longest task.
const TASK_BYTES: u64 = 2048;

/// How long a thinker thinks at once, and how often what it found is sent.
const STEP: Duration = Duration::from_millis(25);
const SHOW_EVERY: Duration = Duration::from_millis(120);

/// What all requests share.
struct Hall {
    desks: Vec<Desk>,
    thoughts: AtomicUsize,
    most_thoughts: usize,
    most_time: Duration,
    table_bytes: usize,
    /// Whether only this machine is listened to.
    is_local: bool,
}

/// A model, and the thinkers that are not at work.
struct Desk {
    size: Size,
    model: Model,
    description: Description,
    free: Mutex<Vec<Thinker>>,
}

/// Why a request is not answered: a status and a message.
type Refusal = (u16, String);

pub fn run(args: &Serve) -> Result<()> {
    let hall = Arc::new(Hall::new(args)?);
    let address = SocketAddr::new(args.listen, args.port);
    let server = Server::http(address).map_err(|error| anyhow!("{address}: {error}"))?;
    println!("http://{}/ (stop with Ctrl-C)", server.server_addr());
    for request in server.incoming_requests() {
        let hall = hall.clone();
        std::thread::Builder::new()
            .spawn(move || answer(&hall, request))
            .context("cannot start a thread for a request")?;
    }
    Ok(())
}

impl Hall {
    fn new(args: &Serve) -> Result<Hall> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most_thoughts = args.thoughts.unwrap_or(cores);
        if most_thoughts == 0 {
            bail!("--thoughts is 0; expected 1 or more");
        }
        let mut hall = Hall {
            desks: Vec::new(),
            thoughts: AtomicUsize::new(0),
            most_thoughts,
            most_time: Duration::from_secs(args.seconds.into()),
            table_bytes: args.table << 20,
            is_local: args.listen.is_loopback(),
        };
        for name in &args.models {
            let (_, model) = load_named(name)?;
            let size = model.weights.architecture().size;
            if hall.desks.iter().any(|desk| desk.size == size) {
                bail!(
                    "{name}: there is another model for the {size} board; expected one for each size"
                );
            }
            let thinker = Thinker::new(&model, hall.table_bytes);
            hall.desks.push(Desk {
                size,
                model,
                description: thinker.description(),
                free: Mutex::new(vec![thinker]),
            });
        }
        Ok(hall)
    }

    /// A seat for one more thought, if there is one.
    fn sit_down(&self) -> Option<Seat<'_>> {
        let one_more = |count: usize| (count < self.most_thoughts).then_some(count + 1);
        self.thoughts
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more)
            .ok()
            .map(|_| Seat(&self.thoughts))
    }
}

/// One of the thoughts at a time, as long as it lives.
struct Seat<'a>(&'a AtomicUsize);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Desk {
    fn take(&self, table_bytes: usize) -> Thinker {
        let free = self
            .free
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        free.unwrap_or_else(|| Thinker::new(&self.model, table_bytes))
    }

    fn give_back(&self, thinker: Thinker) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(thinker);
    }
}

/// Answers one request. Who has gone away misses the answer, and that is all.
fn answer(hall: &Hall, request: Request) {
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    let (method, path) = (request.method().clone(), path.to_owned());
    let found = match (method, path.as_str()) {
        _ if !is_from_this_page(&request, hall.is_local) => {
            Err((403, "only the page of this server may ask".to_owned()))
        }
        (Method::Post, "/think") => return think(hall, request),
        (Method::Get | Method::Head, "/models.json") => Ok(models(hall)),
        (Method::Get | Method::Head, "/") => file("index.html"),
        (Method::Get | Method::Head, path) => file(path.trim_start_matches('/')),
        _ => Err((405, "expected GET, or POST to /think".to_owned())),
    };
    match found {
        Ok((content, kind)) => {
            let response = Response::from_data(content).with_header(header("Content-Type", kind));
            let response = response.with_header(header("Cache-Control", "no-cache"));
            let _ = request.respond(response);
        }
        Err(refusal) => refuse(request, refusal),
    }
}

fn refuse(request: Request, (status, message): Refusal) {
    let _ = request.respond(Response::from_string(message).with_status_code(status));
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("names and values here are plain text")
}

/// Whether a request is not from the script of another page: a local server is no secret to them.
fn is_from_this_page(request: &Request, is_local: bool) -> bool {
    let text = |name: &'static str| {
        let found = request
            .headers()
            .iter()
            .find(|header| header.field.equiv(name));
        found.map(|header| header.value.as_str())
    };
    is_of_this_page(text("Host"), text("Origin"), is_local)
}

fn is_of_this_page(host: Option<&str>, origin: Option<&str>, is_local: bool) -> bool {
    let Some(host) = host else {
        return false;
    };
    // Names that somebody else's server may give this machine are not ours.
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if is_local && !["localhost", "127.0.0.1", "[::1]"].contains(&name) {
        return false;
    }
    origin.is_none_or(|origin| origin == format!("http://{host}"))
}

/// A file of the page, and what kind it is.
fn file(name: &str) -> Result<(Vec<u8>, &'static str), Refusal> {
    let found = page::FILES.iter().find(|(file, _)| *file == name);
    let Some((_, content)) = found else {
        return Err((404, "there is no such file".to_owned()));
    };
    let kind = match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => "application/manifest+json",
    };
    Ok((content.to_vec(), kind))
}

/// The models, and where to ask them.
fn models(hall: &Hall) -> (Vec<u8>, &'static str) {
    let listed = |desk: &Desk| json!({ "think": "think", "description": desk.description });
    let models: Vec<_> = hall.desks.iter().map(listed).collect();
    (json!(models).to_string().into_bytes(), "application/json")
}

/// Thinks about the task of a request: one line of JSON whenever something has been found, the last
/// one `done`.
fn think(hall: &Hall, mut request: Request) {
    let task = match read_task(&mut request) {
        Ok(task) => task,
        Err(refusal) => return refuse(request, refusal),
    };
    let Some(_seat) = hall.sit_down() else {
        let message = "too many thoughts at a time; try again".to_owned();
        return refuse(request, (503, message));
    };
    // Where no model fits, the first says which board it plays on.
    let area = task.position.split_whitespace().next().map_or(0, str::len);
    let fits = |desk: &&Desk| desk.size.area() == area;
    let Some(desk) = hall.desks.iter().find(fits).or(hall.desks.first()) else {
        return refuse(request, (503, "there is no model".to_owned()));
    };
    let mut thinker = desk.take(hall.table_bytes);
    match thinker.begin(task) {
        Ok(()) => {
            // An error says that nobody listens any more.
            let _ = think_aloud(&mut thinker, hall.most_time, request.into_writer());
        }
        Err(error) => refuse(request, (400, error.to_string())),
    }
    desk.give_back(thinker);
}

fn read_task(request: &mut Request) -> Result<Task, Refusal> {
    let too_long = || {
        (
            413,
            format!("the task is too long; expected at most {TASK_BYTES} bytes"),
        )
    };
    if request
        .body_length()
        .is_some_and(|length| length as u64 > TASK_BYTES)
    {
        return Err(too_long());
    }
    let mut body = Vec::new();
    let mut reader = request.as_reader().take(TASK_BYTES + 1);
    let read = reader.read_to_end(&mut body);
    read.map_err(|error| (400, format!("the task did not arrive: {error}")))?;
    if body.len() as u64 > TASK_BYTES {
        return Err(too_long());
    }
    serde_json::from_slice(&body).map_err(|error| (400, error.to_string()))
}

/// Thinks until all is found or the time is over. Each line is sent at once, as a chunk of its own.
fn think_aloud(
    thinker: &mut Thinker,
    most_time: Duration,
    mut output: impl Write,
) -> std::io::Result<()> {
    output.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n",
    )?;
    let begun = Instant::now();
    let mut shown = begun;
    while let Some(mut thought) = thinker.step(STEP) {
        thought.done |= begun.elapsed() >= most_time;
        if thought.done || shown.elapsed() >= SHOW_EVERY {
            shown = Instant::now();
            let line = format!("{}\n", json!(thought));
            write!(output, "{:x}\r\n{line}\r\n", line.len())?;
            output.flush()?;
        }
        if thought.done {
            break;
        }
    }
    output.write_all(b"0\r\n\r\n")?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_pages_are_refused() {
        let local = Some("127.0.0.1:8008");
        assert!(is_of_this_page(local, None, true));
        assert!(is_of_this_page(local, Some("http://127.0.0.1:8008"), true));
        assert!(is_of_this_page(Some("localhost:8008"), None, true));
        for origin in ["http://example.org", "http://127.0.0.1:9", "null"] {
            assert!(!is_of_this_page(local, Some(origin), true), "{origin}");
        }
        assert!(!is_of_this_page(Some("example.org:8008"), None, true));
        assert!(is_of_this_page(Some("example.org:8008"), None, false));
        assert!(!is_of_this_page(None, None, false));
    }
}
