//! The filter of system calls, assembled by hand.
//!
//! The crates for filters have no notifications, and a filter here is three tables and a few
//! conditions.

use std::collections::BTreeMap;

use crate::calls::{
    ASKED, ASKED_HERE, MODES, MODES_HERE, OPENS, OPENS_HERE, REFUSED, REFUSED_HERE,
};
use crate::plan::UnixSockets;
use crate::sys::seccomp::Instruction;

const ALLOW: u32 = 0x7fff_0000;
const NOTIFY: u32 = 0x7fc0_0000;
const KILL: u32 = 0x8000_0000;
const ERROR: u32 = 0x0005_0000;

/// Offsets in the kernel's `seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;

/// Bit of a call in the x32 convention, whose numbers the tables do not have.
const X32: u32 = 0x4000_0000;

/// Flags of `clone` that make namespaces.
const NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// Part of a socket's type that is not a flag.
const SOCKET_KIND: u32 = 0xf;

/// Bits of a mode that make a program run with the rights of its owner or group.
const OTHER_IDENTITY: u32 = libc::S_ISUID | libc::S_ISGID;

/// Flags of an open that makes a file. One bit of `O_TMPFILE` is that of `O_DIRECTORY`.
const MAKES: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u32;

/// Most calls that are compared one after the other.
const FEW: usize = 4;

/// Asks the kernel for notifications of a filter.
const NEW_LISTENER: u32 = 1 << 3;

/// The treatment of memory that can become a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryFiles {
    /// The namespace makes such files without permission to execute.
    Harmless,
    /// The kernel cannot; such files are refused.
    Refused,
}

/// Assembles the filter.
pub(crate) fn assemble(memory_files: MemoryFiles, unix: UnixSockets) -> Vec<Instruction> {
    let mut filter = Filter(Vec::new());
    filter.load(ARCHITECTURE);
    filter.unless_equal(NATIVE, KILL);
    filter.load(NUMBER);
    filter.if_any_bit(X32, KILL);
    let treated: Vec<_> = treatments(memory_files, unix).into_iter().collect();
    filter.search(&treated);
    filter.0
}

/// Returns the instructions for each call that is not simply allowed; they end with an action.
fn treatments(memory_files: MemoryFiles, unix: UnixSockets) -> BTreeMap<u32, Filter> {
    let mut treated = BTreeMap::new();
    // The first treatment of a call counts.
    let mut add = |number: libc::c_long, treat: &dyn Fn(&mut Filter)| {
        treated.entry(number as u32).or_insert_with(|| {
            let mut filter = Filter(Vec::new());
            treat(&mut filter);
            filter
        });
    };
    for (number, error) in REFUSED.iter().chain(REFUSED_HERE) {
        add(*number, &|filter| filter.always(ERROR | *error as u32));
    }
    if memory_files == MemoryFiles::Refused {
        add(libc::SYS_memfd_create, &|filter| filter.always(ERROR | libc::ENOSYS as u32));
    }
    add(libc::SYS_clone, &|filter| {
        filter.load(low(0));
        filter.if_any_bit(NAMESPACES, ERROR | libc::EPERM as u32);
        filter.always(ALLOW);
    });
    add(libc::SYS_socket, &|filter| {
        // T-NAT-006: sockets that reach around the network namespace.
        let refused = ERROR | libc::EAFNOSUPPORT as u32;
        filter.load(low(0));
        if unix == UnixSockets::Asked {
            // T-NAT-013: never made by the kernel; see `Sandbox::proceed`.
            let mut answered = Filter(Vec::new());
            answered.load(low(1));
            answered.mask(SOCKET_KIND);
            answered.unless_equal(libc::SOCK_STREAM as u32, refused);
            answered.always(NOTIFY);
            filter.if_equal_then(libc::AF_UNIX as u32, &answered);
        }
        filter.unless_any(&[libc::AF_INET as u32, libc::AF_INET6 as u32], refused);
        filter.load(low(1));
        filter.mask(SOCKET_KIND);
        let kinds = [libc::SOCK_STREAM as u32, libc::SOCK_DGRAM as u32];
        filter.unless_any(&kinds, ERROR | libc::EACCES as u32);
        filter.load(low(2));
        let protocols = [0, libc::IPPROTO_TCP as u32, libc::IPPROTO_UDP as u32];
        filter.unless_any(&protocols, ERROR | libc::EPROTONOSUPPORT as u32);
        // The supervisor serves the network from the first socket on.
        filter.always(NOTIFY);
    });
    add(libc::SYS_socketpair, &|filter| {
        // T-NAT-006: one end of a pair of datagram sockets sends to any socket that a mounted
        // folder has, even if the mount is read-only.
        filter.load(low(1));
        filter.mask(SOCKET_KIND);
        let kinds = [libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32];
        filter.unless_any(&kinds, ERROR | libc::EPROTONOSUPPORT as u32);
        filter.always(ALLOW);
    });
    add(libc::SYS_ioctl, &|filter| {
        // Both put input into a terminal.
        filter.load(low(1));
        filter.if_equal(libc::TIOCSTI as u32, ERROR | libc::EPERM as u32);
        filter.if_equal(libc::TIOCLINUX as u32, ERROR | libc::EPERM as u32);
        filter.always(ALLOW);
    });
    add(libc::SYS_seccomp, &|filter| {
        filter.load(low(1));
        filter.if_any_bit(NEW_LISTENER, ERROR | libc::EBUSY as u32);
        filter.always(ALLOW);
    });
    add(libc::SYS_personality, &|filter| {
        filter.load(low(0));
        filter.unless_any(&[0, u32::MAX], ERROR | libc::EPERM as u32);
        filter.always(ALLOW);
    });
    // T-NAT-015: programs with the rights of this user that another user could start. The path of a
    // call can change after the answer; the mode cannot.
    for (number, mode) in MODES.iter().chain(MODES_HERE) {
        add(*number, &|filter| {
            filter.load(low(*mode));
            filter.if_any_bit(OTHER_IDENTITY, ERROR | libc::EPERM as u32);
            filter.always(if *number == libc::SYS_fchmod { ALLOW } else { NOTIFY });
        });
    }
    for (number, flags) in OPENS.iter().chain(OPENS_HERE) {
        add(*number, &|filter| {
            // The mode is anything if no file is made.
            filter.load(low(*flags));
            filter.unless_any_bit(MAKES, NOTIFY);
            filter.load(low(*flags + 1));
            filter.if_any_bit(OTHER_IDENTITY, ERROR | libc::EPERM as u32);
            filter.always(NOTIFY);
        });
    }
    // Looking at an open file takes no path, and is frequent.
    for (number, flags) in [(libc::SYS_newfstatat, 3), (libc::SYS_statx, 2)] {
        add(number, &|filter| {
            filter.load(low(flags));
            filter.if_any_bit(libc::AT_EMPTY_PATH as u32, ALLOW);
            filter.always(NOTIFY);
        });
    }
    for asked in ASKED.iter().chain(ASKED_HERE) {
        add(asked.number, &|filter| filter.always(NOTIFY));
    }
    treated
}

/// Returns the offset of the lower half of an argument; both architectures are little-endian.
fn low(argument: u32) -> u32 {
    16 + 8 * argument
}

struct Filter(Vec<Instruction>);

impl Filter {
    fn push(&mut self, code: u32, jt: u8, jf: u8, k: u32) {
        self.0.push(Instruction { code: code as u16, jt, jf, k });
    }

    fn load(&mut self, offset: u32) {
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    }

    fn mask(&mut self, bits: u32) {
        self.push(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, bits);
    }

    fn always(&mut self, action: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, 0, 0, action);
    }

    fn if_equal(&mut self, value: u32, action: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, value);
        self.always(action);
    }

    /// Continues with instructions that end with an action.
    fn if_equal_then(&mut self, value: u32, then: &Filter) {
        let over = then.0.len() as u8;
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, over, value);
        self.0.extend_from_slice(&then.0);
    }

    fn unless_equal(&mut self, value: u32, action: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, value);
        self.always(action);
    }

    fn if_any_bit(&mut self, bits: u32, action: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, 1, bits);
        self.always(action);
    }

    fn unless_any_bit(&mut self, bits: u32, action: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 1, 0, bits);
        self.always(action);
    }

    fn unless_any(&mut self, values: &[u32], action: u32) {
        for (index, value) in values.iter().enumerate() {
            let over = (values.len() - index) as u8;
            self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, over, 0, *value);
        }
        self.always(action);
    }

    /// Finds the treatment of a call by halves; any other call is allowed.
    ///
    /// The kernel runs a new filter once for every call that exists, and so a filter that compares
    /// one number after the other takes a third of a millisecond to install.
    fn search(&mut self, treated: &[(u32, Filter)]) {
        if treated.len() <= FEW {
            for (number, treatment) in treated {
                self.if_equal_then(*number, treatment);
            }
            return self.always(ALLOW);
        }
        let (below, above) = treated.split_at(treated.len() / 2);
        let mut first = Filter(Vec::new());
        first.search(below);
        self.push(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, above[0].0);
        self.push(libc::BPF_JMP | libc::BPF_JA, 0, 0, first.0.len() as u32);
        self.0.append(&mut first.0);
        self.search(above);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the filter as the kernel would.
    fn run(number: libc::c_long, arguments: [u64; 6], program: &[Instruction]) -> u32 {
        let mut data = Vec::new();
        data.extend((number as u32).to_le_bytes());
        data.extend(NATIVE.to_le_bytes());
        data.extend(0u64.to_le_bytes());
        arguments.iter().for_each(|argument| data.extend(argument.to_le_bytes()));
        let (mut value, mut at) = (0u32, 0usize);
        loop {
            let Instruction { code, jt, jf, k } = program[at];
            at += 1;
            let jump = |taken: bool| usize::from(if taken { jt } else { jf });
            match u32::from(code) {
                c if c == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => {
                    let bytes = &data[k as usize..k as usize + 4];
                    value = u32::from_le_bytes(bytes.try_into().unwrap());
                }
                c if c == libc::BPF_ALU | libc::BPF_AND | libc::BPF_K => value &= k,
                c if c == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K => at += jump(value == k),
                c if c == libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K => at += jump(value >= k),
                c if c == libc::BPF_JMP | libc::BPF_JA => at += k as usize,
                c if c == libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K => {
                    at += jump(value & k != 0)
                }
                c if c == libc::BPF_RET | libc::BPF_K => return k,
                c => panic!("instruction {c:#x}"),
            }
        }
    }

    fn check(number: libc::c_long, arguments: [u64; 6], expect: u32) {
        let program = assemble(MemoryFiles::Harmless, UnixSockets::Refused);
        assert_eq!(run(number, arguments, &program), expect, "call {number}");
    }

    #[test]
    fn every_call_of_a_table_has_its_action() {
        for (number, error) in REFUSED.iter().chain(REFUSED_HERE) {
            check(*number, [0; 6], ERROR | *error as u32);
        }
        for asked in ASKED.iter().chain(ASKED_HERE) {
            check(asked.number, [0; 6], NOTIFY);
        }
    }

    #[test]
    fn call_that_no_table_has_is_allowed() {
        let treated = treatments(MemoryFiles::Harmless, UnixSockets::Refused);
        for number in (0..600).filter(|number| !treated.contains_key(number)) {
            check(libc::c_long::from(number), [0; 6], ALLOW);
        }
    }

    #[test]
    fn plain_work_is_allowed() {
        for number in [libc::SYS_read, libc::SYS_write, libc::SYS_mmap, libc::SYS_futex] {
            check(number, [0; 6], ALLOW);
        }
    }

    #[test]
    fn namespaces_are_refused_and_threads_are_not() {
        let thread = libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND;
        check(libc::SYS_clone, [thread as u64, 0, 0, 0, 0, 0], ALLOW);
        for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWNET] {
            let flags = (flag | libc::SIGCHLD) as u64;
            check(libc::SYS_clone, [flags, 0, 0, 0, 0, 0], ERROR | libc::EPERM as u32);
        }
    }

    #[test]
    fn sockets_are_internet_streams_and_datagrams() {
        let socket = |domain: i32, kind: i32, protocol: i32, expect: u32| {
            let arguments = [domain as u64, kind as u64, protocol as u64, 0, 0, 0];
            check(libc::SYS_socket, arguments, expect);
        };
        socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0, NOTIFY);
        socket(libc::AF_INET6, libc::SOCK_DGRAM, libc::IPPROTO_UDP, NOTIFY);
        let family = ERROR | libc::EAFNOSUPPORT as u32;
        for domain in [libc::AF_UNIX, libc::AF_NETLINK, libc::AF_VSOCK, libc::AF_PACKET, 38] {
            socket(domain, libc::SOCK_STREAM, 0, family);
        }
        socket(libc::AF_INET, libc::SOCK_RAW, 0, ERROR | libc::EACCES as u32);
        let protocol = ERROR | libc::EPROTONOSUPPORT as u32;
        socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP, protocol);
    }

    /// T-NAT-013: a Unix socket that the kernel makes.
    #[test]
    fn unix_streams_are_asked_about_if_the_plan_says_so_and_other_kinds_never() {
        let program = assemble(MemoryFiles::Harmless, UnixSockets::Asked);
        let socket = |domain: i32, kind: i32, expect: u32| {
            let arguments = [domain as u64, kind as u64, 0, 0, 0, 0];
            assert_eq!(run(libc::SYS_socket, arguments, &program), expect, "{domain} {kind}");
        };
        let family = ERROR | libc::EAFNOSUPPORT as u32;
        socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, NOTIFY);
        for kind in [libc::SOCK_DGRAM, libc::SOCK_SEQPACKET, libc::SOCK_RAW] {
            socket(libc::AF_UNIX, kind, family);
        }
        socket(libc::AF_NETLINK, libc::SOCK_STREAM, family);
        socket(libc::AF_INET, libc::SOCK_STREAM, NOTIFY);
    }

    #[test]
    fn pairs_of_sockets_are_connected_for_good() {
        let pair = |kind: i32, expect: u32| {
            check(libc::SYS_socketpair, [libc::AF_UNIX as u64, kind as u64, 0, 0, 0, 0], expect);
        };
        pair(libc::SOCK_STREAM | libc::SOCK_CLOEXEC, ALLOW);
        pair(libc::SOCK_SEQPACKET, ALLOW);
        pair(libc::SOCK_DGRAM, ERROR | libc::EPROTONOSUPPORT as u32);
        pair(libc::SOCK_RAW, ERROR | libc::EPROTONOSUPPORT as u32);
    }

    #[test]
    fn open_file_is_looked_at_without_a_question() {
        let flags = [0, 0, 0, libc::AT_EMPTY_PATH as u64, 0, 0];
        check(libc::SYS_newfstatat, flags, ALLOW);
        check(libc::SYS_newfstatat, [0; 6], NOTIFY);
    }

    /// T-NAT-015: a program with the rights of its owner, left behind for another user.
    #[test]
    fn no_file_gets_the_rights_of_its_owner_or_group() {
        let refused = ERROR | libc::EPERM as u32;
        for mode in [0o4755, 0o2755, 0o6000] {
            for (number, at) in MODES.iter().chain(MODES_HERE) {
                let mut arguments = [0; 6];
                arguments[*at as usize] = mode;
                check(*number, arguments, refused);
            }
            for (number, at) in OPENS.iter().chain(OPENS_HERE) {
                let mut arguments = [0; 6];
                arguments[*at as usize + 1] = mode;
                check(*number, arguments, NOTIFY);
                for flags in [libc::O_CREAT | libc::O_EXCL, libc::O_TMPFILE] {
                    arguments[*at as usize] = flags as u64;
                    check(*number, arguments, refused);
                }
            }
        }
        check(libc::SYS_fchmod, [0, 0o1777, 0, 0, 0, 0], ALLOW);
        check(libc::SYS_fchmodat, [0, 0, 0o755, 0, 0, 0], NOTIFY);
        let folder = (libc::O_RDONLY | libc::O_DIRECTORY) as u64;
        check(libc::SYS_openat, [0, 0, folder, 0o4755, 0, 0], NOTIFY);
    }

    #[test]
    fn memory_files_are_refused_where_they_could_be_executed() {
        let refused = ERROR | libc::ENOSYS as u32;
        let program = assemble(MemoryFiles::Refused, UnixSockets::Refused);
        assert_eq!(run(libc::SYS_memfd_create, [0; 6], &program), refused);
        check(libc::SYS_memfd_create, [0; 6], ALLOW);
    }
}
