//! A server, and what its clients ask.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// The start of the 8x8 game, Black to move, and a position after it.
pub const START: &str = "---------------------------OX------XO--------------------------- X";
pub const SECOND: &str = "-------------------X-------XX------XO--------------------------- O";

/// How long a test waits for what must come.
pub const LONG: Duration = Duration::from_secs(60);

/// A server on a free port, stopped with the test.
pub struct Server {
    pub process: Child,
    pub address: String,
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        Server::run(Command::new(env!("CARGO_BIN_EXE_outflank")), arguments)
    }

    /// A server with less than this machine has, as the shell's `ulimit` says.
    #[cfg(target_os = "linux")]
    pub fn start_with(limit: &str, arguments: &[&str]) -> Server {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")]);
        command.arg(env!("CARGO_BIN_EXE_outflank"));
        command.stderr(Stdio::piped());
        Server::run(command, arguments)
    }

    fn run(mut command: Command, arguments: &[&str]) -> Server {
        let mut process = command
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

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server listens");
        let set = stream.set_read_timeout(Some(LONG));
        set.expect("a stream can have a timeout");
        stream
    }

    /// All that comes back for these bytes.
    pub fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("the request is taken");
        rest(&mut stream)
    }

    /// The head of a request, with what its sender likes to add.
    pub fn head(&self, request: &str, headers: &str) -> String {
        format!(
            "{request} HTTP/1.1\r\nhost: {}\r\n{headers}\r\n",
            self.address
        )
    }

    /// The head and the body of an answer.
    pub fn ask(&self, request: &str, headers: &str, body: &str) -> (String, String) {
        let length = format!("content-length: {}\r\n{headers}", body.len());
        let answer = self.send(format!("{}{body}", self.head(request, &length)).as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head.to_owned(), body.to_owned())
    }

    pub fn think(&self, task: &str) -> (String, String) {
        self.ask("POST /think", "", task)
    }

    /// A thought that goes on until its reader leaves or the server ends.
    pub fn think_for_ever(&self) -> TcpStream {
        let body = task(START, 300_000);
        let length = format!("content-length: {}\r\n", body.len());
        let mut stream = self.connect();
        write!(stream, "{}{body}", self.head("POST /think", &length))
            .expect("the request is taken");
        let mut head = [0; 12];
        stream.read_exact(&mut head).expect("an answer");
        assert_eq!(&head, b"HTTP/1.1 200");
        stream
    }

    /// What has been found in the end, once there is a seat.
    pub fn thought(&self, task: &str) -> Value {
        loop {
            let (head, body) = self.think(task);
            if head.starts_with("HTTP/1.1 503") {
                thread::sleep(Duration::from_millis(20));
                continue;
            }
            assert!(head.starts_with("HTTP/1.1 200"), "{head}: {body}");
            let last = body.lines().rfind(|line| line.contains("simulations"));
            let thought: Value =
                serde_json::from_str(last.expect("a line")).expect("a line of JSON");
            assert_eq!(thought["done"], true, "{thought}");
            return thought;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().expect("the server can be stopped");
        self.process.wait().expect("the server stops");
    }
}

/// What comes until the server closes the stream, one way or the other.
pub fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        let closed = error.kind() == std::io::ErrorKind::ConnectionReset;
        assert!(closed, "the server answers or closes the stream: {error}");
    }
    String::from_utf8_lossy(&answer).into_owned()
}

pub fn task(position: &str, simulations: u32) -> String {
    format!(r#"{{"position":"{position}","aim":"play","simulations":{simulations}}}"#)
}

pub fn assert_status(answer: &str, status: &str, question: &str) {
    let expected = format!("HTTP/1.1 {status}");
    assert!(answer.starts_with(&expected), "{question:?}: {answer}");
}
