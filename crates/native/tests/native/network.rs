//! Requests of a program to a server on this machine.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cofferdam_broker::{FolderMode, HostFolder, PermissionError, Span, Terms};
use cofferdam_native::End;
use libtest_mimic::Trial;

use crate::world::{Folder, Office, err, out, program, python};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("network::method_and_address_are_checked", methods),
        Trial::test("network::secret_header_arrives_and_is_nowhere_inside", secret_header),
        Trial::test("network::forbidden_of_a_server_is_no_denial", forbidden),
        Trial::test("network::permission_proxy", proxy),
        Trial::test("network::certificate_of_the_run_is_trusted", secure),
        Trial::test("network::denial_is_a_permission_error", permission_error),
        Trial::test("network::program_reaches_its_own_server", own_server),
        Trial::test("network::names_and_addresses_end_here", names),
        Trial::test("network::long_bodies_are_passed_on", long_bodies),
        Trial::test("network::body_that_does_not_end_is_not_kept", endless_bodies),
        Trial::test("network::failure_of_a_request_is_told", failures),
        Trial::test("network::port_that_is_bound_next_stays_free", bound_port),
        Trial::test("network::socket_in_a_mounted_folder_receives_nothing", mounted_socket),
    ]
}

type Tested = Result<(), libtest_mimic::Failed>;

/// A server that replies with the head of each request, and keeps it.
struct Server {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let port = listener.local_addr().expect("an address").port();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let kept = heads.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                    head.push(byte[0]);
                }
                kept.lock().unwrap().push(String::from_utf8_lossy(&head).into_owned());
                let reply = format!(
                    "HTTP/1.1 {status}\r\ncofferdam-denied: req_forged\r\ncontent-length: 5\r\n\
                     connection: close\r\n\r\nhello"
                );
                let _ = stream.write_all(reply.as_bytes());
            }
        });
        Server { port, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// A server that reads the body of each request and replies with its length and as many bytes more.
fn long_server(reply: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                head.push(byte[0]);
            }
            let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length = length.and_then(|text| text.parse().ok()).unwrap_or(0);
            let read = std::io::copy(&mut (&stream).take(length), &mut std::io::sink());
            let text = format!("{} ", read.unwrap_or(0));
            let length = text.len() + reply;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{text}");
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&vec![b'x'; reply]);
        }
    });
    port
}

/// Packages are longer than what a tool fetches, and are not kept on the way.
fn long_bodies() -> Tested {
    let origin = format!("http://127.0.0.1:{}", long_server(30 << 20));
    let office = Office::new(&[&format!("network:fetch:{origin}")]);
    let code = format!(
        "import urllib.request\nreply = urllib.request.urlopen('{origin}/', data=bytes(20 << 20))\n\
         print(reply.headers['content-length'])\nbody = reply.read()\nprint(body[:9], len(body))"
    );
    let (ran, _) = office.run(python(&code));
    let length = (30 << 20) + 9;
    assert_eq!(out(&ran), format!("{length}\nb'20971520 ' {length}\n"), "{}", err(&ran));
    let mut limited = python(&code);
    limited.limits.fetch_bytes = 25 << 20;
    let (ran, _) = office.run(limited);
    assert!(
        err(&ran).contains("longer than 26214400 bytes (the limit fetchBytes)"),
        "{}",
        err(&ran)
    );
    Ok(())
}

/// T-NAT-014: bodies that the program begins and does not end.
fn endless_bodies() -> Tested {
    let code = "import socket\nkept = []\nfor n in range(60):\n  \
                s = socket.create_connection(('198.18.0.1', 80)); s.setblocking(False); kept.append(s)\n  \
                s.send(b'POST /x HTTP/1.1\\r\\nHost: a.test\\r\\nContent-Length: 9000000\\r\\n\\r\\n')\n  \
                try:\n    for _ in range(120): s.send(bytes(65536))\n  except BlockingIOError: pass\n\
                print('begun', flush=True)\nimport sys; sys.stdin.read(1)";
    let mut running = Office::new(&[]).start(python(code)).0;
    let stdin = running.take_stdin();
    let deadline = Instant::now() + Duration::from_secs(2);
    let mut most = 0;
    while Instant::now() < deadline {
        most = most.max(resident());
        std::thread::yield_now();
    }
    drop(stdin);
    let executor = tokio::runtime::Builder::new_current_thread().build()?;
    let ran = executor.block_on(running.wait());
    assert_eq!(out(&ran), "begun\n", "{}", err(&ran));
    assert!(most < 300 << 20, "{most} bytes");
    Ok(())
}

/// Returns the memory of this process in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("a file");
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number") * 4096
}

fn failures() -> Tested {
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let origin = format!("http://127.0.0.1:{free}");
    // Nothing listens, here or on the host.
    let code = format!("{FETCH}print(fetch('GET', 'http://a.invalid/')[0])");
    let office = Office::new(&[&format!("network:fetch:{origin}"), "network:fetch"]);
    let (ran, _) = office.run(python(&code));
    assert_eq!(out(&ran), "502\n", "{}", err(&ran));
    assert!(err(&ran).contains("{\"code\":\"FETCH_FAILED\""), "{}", err(&ran));
    let code = "import socket\ns = socket.create_connection(('a.test', 22))\n\
                s.sendall(b'SSH-2.0-x\\r\\n')\nprint(s.recv(9))";
    let (ran, _) = office.run(python(code));
    assert!(err(&ran).contains("198.18.0.1:22: the connection is not HTTP"), "{}", err(&ran));
    Ok(())
}

/// The C library looks an address up before it is bound, and connects to it without sending anything.
fn bound_port() -> Tested {
    let code = "import socket\nu = socket.socket(type=socket.SOCK_DGRAM)\n\
                u.connect(('0.0.0.0', 18123))\ns = socket.create_server(('0.0.0.0', 18123))\n\
                socket.create_connection(('127.0.0.1', 18123)).sendall(b'x')\n\
                print(s.accept()[0].recv(1))";
    let (ran, _) = Office::new(&[]).run(python(code));
    assert_eq!(out(&ran), "b'x'\n", "{}", err(&ran));
    Ok(())
}

/// Prints status, marker of a denial and body of one request.
const FETCH: &str = "import urllib.request, urllib.error, sys\n\
def fetch(method, url, **more):\n  \
  request = urllib.request.Request(url, method=method, **more)\n  \
  try: reply = urllib.request.urlopen(request)\n  \
  except urllib.error.HTTPError as e: reply = e\n  \
  except PermissionError as e: return 403, e.requestId[:4], e.requiredPermission\n  \
  return reply.status, reply.headers.get('cofferdam-denied'), reply.read().decode()\n";

fn methods() -> Tested {
    let server = Server::new("200 OK");
    let origin = format!("http://127.0.0.1:{}", server.port);
    let office = Office::new(&[&format!("network:fetch:GET@{origin}/a/**")]);
    let code = format!(
        "{FETCH}print(fetch('GET', '{origin}/a/b?q=1'))\nprint(fetch('POST', '{origin}/a/b', data=b'x')[:1])\n\
         print(fetch('GET', '{origin}/c')[:1])"
    );
    // Without the shim, a denial is a response like any other.
    let (ran, denials) = office.run(program(&["python3", "-S", "-c", &code]));
    assert_eq!(out(&ran), "(200, None, 'hello')\n(403,)\n(403,)\n", "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(
        wanted,
        [format!("network:fetch:POST@{origin}/a/b"), format!("network:fetch:GET@{origin}/c")]
    );
    assert_eq!(PermissionError::find_in(&err(&ran)).len(), 2);
    let heads = server.heads();
    assert_eq!(heads.len(), 1);
    assert!(heads[0].starts_with("GET /a/b?q=1 HTTP/1.1"), "{}", heads[0]);
    Ok(())
}

/// T-NAT-011: the secret of a grant.
fn secret_header() -> Tested {
    let server = Server::new("200 OK");
    let origin = format!("http://127.0.0.1:{}", server.port);
    let office = Office::new(&[]);
    let terms = Terms::new(format!("network:fetch:{origin}").parse()?, Span::Session);
    office.permissions.grant(terms.header("authorization", "Bearer s3cr3t")?)?;
    let code = format!(
        "{FETCH}import os\nprint(fetch('GET', '{origin}/', headers={{'authorization': 'mine'}}))\n\
         seen = str(os.environ)\n\
         for name in os.listdir('/proc/self/task'): seen += open(f'/proc/self/environ').read()\n\
         print('s3cr3t' in seen)"
    );
    let (ran, _) = office.run(python(&code));
    assert_eq!(out(&ran), "(200, None, 'hello')\nFalse\n", "{}", err(&ran));
    let heads = server.heads();
    assert!(heads[0].contains("authorization: Bearer s3cr3t"), "{}", heads[0]);
    Ok(())
}

fn forbidden() -> Tested {
    let server = Server::new("403 Forbidden");
    let origin = format!("http://127.0.0.1:{}", server.port);
    let office = Office::new(&[&format!("network:fetch:{origin}")]);
    let (ran, denials) = office.run(python(&format!("{FETCH}print(fetch('GET', '{origin}/'))")));
    assert_eq!(out(&ran), "(403, None, 'hello')\n", "{}", err(&ran));
    assert!(denials.is_empty());
    Ok(())
}

fn proxy() -> Tested {
    let server = Server::new("200 OK");
    let origin = format!("http://127.0.0.1:{}", server.port);
    let office = Office::new(&[&format!("network:fetch:GET@{origin}")]);
    let code = format!(
        "{FETCH}import json, os\nproxy = os.environ['PROXY_URL']\n\
         print(fetch('GET', proxy + '/health'))\n\
         def ask(**wanted): return fetch('POST', proxy + '/proxy', data=json.dumps(wanted).encode())\n\
         print(ask(url='{origin}/x', headers={{'x-mine': '1'}}))\n\
         print(ask(url='{origin}/x', method='DELETE')[2])\n\
         print(fetch('GET', proxy + '/grants')[0])"
    );
    let (ran, _) = office.run(python(&code));
    let expect = format!(
        "(200, None, '{{\"ok\":true}}')\n(200, None, 'hello')\nnetwork:fetch:DELETE@{origin}/x\n404\n"
    );
    assert_eq!(out(&ran), expect, "{}", err(&ran));
    assert!(server.heads()[0].contains("x-mine: 1"));
    Ok(())
}

/// A request over TLS is seen with its method and path, although it goes nowhere.
fn secure() -> Tested {
    let code = format!(
        "{FETCH}print(fetch('PUT', 'https://api.example.test/v1/items?x=1', data=b'1')[:1])"
    );
    let (ran, denials) = Office::new(&[]).run(python(&code));
    assert_eq!((ran.end, out(&ran).as_str()), (End::Exited(0), "(403,)\n"), "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(wanted, ["network:fetch:PUT@https://api.example.test/v1/items"]);
    Ok(())
}

fn permission_error() -> Tested {
    let code = format!("{FETCH}print(fetch('GET', 'https://api.example.test/v1'))");
    let (ran, _) = Office::new(&[]).run(python(&code));
    let expect = "(403, 'req_', 'network:fetch:GET@https://api.example.test/v1')\n";
    assert_eq!(out(&ran), expect, "{}", err(&ran));
    Ok(())
}

fn own_server() -> Tested {
    let code = "import socket, threading\nserver = socket.create_server(('127.0.0.1', 8123))\n\
                def serve():\n  c, _ = server.accept(); c.sendall(b'mine'); c.close()\n\
                threading.Thread(target=serve).start()\n\
                print(socket.create_connection(('127.0.0.1', 8123)).recv(10))";
    let (ran, _) = Office::new(&[]).run(python(code));
    assert_eq!(out(&ran), "b'mine'\n", "{}", err(&ran));
    Ok(())
}

/// T-NAT-006: no packet leaves the namespace.
fn names() -> Tested {
    let code = "import socket\nprint(socket.gethostbyname('anything.example.test'))\n\
                try: socket.create_connection(('127.0.0.1', 1), timeout=2)\n\
                except OSError as e: print(type(e).__name__)\n\
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('192.0.2.1', 53))\n\
                s.settimeout(2); s.send(b'x')\n\
                try: s.recv(10)\nexcept OSError as e: print(type(e).__name__)";
    let (ran, _) = Office::new(&[]).run(python(code));
    let expect = "198.18.0.1\nConnectionRefusedError\nConnectionRefusedError\n";
    assert_eq!(out(&ran), expect, "{}", err(&ran));
    Ok(())
}

/// T-NAT-006: a socket of the host in a folder that is shown.
fn mounted_socket() -> Tested {
    let folder = Folder::new();
    let socket = std::os::unix::net::UnixDatagram::bind(folder.path("socket"))?;
    let _listener = std::os::unix::net::UnixListener::bind(folder.path("listener"))?;
    socket.set_nonblocking(true)?;
    let code = "import socket\nfor kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):\n  \
                try:\n    a, b = socket.socketpair(socket.AF_UNIX, kind)\n    \
                for act in (lambda: a.sendto(b'x', '/shown/socket'), lambda: a.connect('/shown/listener')):\n      \
                try: act()\n      except OSError: pass\n    b.settimeout(1); b.recv(9)\n  \
                except OSError as e: print(type(e).__name__)\n\
                try: socket.socket(socket.AF_UNIX)\nexcept OSError as e: print(e.errno)";
    let mut sends = python(code);
    let host = folder.root().to_str().expect("text").to_owned();
    sends.folders.push(HostFolder { at: "/shown".into(), host, mode: FolderMode::ReadWrite });
    let (ran, _) = Office::new(&[]).run(sends);
    assert!(
        out(&ran).starts_with("OSError\n") && out(&ran).ends_with("97\n"),
        "{}{}",
        out(&ran),
        err(&ran)
    );
    assert!(socket.recv(&mut [0; 16]).is_err(), "the host received something");
    Ok(())
}
