//! What a client can take is bounded, whatever it does.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::server::{LONG, SECOND, START, Server, assert_status, rest, task};

#[test]
#[cfg(target_os = "linux")]
fn what_a_head_claims_is_not_allocated() {
    // Addresses for 3 GB, less than any of the claims.
    let server = Server::start_with("-v 3000000", &["--patience", "1"]);
    for (length, statuses) in [
        ("4000000000", ["200", "413", "403"]),
        ("99999999999", ["200", "413", "403"]),
        ("18446744073709551615", ["431"; 3]),
    ] {
        let claim = format!("content-length: {length}\r\n");
        let elsewhere = format!("origin: http://example.org\r\n{claim}");
        let requests = [
            server.head("GET /", &claim),
            server.head("POST /think", &claim),
            server.head("POST /think", &elsewhere),
        ];
        for (request, status) in requests.iter().zip(statuses) {
            let answer = server.send(format!("{request}xx").as_bytes());
            assert_status(&answer, status, request);
        }
    }
    let chunk = "transfer-encoding: chunked\r\n";
    let bytes = format!("{}FFFFFFFFFF\r\nxx", server.head("POST /think", chunk));
    assert_eq!(server.send(bytes.as_bytes()), "");
    server.thought(&task(START, 1));
}

#[test]
#[cfg(target_os = "linux")]
fn it_goes_on_when_descriptors_are_short() {
    use std::io::{BufRead, BufReader};
    let mut server = Server::start_with("-n 40", &["--patience", "600"]);
    let idle: Vec<TcpStream> = (0..60).map(|_| server.connect()).collect();
    let errors = server.process.stderr.take();
    let mut line = String::new();
    BufReader::new(errors.expect("the errors are piped"))
        .read_line(&mut line)
        .expect("the server says what is short");
    assert!(line.contains("cannot accept connections"), "{line}");
    // Nobody reads its errors any more, and that is no reason to end either.
    drop(idle);
    server.thought(&task(START, 1));
}

#[test]
fn more_connections_wait() {
    let server = Server::start(&["--connections", "2", "--patience", "600"]);
    let mut idle = vec![server.connect(), server.connect()];
    let mut third = server.connect();
    let request = server.head("GET /", "");
    third
        .write_all(request.as_bytes())
        .expect("the system takes the request");
    let wait = |stream: &TcpStream, time| {
        let set = stream.set_read_timeout(Some(time));
        set.expect("a stream can have a timeout");
    };
    wait(&third, Duration::from_millis(300));
    third
        .read_exact(&mut [0])
        .expect_err("nothing comes while others are there");
    idle.pop();
    wait(&third, LONG);
    assert_status(&rest(&mut third), "200", "the third connection");
}

/// Sends one byte after another until the server has had enough, and returns its answer.
fn drip(server: &Server, bytes: &[u8]) -> String {
    let mut stream = server.connect();
    let mut writer = stream.try_clone().expect("a stream has two ends");
    thread::scope(|scope| {
        scope.spawn(move || {
            for byte in bytes.iter().cycle() {
                if writer.write_all(&[*byte]).is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(50));
            }
        });
        rest(&mut stream)
    })
}

#[test]
fn who_is_slow_is_given_up() {
    let server = &Server::start(&["--patience", "1"]);
    let half = |length: &str| format!("{}{{", server.head("POST /think", length));
    thread::scope(|scope| {
        for bytes in [
            String::new(),
            "GET / HT".to_owned(),
            server.head("GET /", "").replace("\r\n\r\n", "\r\n"),
            half("content-length: 99\r\n"),
            half("transfer-encoding: chunked\r\n\r\n5"),
        ] {
            scope.spawn(move || {
                let answer = server.send(bytes.as_bytes());
                assert_eq!(answer, "", "{bytes:?}");
            });
        }
        scope.spawn(|| assert_eq!(drip(server, b"GET / HTTP/1.1\r\na: aaaaaaa"), ""));
        server.thought(&task(START, 1));
    });
    server.thought(&task(START, 1));
}

/// What a request of the wrong kind looks like, and what becomes of it.
fn nonsense(server: &Server, kind: usize) -> (Vec<u8>, &'static str) {
    let think = |headers: &str, body: &str| {
        let head = server.head("POST /think", headers);
        format!("{head}{body}").into_bytes()
    };
    let long = "x".repeat(20_000);
    match kind {
        0 => (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(),
            "400",
        ),
        1 => (b"GET\r\n\r\n".to_vec(), "400"),
        2 => (b"GET / HTTP/1.1\r\nno colon\r\n\r\n".to_vec(), "400"),
        3 => (think("content-length: many\r\n", "{}"), "400"),
        4 => (
            think("transfer-encoding: chunked\r\n", "zz\r\n{}\r\n"),
            "400",
        ),
        5 => (think(&format!("long: {long}\r\n"), ""), "431"),
        6 => (think("content-length: 20000\r\n", &long), "413"),
        7 => (server.head(&format!("GET /{long}"), "").into_bytes(), "431"),
        _ => {
            let body = format!("4e20\r\n{long}\r\n0\r\n\r\n");
            (think("transfer-encoding: chunked\r\n", &body), "413")
        }
    }
}

/// Asks for the largest file and reads a byte of it now and then, until the server has had enough or
/// some seconds are over.
fn sip(server: &Server) {
    let mut stream = server.connect();
    let request = server.head("GET /outflank.wasm", "");
    stream.write_all(request.as_bytes()).expect("taken");
    for _ in 0..120 {
        if !matches!(stream.read(&mut [0]), Ok(1)) {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// The most memory that the server ever had, in bytes.
#[cfg(target_os = "linux")]
fn most_memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id()));
    let status = status.expect("the server is alive");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: u64 = kilobytes.expect("a line").parse().expect("a number");
    kilobytes << 10
}

/// Memory that two hundred clients may take beside the thinkers. Measured were 8 MB.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 50 << 20;

#[test]
fn two_hundred_at_once_do_not_disturb_each_other() {
    let server = &Server::start(&["--patience", "4", "--thoughts", "4"]);
    let found = |position: &str| {
        let mut thought = server.thought(&task(position, 40));
        thought["seconds"] = Value::Null;
        thought
    };
    let positions = [START, SECOND].map(|position| (position, found(position)));
    assert_ne!(positions[0].1["best"], positions[1].1["best"]);
    // All thinkers are there before the crowd comes.
    let thoughts = [(); 4].map(|()| server.think_for_ever());
    #[cfg(target_os = "linux")]
    let before = most_memory(server);
    drop(thoughts);
    let (positions, together) = (&positions, &Barrier::new(200));
    thread::scope(|scope| {
        for client in 0..200 {
            scope.spawn(move || {
                together.wait();
                match client % 6 {
                    0 | 1 => {
                        let (bytes, status) = nonsense(server, client / 6 % 9);
                        let question = String::from_utf8_lossy(&bytes);
                        assert_status(&server.send(&bytes), status, &question);
                    }
                    2 => assert_eq!(drip(server, b"GET / HTTP/1.1\r\na: aaaaaaa"), ""),
                    3 => sip(server),
                    _ => {
                        for (position, alone) in positions {
                            assert_eq!(&found(position), alone);
                        }
                    }
                }
            });
        }
    });
    #[cfg(target_os = "linux")]
    {
        let more = most_memory(server) - before;
        assert!(more < MOST_MEMORY, "the crowd took {more} bytes");
    }
}
