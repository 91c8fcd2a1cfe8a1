//! Options of `set -o` and `shopt`.

use serde::{Deserialize, Serialize};

/// The set of enabled options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    set: u32,
    shopt: u64,
}

macro_rules! set_options {
    ($($letter:literal $name:literal $get:ident,)+) => {
        /// Letter (0 if there is none) and name of each option, in alphabetical order.
        pub const SET: &[(u8, &str)] = &[$(($letter, $name),)+];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum Set { $($get,)+ }

        impl Options {
            $(
                #[doc = concat!("`set -o ", $name, "`")]
                pub fn $get(&self) -> bool {
                    self.set & (1 << Set::$get as u32) != 0
                }
            )+
        }
    };
}

set_options! {
    b'a' "allexport" allexport,
    b'B' "braceexpand" braceexpand,
    0 "emacs" emacs,
    b'e' "errexit" errexit,
    b'E' "errtrace" errtrace,
    b'T' "functrace" functrace,
    b'h' "hashall" hashall,
    b'H' "histexpand" histexpand,
    0 "history" history,
    0 "ignoreeof" ignoreeof,
    0 "interactive-comments" interactive_comments,
    b'k' "keyword" keyword,
    b'm' "monitor" monitor,
    b'C' "noclobber" noclobber,
    b'n' "noexec" noexec,
    b'f' "noglob" noglob,
    0 "nolog" nolog,
    b'b' "notify" notify,
    b'u' "nounset" nounset,
    b't' "onecmd" onecmd,
    b'P' "physical" physical,
    0 "pipefail" pipefail,
    0 "posix" posix,
    b'p' "privileged" privileged,
    b'v' "verbose" verbose,
    0 "vi" vi,
    b'x' "xtrace" xtrace,
}

macro_rules! shopt_options {
    ($($name:ident $default:literal,)+) => {
        /// Name and default of each option, in alphabetical order.
        pub const SHOPT: &[(&str, bool)] = &[$((stringify!($name), $default),)+];

        #[allow(non_camel_case_types)]
        #[repr(u64)]
        enum Shopt { $($name,)+ }

        impl Options {
            $(
                #[doc = concat!("`shopt ", stringify!($name), "`")]
                pub fn $name(&self) -> bool {
                    self.shopt & (1 << Shopt::$name as u64) != 0
                }
            )+
        }
    };
}

shopt_options! {
    autocd false, assoc_expand_once false, cdable_vars false, cdspell false, checkhash false,
    checkjobs false, checkwinsize true, cmdhist true, compat31 false, compat32 false,
    compat40 false, compat41 false, compat42 false, compat43 false, compat44 false,
    complete_fullquote true, direxpand false, dirspell false, dotglob false, execfail false,
    expand_aliases false, extdebug false, extglob false, extquote true, failglob false,
    force_fignore true, globasciiranges true, globskipdots true, globstar false,
    gnu_errfmt false, histappend false, histreedit false, histverify false, hostcomplete true,
    huponexit false, inherit_errexit false, interactive_comments_ true, lastpipe false,
    lithist false, localvar_inherit false, localvar_unset false, login_shell false,
    mailwarn false, no_empty_cmd_completion false, nocaseglob false, nocasematch false,
    noexpand_translation false, nullglob false, patsub_replacement true, progcomp true,
    progcomp_alias false, promptvars true, restricted_shell false, shift_verbose false,
    sourcepath true, varredir_close false, xpg_echo false,
}

impl Default for Options {
    fn default() -> Options {
        let mut options = Options { set: 0, shopt: 0 };
        for name in ["braceexpand", "hashall", "interactive-comments"] {
            options.set_named(name, true);
        }
        for (at, (_, on)) in SHOPT.iter().enumerate() {
            options.shopt |= u64::from(*on) << at;
        }
        options
    }
}

impl Options {
    /// Turns a `set -o` option on or off by name. Returns false if there is no such option.
    pub fn set_named(&mut self, name: &str, on: bool) -> bool {
        let Some(at) = SET.iter().position(|(_, known)| *known == name) else { return false };
        match name {
            // Nothing else changes with a mode that is on, or off, already.
            "posix" if on == (self.set & (1 << at) != 0) => true,
            "vi" if on => self.set_named("emacs", false),
            "emacs" if on => self.set_named("vi", false),
            // As in bash, which forgets the last one when the mode ends.
            "posix" if on => {
                self.shopt_named("expand_aliases", true)
                    && self.shopt_named("shift_verbose", true)
                    && self.shopt_named("inherit_errexit", true)
            }
            "posix" => {
                self.shopt_named("expand_aliases", false)
                    && self.shopt_named("shift_verbose", false)
            }
            _ => true,
        };
        self.set = self.set & !(1 << at) | u32::from(on) << at;
        true
    }

    /// Turns a `set` option on or off by letter. Returns false if there is no such option.
    pub fn set_letter(&mut self, letter: u8, on: bool) -> bool {
        let known = SET.iter().find(|(known, _)| *known == letter && letter != 0);
        known.is_some_and(|(_, name)| self.set_named(name, on))
    }

    /// Returns the state of a `set -o` option, or `None` if there is no such option.
    pub fn is_set(&self, name: &str) -> Option<bool> {
        let at = SET.iter().position(|(_, known)| *known == name)?;
        Some(self.set & (1 << at) != 0)
    }

    /// Turns a `shopt` option on or off. Returns false if there is no such option.
    pub fn shopt_named(&mut self, name: &str, on: bool) -> bool {
        let Some(at) = shopt_at(name) else { return false };
        self.shopt = self.shopt & !(1 << at) | u64::from(on) << at;
        true
    }

    /// Returns the state of a `shopt` option, or `None` if there is no such option.
    pub fn is_shopt(&self, name: &str) -> Option<bool> {
        shopt_at(name).map(|at| self.shopt & (1 << at) != 0)
    }

    /// Returns the value of `$-`.
    pub fn letters(&self, extra: &str) -> String {
        let mut letters: Vec<u8> = SET
            .iter()
            .enumerate()
            .filter(|(at, (letter, _))| *letter != 0 && self.set & (1 << at) != 0)
            .map(|(_, (letter, _))| *letter)
            .chain(extra.bytes().filter(|c| *c != b'c' && *c != b's'))
            .collect();
        letters.sort_unstable_by_key(|c| (c.is_ascii_uppercase(), *c));
        letters.extend(extra.bytes().filter(|c| *c == b'c' || *c == b's'));
        String::from_utf8(letters).unwrap_or_default()
    }
}

/// Returns an option's name in scripts: its identifier in the table may end in an underscore to
/// keep its accessor apart from that of a `set -o` option.
pub fn shopt_name(name: &'static str) -> &'static str {
    name.strip_suffix('_').unwrap_or(name)
}

fn shopt_at(name: &str) -> Option<usize> {
    SHOPT.iter().position(|(known, _)| shopt_name(known) == name)
}
