//! The files of the machine that say how names are resolved: `resolv.conf`, `hosts` and
//! `nsswitch.conf`. Read again when they have changed.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV6};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Longest file that is read.
const MAX_FILE: u64 = 16 << 20;

/// As many name servers and search domains as the C library uses.
const MAX_SERVERS: usize = 3;
const MAX_SEARCH: usize = 6;

const FILES: [&str; 3] = ["resolv.conf", "hosts", "nsswitch.conf"];

/// Sources of `nsswitch.conf` that this resolver stands for.
const OWN: [&str; 2] = ["files", "dns"];

/// Sources that know more names than name servers do, but only names without a dot: of this
/// machine, of its containers and of its local network.
const OF_SINGLE_LABELS: [&str; 3] = ["resolve", "myhostname", "mymachines"];

/// The folder of the files, and the settings read from them.
pub(super) struct Machine {
    folder: PathBuf,
    port: u16,
    read: Mutex<Option<(Stamps, Arc<Config>)>>,
}

type Stamps = [Option<(SystemTime, u64)>; FILES.len()];

/// Settings by which this machine resolves names.
#[derive(Debug, PartialEq)]
pub(super) struct Config {
    pub(super) servers: Vec<SocketAddr>,
    pub(super) hosts: HashMap<String, Vec<IpAddr>>,
    pub(super) timing: Timing,
    search: Vec<String>,
    dots: usize,
    switch: Switch,
}

/// Time for one question, and the number of rounds through the name servers.
#[derive(Debug, PartialEq)]
pub(super) struct Timing {
    pub(super) time: Duration,
    pub(super) attempts: u32,
}

/// Part of the names that only the system's resolver knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Switch {
    /// All names: a source of which nothing is known here.
    all: bool,
    /// Names below `local`.
    local: bool,
    /// Names without a dot.
    single: bool,
}

/// The resolver of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Name servers.
    Servers,
    /// The system's own resolver.
    System,
}

impl Machine {
    pub(super) fn here() -> Self {
        Self::of("/etc", 53)
    }

    pub(super) fn of(folder: impl Into<PathBuf>, port: u16) -> Self {
        Self { folder: folder.into(), port, read: Mutex::default() }
    }

    /// Returns the settings, read again if a file has changed.
    pub(super) fn config(&self) -> Arc<Config> {
        let stamp = |name: &str| {
            let about = fs::metadata(self.folder.join(name)).ok()?;
            Some((about.modified().ok()?, about.len()))
        };
        let stamps = FILES.map(stamp);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match &*read {
            Some((known, config)) if *known == stamps => config.clone(),
            Some(_) | None => {
                let [resolv, hosts, switch] = FILES.map(|name| text(&self.folder.join(name)));
                let config = Arc::new(Config::parse(&resolv, &hosts, &switch, self.port));
                *read = Some((stamps, config.clone()));
                config
            }
        }
    }
}

fn text(path: &Path) -> String {
    let mut bytes = Vec::new();
    // A file that cannot be read is like an empty one, as for the C library.
    let _ = File::open(path).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Config {
    fn parse(resolv: &str, hosts: &str, switch: &str, port: u16) -> Self {
        let mut config = Config {
            servers: Vec::new(),
            hosts: parse_hosts(hosts),
            timing: Timing { time: Duration::from_secs(5), attempts: 2 },
            search: Vec::new(),
            dots: 1,
            switch: parse_switch(switch),
        };
        for line in resolv.lines() {
            let line = line.split(['#', ';']).next().unwrap_or_default();
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("nameserver") if config.servers.len() < MAX_SERVERS => {
                    config.servers.extend(words.next().and_then(|word| server(word, port)));
                }
                Some("domain" | "search") => {
                    let names = words.map(|name| name.trim_end_matches('.').to_ascii_lowercase());
                    config.search = names.filter(|n| !n.is_empty()).take(MAX_SEARCH).collect();
                }
                Some("options") => words.for_each(|word| config.option(word)),
                Some(_) | None => {}
            }
        }
        if config.servers.is_empty() {
            config.servers.push((Ipv4Addr::LOCALHOST, port).into());
        }
        config
    }

    fn option(&mut self, word: &str) {
        let Some((name, Ok(value))) = word.split_once(':').map(|(n, v)| (n, v.parse::<u32>()))
        else {
            return;
        };
        // The bounds are those of the C library.
        match name {
            "ndots" => self.dots = value.min(15) as usize,
            "timeout" => self.timing.time = Duration::from_secs(u64::from(value.clamp(1, 30))),
            "attempts" => self.timing.attempts = value.clamp(1, 5),
            _ => {}
        }
    }

    /// Returns the resolver of a name, which is in lower case and has no dot at its end.
    pub(super) fn source_of(&self, name: &str) -> Source {
        let Switch { all, local, single } = self.switch;
        let is_local = local && (name == "local" || name.ends_with(".local"));
        match all || is_local || (single && !name.contains('.')) {
            true => Source::System,
            false => Source::Servers,
        }
    }

    /// Returns the names to ask for, in order.
    pub(super) fn candidates(&self, domain: &str) -> Vec<String> {
        if let Some(whole) = domain.strip_suffix('.') {
            return vec![whole.to_owned()];
        }
        let mut names: Vec<_> = self.search.iter().map(|end| format!("{domain}.{end}")).collect();
        match domain.matches('.').count() >= self.dots {
            true => names.insert(0, domain.to_owned()),
            false => names.push(domain.to_owned()),
        }
        names
    }
}

/// Parses the address of a name server, which may name its interface: `fe80::1%eth0`.
fn server(word: &str, port: u16) -> Option<SocketAddr> {
    let Some((address, interface)) = word.split_once('%') else {
        return Some((word.parse::<IpAddr>().ok()?, port).into());
    };
    let is_name = !interface.is_empty() && !interface.contains(['/', '.']);
    let index = || fs::read_to_string(format!("/sys/class/net/{interface}/ifindex")).ok();
    let scope = match interface.parse() {
        Ok(number) => number,
        Err(_) => is_name.then(index)??.trim().parse().ok()?,
    };
    Some(SocketAddrV6::new(address.parse().ok()?, port, 0, scope).into())
}

fn parse_hosts(text: &str) -> HashMap<String, Vec<IpAddr>> {
    let mut hosts: HashMap<String, Vec<IpAddr>> = HashMap::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let Some(Ok(address)) = words.next().map(str::parse) else { continue };
        for name in words {
            let addresses = hosts.entry(name.to_ascii_lowercase()).or_default();
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
    }
    hosts
}

fn parse_switch(text: &str) -> Switch {
    let sources = text.lines().find_map(|line| {
        let line = line.split('#').next().unwrap_or_default();
        line.trim_start().strip_prefix("hosts:")
    });
    let mut switch = Switch::default();
    // Actions such as `[NOTFOUND=return]` change the order of what is the same here.
    let is_source = |word: &&str| !word.starts_with('[') && !word.ends_with(']');
    for source in sources.unwrap_or_default().split_ascii_whitespace().filter(is_source) {
        if source.starts_with("mdns") {
            switch.local = true;
        } else if OF_SINGLE_LABELS.contains(&source) {
            switch.single = true;
            switch.local = true;
        } else if !OWN.contains(&source) {
            switch.all = true;
        }
    }
    switch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(resolv: &str, switch: &str) -> Config {
        Config::parse(resolv, "", switch, 53)
    }

    #[track_caller]
    fn check(switch: &str, name: &str, expect: Source) {
        assert_eq!(config("", switch).source_of(name), expect, "{switch}: {name}");
    }

    #[test]
    fn name_servers_and_options_are_read() {
        let text = "# a comment\nnameserver 10.0.0.1 # first\nnameserver ::1\nnameserver nonsense\n\
            nameserver 10.0.0.2\nnameserver 10.0.0.3\noptions ndots:2 timeout:99 attempts:0 rotate\n";
        let config = config(text, "");
        let expect = ["10.0.0.1:53", "[::1]:53", "10.0.0.2:53"];
        assert_eq!(config.servers, expect.map(|text| text.parse().unwrap()));
        assert_eq!(config.timing, Timing { time: Duration::from_secs(30), attempts: 1 });
        assert_eq!(config.dots, 2);
    }

    #[test]
    fn without_a_name_server_this_machine_is_asked() {
        assert_eq!(config("", "").servers, ["127.0.0.1:53".parse().unwrap()]);
    }

    #[test]
    fn search_list_follows_the_dots_of_a_name() {
        let config = config("search Corp.example. lan\noptions ndots:2\n", "");
        assert_eq!(config.candidates("a.b"), ["a.b.corp.example", "a.b.lan", "a.b"]);
        assert_eq!(config.candidates("a.b.c"), ["a.b.c", "a.b.c.corp.example", "a.b.c.lan"]);
        assert_eq!(config.candidates("a.b."), ["a.b"]);
    }

    #[test]
    fn hosts_file_has_names_in_any_case_and_several_addresses() {
        let hosts =
            parse_hosts("127.0.0.1 localhost\n::1 LOCALHOST other # x\nnonsense a\n#1.1.1.1 b");
        assert_eq!(
            hosts["localhost"],
            ["127.0.0.1", "::1"].map(|ip| ip.parse::<IpAddr>().unwrap())
        );
        assert_eq!((hosts.len(), hosts["other"].len()), (2, 1));
    }

    #[test]
    fn names_that_only_the_system_knows_are_left_to_it() {
        let debian = "hosts: files mdns4_minimal [NOTFOUND=return] dns";
        check(debian, "a.example", Source::Servers);
        check(debian, "printer.local", Source::System);
        check(debian, "printer", Source::Servers);
        let resolved = "passwd: files\nhosts: files myhostname resolve [!UNAVAIL=return] dns # x";
        check(resolved, "a.example", Source::Servers);
        check(resolved, "printer", Source::System);
        check("hosts: files sss dns", "a.example", Source::System);
        check("", "a.example", Source::Servers);
        check("hosts: files dns", "printer.local", Source::Servers);
    }

    #[test]
    fn file_that_changed_is_read_again() {
        let folder = std::env::temp_dir().join(format!("cofferdam-dns-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let machine = Machine::of(&folder, 53);
        assert_eq!(machine.config().servers, ["127.0.0.1:53".parse().unwrap()]);
        fs::write(folder.join("resolv.conf"), "nameserver 10.1.1.1\n").unwrap();
        assert_eq!(machine.config().servers, ["10.1.1.1:53".parse().unwrap()]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
