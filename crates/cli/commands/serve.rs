//! `outflank serve`: the page of the crate `web`, with this program behind it instead of a worker.
//!
//! The page sends a position with each task, so nothing is kept from one request to the next, and
//! players at the same time know nothing of each other. What whoever connects can take is bounded:
//!
//! | what | at most | beyond it |
//! |---|---|---|
//! | connections at a time | `--connections` | they wait to be accepted |
//! | requests of a connection | 1 | it is closed |
//! | a request's head | [`HEAD_BYTES`], 100 headers | 431 |
//! | a task | [`TASK_BYTES`] | 413 |
//! | seconds for the head, for the task, and for taking each part of the answer | `--patience` | the connection is closed |
//! | thoughts at a time, each on a thread of its own | `--thoughts` | 503 |
//! | seconds of a thought | `--seconds` | it ends with what it has found |
//!
//! So a connection takes some 50 KB, whoever uses it, and a thought its thinker's memory. A thought
//! never waits for its reader, who misses lines by being slow, and ends when the reader has gone.

mod hall;
mod patience;

use std::convert::Infallible;
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow};
use futures::future::{Either, select};
use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, StreamBody};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use outflank_web::Task;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::args::Serve;
use crate::page;
use hall::Hall;
use patience::Patience;

/// The longest head of a request.
const HEAD_BYTES: usize = 16 << 10;

/// The longest task.
const TASK_BYTES: usize = 2 << 10;

/// How long connections are not accepted after that has failed.
const ACCEPT_AGAIN: Duration = Duration::from_millis(500);

/// How long a client that still sends has for noticing that it has been answered.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long thoughts have for noticing that the server ends: more than a step of theirs.
const LAST_STEPS: Duration = Duration::from_secs(2);

/// Why a request is not answered: a status and a message.
type Refusal = (StatusCode, String);

type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

pub fn run(args: &Serve) -> Result<()> {
    let hall = Arc::new(Hall::new(args)?);
    // One thread for all connections, and one for each thought. A worker, and not this thread, has
    // the connections, as it drops them at once when the runtime is shut down.
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(hall.most_thoughts())
        .enable_all()
        .build()
        .context("cannot start to serve")?;
    let result = runtime.block_on(serve(args, hall));
    runtime.shutdown_timeout(LAST_STEPS);
    result
}

/// Serves until the process is asked to end.
async fn serve(args: &Serve, hall: Arc<Hall>) -> Result<()> {
    let address = SocketAddr::new(args.listen, args.port);
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => anyhow!("{address} is in use; expected another --port"),
            _ => Error::new(error).context(address.to_string()),
        })?;
    let end = asked_to_end().context("cannot wait for signals")?;
    println!("http://{}/ (stop with Ctrl-C)", listener.local_addr()?);
    let patience = Duration::from_secs(args.patience.into());
    let accept = accept_all(listener, args.connections.into(), patience, hall);
    select(pin!(accept), pin!(end)).await;
    Ok(())
}

/// Ends with the first SIGINT or SIGTERM.
#[cfg(unix)]
fn asked_to_end() -> std::io::Result<impl Future> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        select(pin!(interrupt.recv()), pin!(terminate.recv())).await;
    })
}

/// Ends with the first Ctrl-C.
#[cfg(not(unix))]
fn asked_to_end() -> std::io::Result<impl Future> {
    Ok(tokio::signal::ctrl_c())
}

/// Accepts so many connections at a time, for ever.
async fn accept_all(listener: TcpListener, most: usize, patience: Duration, hall: Arc<Hall>) {
    let places = Arc::new(Semaphore::new(most));
    loop {
        let place = places.clone().acquire_owned().await;
        let place = place.expect("the places are never closed");
        match listener.accept().await {
            Ok((stream, _)) => {
                let hall = hall.clone();
                tokio::spawn(async move {
                    attend(stream, patience, &hall).await;
                    drop(place);
                });
            }
            // It has gone away again.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            // Such as too many open files, which may be fewer soon. Nor is an end of standard error
            // the server's.
            Err(error) => {
                let message = format!("outflank: cannot accept connections: {error}; trying again");
                let _ = writeln!(std::io::stderr(), "{message}");
                sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

/// Answers the request of a connection, and closes it. Who goes away misses the answer, and that is
/// all.
async fn attend<S>(mut stream: S, patience: Duration, hall: &Arc<Hall>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let patience = Patience::new(patience);
    {
        let service = service_fn(|request| answer(hall, &patience, request));
        let answered = http1::Builder::new()
            .keep_alive(false)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(&mut stream), service);
        if let Either::Right(_) = select(pin!(answered), pin!(patience.lost())).await {
            return;
        }
    }
    // Closing a stream with something unread in it would take the answer back.
    let _ = timeout(LAST_WORDS, read_to_end(stream)).await;
}

async fn read_to_end<S>(mut stream: S) -> std::io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    stream.shutdown().await?;
    while stream.read(&mut [0; 1024]).await? > 0 {}
    Ok(())
}

/// Answers a request whose head has arrived.
async fn answer(
    hall: &Arc<Hall>,
    patience: &Patience,
    request: Request<Incoming>,
) -> Result<Answer, Infallible> {
    patience.renew();
    let found = find(hall, patience, request).await;
    patience.renew();
    Ok(found.unwrap_or_else(|(status, message)| {
        let mut answer = whole(message, "text/plain; charset=utf-8");
        *answer.status_mut() = status;
        answer
    }))
}

async fn find(
    hall: &Arc<Hall>,
    patience: &Patience,
    request: Request<Incoming>,
) -> Result<Answer, Refusal> {
    if !is_from_this_page(&request, hall.is_local()) {
        let message = "only the page of this server may ask";
        return Err((StatusCode::FORBIDDEN, message.to_owned()));
    }
    let path = request.uri().path();
    match (request.method(), path) {
        (&Method::POST, "/think") => {
            let task = read_task(request.into_body()).await?;
            Ok(spoken(hall.think(task).await?, patience.clone()))
        }
        (&Method::GET | &Method::HEAD, "/models.json") => {
            Ok(whole(hall.models().to_string(), "application/json"))
        }
        (&Method::GET | &Method::HEAD, "/") => file("index.html"),
        (&Method::GET | &Method::HEAD, path) => file(path.trim_start_matches('/')),
        _ => {
            let message = "expected GET, or POST to /think";
            Err((StatusCode::METHOD_NOT_ALLOWED, message.to_owned()))
        }
    }
}

/// Whether a request is not from the script of another page: a local server is no secret to them.
fn is_from_this_page(request: &Request<Incoming>, is_local: bool) -> bool {
    let text = |name: HeaderName| {
        let value = request.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()))
    };
    is_of_this_page(text(HOST).as_deref(), text(ORIGIN).as_deref(), is_local)
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

async fn read_task(body: Incoming) -> Result<Task, Refusal> {
    let too_long = || {
        let message = format!("the task is too long; expected at most {TASK_BYTES} bytes");
        (StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    if body.size_hint().lower() > TASK_BYTES as u64 {
        return Err(too_long());
    }
    let read = Limited::new(body, TASK_BYTES).collect().await;
    let text = read.map_err(|error| match error.is::<LengthLimitError>() {
        true => too_long(),
        false => {
            let message = format!("the task did not arrive: {error}");
            (StatusCode::BAD_REQUEST, message)
        }
    })?;
    serde_json::from_slice(&text.to_bytes())
        .map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))
}

/// A file of the page.
fn file(name: &str) -> Result<Answer, Refusal> {
    let found = page::FILES.iter().find(|(file, _)| *file == name);
    let Some((_, content)) = found else {
        let message = "there is no such file";
        return Err((StatusCode::NOT_FOUND, message.to_owned()));
    };
    let kind = match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => "application/manifest+json",
    };
    Ok(whole(*content, kind))
}

/// An answer that is there already.
fn whole(content: impl Into<Bytes>, kind: &'static str) -> Answer {
    of_kind(kind, Full::new(content.into()).boxed_unsync())
}

/// An answer of one line of JSON whenever something has been found, the last one `done`.
fn spoken(thoughts: watch::Receiver<Bytes>, patience: Patience) -> Answer {
    let next = |(mut thoughts, patience): (watch::Receiver<Bytes>, Patience)| async {
        thoughts.changed().await.ok()?;
        patience.renew();
        let line = thoughts.borrow_and_update().clone();
        Some((Ok(Frame::data(line)), (thoughts, patience)))
    };
    let lines = stream::unfold((thoughts, patience), next);
    of_kind(
        "application/x-ndjson",
        StreamBody::new(lines).boxed_unsync(),
    )
}

fn of_kind(kind: &'static str, content: UnsyncBoxBody<Bytes, Infallible>) -> Answer {
    let mut answer = Response::new(content);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

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

    #[test]
    fn who_does_not_read_is_given_up() {
        let Command::Serve(args) = Cli::parse_from(["outflank", "serve"]).command else {
            unreachable!("that is the command")
        };
        let hall = Arc::new(Hall::new(&args).expect("the model that is shipped"));
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let answer = runtime.expect("a runtime").block_on(async {
            let (mut client, server) = tokio::io::duplex(1024);
            let request = b"GET /outflank.wasm HTTP/1.1\r\nhost: localhost\r\n\r\n";
            client.write_all(request).await.expect("a request fits");
            attend(server, Duration::from_millis(500), &hall).await;
            let mut answer = Vec::new();
            let read = client.read_to_end(&mut answer).await;
            read.expect("the stream has ended");
            answer
        });
        assert!(answer.starts_with(b"HTTP/1.1 200") && answer.len() == 1024);
    }
}
