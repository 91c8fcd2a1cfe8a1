//! Questions over the protocol of Deno's permission broker. A copy of Python with the name of Deno
//! asks them; the real Deno is tested in `tests/native`.

use std::os::unix::net::UnixListener;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cofferdam_broker::{Answer, Approver, FolderMode, HostFolder, PermissionError, Question, Span};
use cofferdam_native::{End, Program};
use libtest_mimic::Trial;

use crate::world::{Folder, Office, err, out, program, python};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("deno::question_is_a_request", requests),
        Trial::test("deno::granted_file_can_be_used_after_the_answer", granted),
        Trial::test("deno::question_waits_for_a_person", asked),
        Trial::test("deno::variable_that_is_granted_late_is_not_promised", late),
        Trial::test("deno::socket_leads_nowhere_else", nowhere_else),
        Trial::test("deno::broken_questions_end_the_connection", broken),
        Trial::test("deno::connections_are_limited", connections),
        Trial::test("deno::other_programs_and_options_of_deno_get_no_socket", no_socket),
    ]
}

type Tested = Result<(), libtest_mimic::Failed>;

/// Asks over a connection; prints the result and the reason.
const CLIENT: &str = "import ctypes, errno, json, os, socket, struct, sys, threading, time\n\
PATH = os.environ.get('DENO_PERMISSION_BROKER_PATH')\n\
def connect():\n  \
  s = socket.socket(socket.AF_UNIX); s.connect(PATH); return s\n\
def ask(s, permission, value, id=7):\n  \
  s.sendall((json.dumps(dict(v=1, pid=1, id=id, datetime='', permission=permission, value=value)) + '\\n').encode())\n  \
  line = b''\n  \
  while not line.endswith(b'\\n'):\n    \
    piece = s.recv(4096)\n    \
    if not piece: return 'closed', None\n    \
    line += piece\n  \
  reply = json.loads(line)\n  \
  assert reply['id'] == id, reply\n  \
  return reply['result'], reply.get('reason')\n";

/// Returns a program that Cofferdam takes for Deno and that runs code of Python.
fn deno(folder: &Folder, code: &str, more: &[&str]) -> Program {
    let named = folder.text("bin/deno");
    if !std::path::Path::new(&named).exists() {
        std::fs::create_dir(folder.path("bin")).expect("a folder");
        std::fs::copy("/usr/bin/python3", &named).expect("Python");
    }
    let code = format!("{CLIENT}{code}");
    program(&[&[named.as_str(), "-S", "-c", &code], more].concat())
}

/// Replaces `-S`, which would be an option of Deno for permissions.
fn plain(mut program: Program) -> Program {
    program.words[1] = "-B".into();
    program
}

fn requests() -> Tested {
    let folder = Folder::new();
    let file = folder.write("secret.txt", "SECRET");
    let code = format!(
        "s = connect()\n\
         for question in [('read', {file:?}), ('write', {file:?}), ('env', 'TOKEN'), ('run', 'id'), ('run', '/usr/bin/id')]:\n  \
           result, reason = ask(s, *question)\n  print(result, reason.split(':')[0], 'req_' in reason)\n\
         for question in [('run', None), ('magic', 'x'), ('env', None), ('env', 'UNKNOWN'), ('sys', 'hostname'), ('net', 'example.com:443'), \
             ('import', 'jsr.io:443'), ('read', '/tmp/x'), ('write', '<TMP>'), ('ffi', '/usr/lib/x.so'), ('run', 'no-such-program')]:\n  \
           print(*ask(s, *question))\n"
    );
    let mut program = plain(deno(&folder, &code, &[]));
    program.offered.insert("TOKEN".into(), "s3cr3t".into());
    let (ran, denials) = Office::new(&[]).run(program);
    let denied =
        "deny fs True\ndeny fs True\ndeny env True\ndeny process True\ndeny process True\n";
    let left = "deny None\n".repeat(2) + &"allow None\n".repeat(9);
    assert_eq!(out(&ran), format!("{denied}{left}"), "{}", err(&ran));
    let wanted: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    let expect = [
        format!("fs:read:{file}"),
        format!("fs:write:{file}"),
        "env:read:TOKEN".to_owned(),
        "process:exec:id".to_owned(),
    ];
    assert_eq!(wanted, expect);
    // A line of JSON for each, however often it is asked.
    assert_eq!(PermissionError::find_in(&err(&ran)).len(), 4);
    Ok(())
}

fn granted() -> Tested {
    let folder = Folder::new();
    folder.write("data/a.txt", "content");
    let data = folder.text("data");
    let code = "s = connect()\n\
        print(*ask(s, 'read', 'a.txt'), open('a.txt').read())\n\
        print(*ask(s, 'write', 'b.txt'))\nopen('b.txt', 'w').write('made')\n\
        print(*ask(s, 'env', 'TOKEN'), os.environ['TOKEN'], flush=True)\n\
        print(*ask(s, 'run', 'id'), os.spawnv(os.P_WAIT, '/usr/bin/id', ['id', '-un']))\n";
    let mut program = plain(deno(&folder, code, &[]));
    program.offered.insert("TOKEN".into(), "s3cr3t".into());
    program.directory = Some(data.clone().into());
    let office = Office::new(&[
        &format!("fs:read:{data}/**"),
        &format!("fs:write:{data}/**"),
        "env:read:TOKEN",
        "process:exec:id",
    ]);
    let (ran, denials) = office.run(program);
    let text = "allow None content\nallow None\nallow None s3cr3t\nuser\nallow None 0\n";
    assert_eq!(out(&ran), text, "{}", err(&ran));
    assert!(denials.is_empty(), "{denials:?}");
    assert_eq!(folder.read("data/b.txt"), "made");
    Ok(())
}

/// A person who says yes, and counts.
struct Yes(AtomicUsize);

impl Approver for Yes {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { question.allow(Span::Session) })
    }
}

/// A file is asked about once, and a program when it is started, with its command line.
fn asked() -> Tested {
    let folder = Folder::new();
    let file = folder.write("data.txt", "content");
    let yes = Arc::new(Yes(AtomicUsize::new(0)));
    let office = Office::with(&[], Some(yes.clone()));
    let code = format!(
        "s = connect()\nprint(*ask(s, 'read', {file:?}), open({file:?}).read())\n\
         print(*ask(s, 'read', {file:?}))\nprint(*ask(s, 'run', 'id'), flush=True)\n\
         print(os.spawnv(os.P_WAIT, '/usr/bin/id', ['id', '-un']))"
    );
    let (ran, denials) = office.run(plain(deno(&folder, &code, &[])));
    let text = "allow None content\nallow None\nallow None\nuser\n0\n";
    assert_eq!(out(&ran), text, "{}", err(&ran));
    assert!(denials.is_empty());
    assert_eq!(yes.0.load(Ordering::SeqCst), 2);
    Ok(())
}

fn late() -> Tested {
    let folder = Folder::new();
    let office = Office::with(&[], Some(Arc::new(Yes(AtomicUsize::new(0)))));
    let code = "print(*ask(connect(), 'env', 'TOKEN'))";
    let run = || {
        let mut program = plain(deno(&folder, code, &[]));
        program.offered.insert("TOKEN".into(), "s3cr3t".into());
        out(&office.run(program).0)
    };
    let text = run();
    assert!(text.starts_with("deny the variable TOKEN is granted now"), "{text}");
    assert_eq!(run(), "allow None\n");
    Ok(())
}

/// T-NAT-013: other sockets, descriptors that are sent, and an address that changes between the
/// check and its use.
fn nowhere_else() -> Tested {
    let folder = Folder::new();
    let socket = folder.text("shared/socket");
    std::fs::create_dir(folder.path("shared"))?;
    let listener = UnixListener::bind(&socket)?;
    listener.set_nonblocking(true)?;
    let code = format!(
        "libc = ctypes.CDLL(None, use_errno=True)\n\
         def attempt(act):\n  \
           try: act(); return 'connected'\n  \
           except OSError as e: return errno.errorcode[e.errno]\n\
         for path in [{socket:?}, '\\0abstract', '/.cofferdam', PATH + '/x']:\n  \
           print(attempt(lambda: socket.socket(socket.AF_UNIX).connect(path)))\n\
         for kind in [socket.SOCK_DGRAM, socket.SOCK_SEQPACKET]:\n  \
           print(attempt(lambda: socket.socket(socket.AF_UNIX, kind)))\n\
         s = connect()\n\
         print(attempt(lambda: s.listen(1)))\n\
         socket.send_fds(s, [b''.join([b'{{\"id\":1,', b'\"permission\":\"sys\"}}\\n'])], [0, 1])\n\
         print(s.recv(100).decode().strip())\n\
         inet = struct.pack('=HH4s8x', socket.AF_INET, 80, b'\\x7f\\0\\0\\1')\n\
         unix = struct.pack('=H', socket.AF_UNIX) + {socket:?}.encode() + b'\\0'\n\
         memory = ctypes.create_string_buffer(inet.ljust(110, b'\\0'), 110)\n\
         stop = time.monotonic() + 0.5\n\
         def flip():\n  \
           while time.monotonic() < stop:\n    \
             ctypes.memmove(memory, unix, len(unix)); ctypes.memmove(memory, inet, len(inet))\n\
         thread = threading.Thread(target=flip); thread.start()\n\
         results = set()\n\
         while time.monotonic() < stop: results.add(libc.connect(s.fileno(), memory, 110))\n\
         thread.join()\n\
         print(results, ask(s, 'sys', None))\n"
    );
    let mut program = plain(deno(&folder, &code, &[]));
    let (at, host) = (folder.text("shared"), folder.text("shared"));
    program.folders.push(HostFolder { at, host, mode: FolderMode::ReadWrite });
    let (ran, _) = Office::new(&[]).run(program);
    let expect = "EACCES\nEACCES\nEACCES\nEACCES\nEAFNOSUPPORT\nEAFNOSUPPORT\nEINVAL\n\
                  {\"id\":1,\"result\":\"allow\"}\n{-1} ('allow', None)\n";
    assert_eq!(out(&ran), expect, "{}", err(&ran));
    assert!(listener.accept().is_err(), "a connection reached the host");
    Ok(())
}

fn broken() -> Tested {
    let folder = Folder::new();
    let code = "def closed(text):\n  \
          s = connect()\n  \
          try: s.sendall(text)\n  \
          except OSError: return True\n  \
          try: return s.recv(1) == b''\n  \
          except ConnectionResetError: return True\n\
        print([closed(text) for text in [b'\\n', b'{}\\n', b'[1]\\n', b'\\xff\\n', b'{\"id\":1}\\n', \
          b'{\"id\":-1,\"permission\":\"read\"}\\n', b'{\"id\":1,\"permission\":\"read\",\"value\":{}}\\n', \
          b'[' * 60000 + b'\\n', b'x' * (1 << 20), b'{\"id\":1,\"permission\":\"sys\",\"value\":\"' + b'x' * 70000 + b'\"}\\n']])\n\
        print(ask(connect(), 'sys', 'x' * 60000))";
    let (ran, _) = Office::new(&[]).run(plain(deno(&folder, code, &[])));
    let expect = format!("[{}]\n('allow', None)\n", ["True"; 10].join(", "));
    assert_eq!((ran.end, out(&ran)), (End::Exited(0), expect), "{}", err(&ran));
    Ok(())
}

fn connections() -> Tested {
    let folder = Folder::new();
    let code = "held = []\n\
        try:\n  \
          while len(held) < 100: held.append(connect())\n\
        except OSError as e: print(len(held), errno.errorcode[e.errno])\n\
        print(ask(held.pop(), 'sys', None))\n\
        for _ in range(1000):\n  \
          try: s = connect(); break\n  \
          except OSError: time.sleep(0.01)\n\
        print(ask(s, 'sys', None))";
    let (ran, _) = Office::new(&[]).run(plain(deno(&folder, code, &[])));
    let expect = "16 EAFNOSUPPORT\n('allow', None)\n('allow', None)\n";
    assert_eq!(out(&ran), expect, "{}", err(&ran));
    Ok(())
}

fn no_socket() -> Tested {
    let folder = Folder::new();
    let code = "print(PATH)\n\
        try: socket.socket(socket.AF_UNIX)\n\
        except OSError as e: print(errno.errorcode[e.errno])\n";
    let (ran, _) = Office::new(&[]).run(python(&format!("{CLIENT}{code}")));
    assert_eq!(out(&ran), "None\nEAFNOSUPPORT\n", "{}", err(&ran));
    // Options for permissions keep Deno's own: `-S` among them.
    for program in [deno(&folder, code, &[]), plain(deno(&folder, code, &["--deny-net"]))] {
        let (ran, _) = Office::new(&[]).run(program);
        assert_eq!(out(&ran), "None\nEAFNOSUPPORT\n", "{}", err(&ran));
    }
    Ok(())
}
