//! A catalog without anything in it: it has a configuration, and lists no namespaces.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

const CONFIG: &str = r#"{"defaults":{},"overrides":{},"endpoints":["GET /v1/{prefix}/namespaces"]}"#;
const MISSING: &str = r#"{"error":{"message":"no such path","type":"NotFoundException","code":404}}"#;

fn main() {
    let port = std::env::args().nth(1).expect("the port");
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).expect("a free port");
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || answer(stream));
    }
}

fn answer(stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).ok()? == 0 {
            return None;
        }
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).ok()?;
        let mut words = first.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let (status, body) = match (method, target.split('?').next()?) {
            ("GET", "/v1/config") => ("200 OK", CONFIG),
            ("GET", "/v1/namespaces") => ("200 OK", r#"{"namespaces":[]}"#),
            _ => ("404 Not Found", MISSING),
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        let body = if method == "HEAD" { "" } else { body };
        (&stream).write_all(format!("{head}{body}").as_bytes()).ok()?;
    }
}
