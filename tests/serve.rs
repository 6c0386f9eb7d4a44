//! `outflank serve` gives out the page, thinks, and refuses what is not for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The start of the 8x8 game, Black to move.
const START: &str = "---------------------------OX------XO--------------------------- X";

/// A server on a free port, stopped with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_outflank"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        let mut line = String::new();
        let output = process.stdout.take().expect("the output is piped");
        BufReader::new(output)
            .read_line(&mut line)
            .expect("the server says where it listens");
        let address = line
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Server { process, address }
    }

    /// The head and the body of an answer.
    fn ask(&self, request: &str, headers: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let length = body.len();
        write!(
            stream,
            "{request} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}",
            self.address
        )
        .expect("the request is taken");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head.to_owned(), body.to_owned())
    }

    fn think(&self, task: &str) -> (String, String) {
        self.ask("POST /think", "", task)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().expect("the server can be stopped");
        self.process.wait().expect("the server stops");
    }
}

fn task(position: &str, simulations: u32) -> String {
    format!(r#"{{"position":"{position}","aim":"play","simulations":{simulations}}}"#)
}

#[test]
fn the_page_comes_with_its_models() {
    let server = Server::start(&[]);
    let (head, body) = server.ask("GET /", "", "");
    assert!(
        head.starts_with("HTTP/1.1 200") && body.contains("<title>Outflank</title>"),
        "{head}"
    );
    let (head, _) = server.ask("GET /outflank.wasm", "", "");
    assert!(head.contains("application/wasm"), "{head}");
    let (_, body) = server.ask("GET /models.json", "", "");
    assert!(body.contains(r#""size":8"#), "{body}");
    for path in ["/nothing", "/../Cargo.toml", "/%2e%2e%2fCargo.toml"] {
        let (head, _) = server.ask(&format!("GET {path}"), "", "");
        assert!(head.starts_with("HTTP/1.1 404"), "{path}: {head}");
    }
}

#[test]
fn it_thinks_to_the_end() {
    let server = Server::start(&[]);
    let (head, body) = server.think(&task(START, 50));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}: {body}");
    let last = body.lines().rfind(|line| line.contains("simulations"));
    let last = last.expect("a line");
    assert!(
        last.contains(r#""done":true"#) && last.contains(r#""simulations":50"#),
        "{last}"
    );
    // A limit of no seconds leaves the first step.
    let server = Server::start(&["--seconds", "0"]);
    let (_, body) = server.think(&task(START, 300_000));
    assert!(body.contains(r#""done":true"#), "{body}");
}

#[test]
fn what_is_not_for_it_is_refused() {
    let server = Server::start(&["--thoughts", "1"]);
    for (task, status) in [
        (task("nothing", 1), "400"),
        (task("-----OX--XO----- X", 1), "400"),
        ("{".to_owned(), "400"),
        ("x".repeat(100_000), "413"),
    ] {
        let (head, body) = server.think(&task);
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status}")),
            "{head}: {body}"
        );
    }
    let origin = "origin: http://example.org\r\n";
    let (head, _) = server.ask("POST /think", origin, &task(START, 1));
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");

    // One thought at a time: a second is turned away until the first one's reader is gone.
    let mut first = TcpStream::connect(&server.address).expect("the server listens");
    let body = task(START, 300_000);
    let (host, length) = (&server.address, body.len());
    write!(
        first,
        "POST /think HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .expect("the request is taken");
    let mut head = [0; 12];
    first.read_exact(&mut head).expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 200");
    let (refused, _) = server.think(&task(START, 1));
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    drop(first);
    let accepted = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        server.think(&task(START, 1)).0.starts_with("HTTP/1.1 200")
    });
    assert!(accepted, "the seat is free again");
}
