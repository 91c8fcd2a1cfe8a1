//! Runs a program with nothing but the system folders, and prints the paths that it asks for.
//!
//! `cargo run -p cofferdam-walls --example try -- /usr/bin/python3.11 -c 'open("/etc/shadow")'`

fn main() {
    cofferdam_walls::become_launcher();
    cofferdam_walls::launch_ahead();
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let Some(program) = words.first() else { return };
    let bind = cofferdam_walls::Bind::code(program);
    let content = cofferdam_walls::Content::Host(bind);
    let entries = vec![cofferdam_walls::Entry::new(program, content)];
    let plan = cofferdam_walls::Plan {
        entries,
        program: program.into(),
        arguments: words.clone(),
        directory: "/tmp".into(),
        variables: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("HOME".into(), "/home/user".into()),
        ],
        ..Default::default()
    };
    let started = match cofferdam_walls::Sandbox::start(&plan) {
        Ok(started) => started,
        Err(missing) => {
            eprintln!("{missing}\nhint: {}", missing.piece().remedy());
            std::process::exit(70);
        }
    };
    let cofferdam_walls::Streams { stdin, mut stdout, mut stderr } = started.streams;
    let copies = [
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::stdout())),
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::stderr())),
    ];
    drop(stdin);
    let sandbox = started.sandbox;
    while let Some(call) = sandbox.next_call() {
        use cofferdam_walls::{Attempt, Place};
        let paths = match &call.attempt {
            Attempt::Open(path, _) | Attempt::Look(path) | Attempt::LookAtProgram(path) => {
                vec![path.clone()]
            }
            Attempt::Change(paths) => paths.clone(),
            _ => vec![],
        };
        for path in &paths {
            if let Place::Outside(path) = sandbox.locate(&call, path) {
                eprintln!("outside: {}", path.display());
            }
        }
        sandbox.proceed(&call);
    }
    for copy in copies {
        let _ = copy.join();
    }
    std::process::exit(i32::from(sandbox.wait()));
}
