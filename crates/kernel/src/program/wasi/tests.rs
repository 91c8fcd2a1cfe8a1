//! Every function, with any arguments, on any memory: an errno or a wait, never a panic.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use cofferdam_cell::{GuestMemory, Import, Program};
use cofferdam_vfs::{Limits, Mode, Time, Tree};
use proptest::prelude::*;

use crate::program::descriptor::{Description, Descriptor, Descriptors, Object};
use crate::program::furniture;
use crate::program::policy::AllowAll;
use crate::program::process::Process;
use crate::program::signal::Signals;
use crate::program::spawn::Launch;
use crate::program::start_rules::StartRules;
use crate::program::system::{ProcessLimits, ProgramSetup, Programs, System};
use crate::program::table::About;
use crate::shared::clock::Clock;
use crate::shared::lock::lock;
use crate::shared::output::Stream;
use crate::shared::random::Random;
use crate::tool::kernel::Settings;

pub(crate) fn process() -> Process {
    let files = Tree::new(Limits { bytes: 1 << 20, nodes: 1000, ..Limits::default() }, Time(1));
    furniture::furnish(&files, Time(1)).expect("room");
    files.as_host(Time(1)).make_directories("/tmp/d", Mode::DIRECTORY).expect("room");
    files.as_host(Time(1)).write_file("/tmp/f", b"content").expect("room");
    let setup = ProgramSetup {
        settings: Settings {
            clock: Clock::Fixed(1000.0),
            random: Random::Seeded(1),
            stdout_bytes: 1000,
            stderr_bytes: 1000,
            ..Settings::for_tests()
        },
        files,
        limits: ProcessLimits { memory_bytes: 1 << 20 },
        programs: Programs::default(),
        start_rules: StartRules::unrestricted(Arc::new(AllowAll)),
        tools: None,
        reaper: Arc::new(drop),
    };
    let system = System::new(setup);
    let mut descriptors = Descriptors::default();
    let input = Object::Input(Mutex::new((b"input".as_slice().into(), 0)));
    for object in [input, Object::Output(Stream::Out), Object::Output(Stream::Err)] {
        descriptors.add(Descriptor::new(Description::new(object, 0)), 0).expect("room");
    }
    let mut launch = Launch {
        argv: vec![b"name".to_vec(), b"argument".to_vec()],
        env: vec![b"A=1".to_vec()],
        cwd: "/tmp".into(),
        descriptors,
        state: Vec::new(),
        ignored: Signals::default(),
        mask: 0o022,
        is_command: false,
        begins_in_cwd: false,
    };
    launch.preopen_root(&system).expect("a root");
    let pid = lock(&system.table).add(0, Signals::default(), About::default()).expect("room");
    Process::new(&system, pid, 0, launch)
}

/// Numbers a hostile program would try.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..16u64,
        0..512u64,
        Just(u64::from(u32::MAX)),
        (u64::from(u32::MAX) - 64)..=u64::from(u32::MAX),
        any::<u32>().prop_map(u64::from),
        any::<u64>(),
        Just(i64::MAX as u64),
    ]
}

/// Memory with something in it: small numbers, names, zeros.
fn memory() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        (0..512u32).prop_map(u32::to_le_bytes),
        Just(*b"tmp/"),
        Just(*b"f\0\0\0"),
        Just(*b"../."),
        any::<[u8; 4]>(),
        Just([0; 4]),
    ];
    prop::collection::vec(word, 0..256).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// T-PROC-004.
    #[test]
    fn no_arguments_and_no_memory_make_a_call_panic(
        calls in prop::collection::vec(
            (0..Import::ALL.len(), prop::collection::vec(number(), 9)),
            1..24,
        ),
        mut memory in memory(),
    ) {
        let mut process = process();
        let cx = &mut Context::from_waker(Waker::noop());
        for (which, args) in calls {
            let (import, count) = Import::ALL[which];
            for _ in 0..3 {
                let memory = GuestMemory::new(&mut memory);
                match process.poll_import(import, &args[..count], memory, cx) {
                    Poll::Pending => {}
                    Poll::Ready(_) => break,
                }
            }
            // A call that waits is abandoned, as if its process were killed.
            process.progress = 0;
            process.forget_timer();
        }
    }

    /// T-PROC-004.
    #[test]
    fn no_crossing_makes_a_call_panic(
        crossings in prop::collection::vec(
            (0..90u16, prop::collection::vec(any::<u8>(), 0..64)),
            1..16,
        ),
    ) {
        let mut process = process();
        let cx = &mut Context::from_waker(Waker::noop());
        for (number, payload) in crossings {
            let mut request = number.to_le_bytes().to_vec();
            request.extend((payload.len() as u32).to_le_bytes());
            request.extend(payload);
            let _ = process.poll_cross(&request, &mut Vec::new(), cx);
            process.crossing = Default::default();
        }
    }
}

/// T-PROC-005.
#[test]
fn an_absolute_path_and_dots_do_not_leave_the_root() {
    let mut process = process();
    let cx = &mut Context::from_waker(Waker::noop());
    let mut memory = vec![0; 256];
    for (path, errno) in [("../../../tmp/f", 76), ("/tmp/f", 76), ("tmp/f", 0), ("tmp/none", 44)] {
        memory[..path.len()].copy_from_slice(path.as_bytes());
        let args = [3, 1, 0, path.len() as u64, 128];
        let guest = GuestMemory::new(&mut memory);
        let answer = process.poll_import(Import::PathFilestatGet, &args, guest, cx);
        assert_eq!(answer, Poll::Ready(Ok(errno)), "{path}");
    }
}
