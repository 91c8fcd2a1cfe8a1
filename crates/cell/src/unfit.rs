//! The reason why a module cannot run here, with advice for its author.

use cofferdam_abi::names;
use wasmparser::{CompositeInnerType, MemoryType, Parser, Payload, TypeRef};

use crate::wasi::{Import, WASI};

/// Longest module that is accepted, in bytes.
pub(crate) const MAX_MODULE: usize = 256 << 20;

/// Longest reason in characters; it may contain names chosen by the module.
const MAX_REASON: usize = 300;

const THREADS: &str = "needs threads, which this host does not have: build it without them (no \
    -pthread, no --shared-memory; in Rust, for wasm32-wasip1)";

const EXCEPTIONS: &str = "uses WebAssembly's exceptions, which programs in a browser cannot have, \
    because they would catch its end: build it without them (no -fwasm-exceptions, no setjmp; in \
    Rust, -C panic=abort)";

const LEGACY_EXCEPTIONS: &str = "uses WebAssembly's exceptions in their first form, which this host \
    does not have: build it with those of WebAssembly 3 (in clang, -mllvm \
    -wasm-use-legacy-eh=false), or convert it with `wasm-opt --translate-to-exnref`";

const COLLECTED: &str = "uses WebAssembly's garbage collector, which this host does not have; \
    compilers that bring their own, such as Go's, do without it";

const MEMORY64: &str = "has a 64-bit memory, which this host does not have: build it for wasm32";

/// The reason why a module cannot run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    reason: String,
    limit: Option<u64>,
}

impl Unfit {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        let mut reason: String = reason.into();
        if let Some((end, _)) = reason.char_indices().nth(MAX_REASON) {
            reason.truncate(end);
            reason.push('…');
        }
        Unfit { reason, limit: None }
    }

    /// Creates the reason of a module that takes more memory than compiling may use.
    pub(crate) fn too_large(bytes: u64) -> Self {
        let reason = format!("takes more than {} MiB of memory to compile", bytes >> 20);
        Unfit { limit: Some(bytes), ..Unfit::new(reason) }
    }

    /// Returns the memory that compiling may use, if the module takes more.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Formats the engine's error in one line, innermost cause last.
    pub(crate) fn invalid(error: &impl std::fmt::Display) -> Self {
        let text = format!("{error:#}");
        if text.contains("legacy_exceptions") || text.contains("legacy exceptions") {
            return Unfit::new(LEGACY_EXCEPTIONS);
        }
        let text = text.lines().collect::<Vec<_>>().join(" ");
        Unfit::new(format!("is not a valid module: {text}"))
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unfit {}

/// Rejects bytes that are not a supported module, before anything is spent on them.
// T-PROC-001: a hostile module.
pub(crate) fn look_at(wasm: &[u8]) -> Result<(), Unfit> {
    if !wasm.starts_with(b"\0asm") {
        return Err(Unfit::new("is not a WebAssembly module"));
    }
    // T-PROC-002: a compile bomb: a module whose compiling takes minutes.
    if wasm.len() > MAX_MODULE {
        let text = format!("is a module of {} bytes; the limit is {MAX_MODULE}", wasm.len());
        return Err(Unfit::new(text));
    }
    match wasm.get(4..8) {
        Some([1, 0, 0, 0]) => Ok(()),
        Some([_, 0, 1, 0]) => Err(Unfit::new(
            "is a component; only core modules for WASI preview 1 run here: build it for \
             wasm32-wasip1, not wasip2",
        )),
        Some(_) => Err(Unfit::new("is a module of an unknown version")),
        None => Err(Unfit::new("is truncated")),
    }
}

/// Support for the exceptions of programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceptions {
    /// The engine ends a program with a trap, which nothing catches.
    Supported,
    /// A browser ends a program with an exception of its own, which `catch_all` would catch.
    #[cfg_attr(not(any(target_family = "wasm", feature = "pacing")), allow(dead_code))]
    Refused,
}

/// Rejects unsupported features before minutes are spent on compiling.
// T-PROC-001: a hostile module.
pub(crate) fn scan(wasm: &[u8], exceptions: Exceptions) -> Result<(), Unfit> {
    let check_tags = || match exceptions {
        Exceptions::Supported => Ok(()),
        Exceptions::Refused => Err(Unfit::new(EXCEPTIONS)),
    };
    for part in Parser::new(0).parse_all(wasm) {
        // The compiler reports other errors better.
        let Ok(part) = part else { return Ok(()) };
        match part {
            Payload::TypeSection(types) => {
                for group in types.into_iter().flatten() {
                    for ty in group.types() {
                        match ty.composite_type.inner {
                            CompositeInnerType::Struct(_) | CompositeInnerType::Array(_) => {
                                return Err(Unfit::new(COLLECTED));
                            }
                            CompositeInnerType::Func(_) | CompositeInnerType::Cont(_) => {}
                        }
                    }
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports().flatten() {
                    match import.ty {
                        TypeRef::Memory(memory) => check_memory(memory)?,
                        TypeRef::Tag(_) => check_tags()?,
                        _ => {}
                    }
                    let is_function = matches!(import.ty, TypeRef::Func(_));
                    check_import(import.module, import.name, is_function).map_err(|missing| {
                        let advice = advice(import.module, import.name);
                        Unfit::new(format!("{missing}: {advice}"))
                    })?;
                }
            }
            Payload::MemorySection(memories) => {
                memories.into_iter().flatten().try_for_each(check_memory)?;
            }
            Payload::TagSection(_) => check_tags()?,
            Payload::CodeSectionStart { .. } => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns an error if programs cannot have this import.
pub(crate) fn check_import(from: &str, name: &str, is_function: bool) -> Result<(), String> {
    let is_known = match from {
        WASI => name == "proc_exit" || Import::ALL.iter().any(|(i, _)| i.name() == name),
        names::IMPORT_MODULE => name == names::IMPORT_CALL,
        _ => false,
    };
    match is_known && is_function {
        true => Ok(()),
        false => Err(format!("imports {from}.{name}, which this host does not have")),
    }
}

fn check_memory(memory: MemoryType) -> Result<(), Unfit> {
    match memory {
        MemoryType { shared: true, .. } => Err(Unfit::new(THREADS)),
        MemoryType { memory64: true, .. } => Err(Unfit::new(MEMORY64)),
        _ => Ok(()),
    }
}

/// Returns advice for the author of a module with this import, as far as its name tells.
fn advice(from: &str, name: &str) -> &'static str {
    match from {
        "wasi" if name == "thread-spawn" => "it needs threads; build it without them",
        "wasi_unstable" => "it was made for the WASI of 2019; build it for wasm32-wasip1",
        WASI => "it is not a function of WASI preview 1; build it without the code that needs it",
        "gojs" | "go" => "it was made for JavaScript; build it with GOOS=wasip1",
        "wbg" | "__wbindgen_placeholder__" => {
            "it was made for JavaScript; build it for wasm32-wasip1 without wasm-bindgen"
        }
        "env" => {
            "it was made for JavaScript, or linked with unresolved symbols; build it with a WASI \
             toolchain"
        }
        _ if from.starts_with("wasi:") => {
            "it was made for WASI preview 2; build it for wasm32-wasip1"
        }
        _ => "it was made for another host; build it with a WASI toolchain",
    }
}
