//! `outflank serve` gives out the page, thinks, refuses what is not for it, and bears whatever comes.

mod bounds;
mod server;

use server::{START, Server, assert_status, rest, task};

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
    let (head, body) = server.ask("HEAD /style.css", "", "");
    assert!(head.contains("text/css") && body.is_empty(), "{head}");
    let (_, body) = server.ask("GET /models.json", "", "");
    assert!(body.contains(r#""size":8"#), "{body}");
}

#[test]
fn no_path_leads_outside() {
    let server = Server::start(&[]);
    for path in [
        "/nothing",
        "/../Cargo.toml",
        "/%2e%2e%2fCargo.toml",
        "/..%5cCargo.toml",
        "/etc/passwd",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/%252e%252e/Cargo.toml",
        "/index.html/../../Cargo.toml",
        "/./index.html",
        "http://127.0.0.1/../Cargo.toml",
        "/page.js%00",
    ] {
        let (head, _) = server.ask(&format!("GET {path}"), "", "");
        assert_status(&head, "404", path);
    }
    for request in ["PUT /index.html", "DELETE /index.html", "OPTIONS *"] {
        let (head, _) = server.ask(request, "", "");
        assert_status(&head, "405", request);
    }
}

#[test]
fn it_thinks_to_the_end() {
    let server = Server::start(&[]);
    assert_eq!(server.thought(&task(START, 50))["simulations"], 50);
    // Nor longer than the seconds that it has.
    let server = Server::start(&["--seconds", "1"]);
    assert_eq!(server.thought(&task(START, 300_000))["done"], true);
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
        let (head, _) = server.think(&task);
        assert_status(&head, status, &task);
    }

    // One thought at a time: a second is turned away until the first one's reader is gone.
    let first = server.think_for_ever();
    let (refused, _) = server.think(&task(START, 1));
    assert_status(&refused, "503", "a second thought");
    drop(first);
    server.thought(&task(START, 1));
}

#[test]
fn other_pages_are_refused() {
    let server = Server::start(&[]);
    let own = &server.address;
    let port = own.rsplit(':').next().expect("an address has a port");
    for (headers, status) in [
        (format!("host: {own}\r\n"), "200"),
        (format!("host: localhost:{port}\r\n"), "200"),
        (format!("host: {own}\r\norigin: http://{own}\r\n"), "200"),
        (String::new(), "403"),
        (format!("host: example.org:{port}\r\n"), "403"),
        ("host: \u{fc}\r\n".to_owned(), "403"),
        (
            format!("host: {own}\r\norigin: http://example.org\r\n"),
            "403",
        ),
        (
            format!("host: {own}\r\norigin: http://localhost:{port}\r\n"),
            "403",
        ),
        (format!("host: {own}\r\norigin: null\r\n"), "403"),
        (format!("host: {own}\r\norigin: \u{fc}\r\n"), "403"),
    ] {
        let body = task(START, 1);
        let length = body.len();
        for request in [
            format!("GET /models.json HTTP/1.1\r\n{headers}\r\n"),
            format!("POST /think HTTP/1.1\r\n{headers}content-length: {length}\r\n\r\n{body}"),
        ] {
            assert_status(&server.send(request.as_bytes()), status, &request);
        }
    }
}

#[test]
#[cfg(unix)]
fn signals_end_it() {
    for signal in ["-INT", "-TERM"] {
        let mut server = Server::start(&[]);
        let mut thought = server.think_for_ever();
        let kill = std::process::Command::new("kill")
            .args([signal, &server.process.id().to_string()])
            .status();
        assert!(kill.expect("kill can be started").success());
        let status = server.process.wait().expect("the server ends");
        assert_eq!(status.code(), Some(0), "{signal}: {status}");
        rest(&mut thought);
    }
}
