//! [`CompileWorker`], the program that compiles modules and the memory that it may use. Separate
//! from `worker`, because the library names it in a browser too, where nothing is compiled.

use std::path::{Path, PathBuf};

/// Address space of a worker in bytes, unless it is given another; the program's own is included.
const MEMORY: u64 = 2 << 30;

/// A program that is executed to compile one module, and the memory that it may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileWorker {
    program: PathBuf,
    memory_bytes: u64,
}

impl CompileWorker {
    /// Names an executable that calls `become_compiler` first in its `main`. Its output is executed
    /// as native code, so it must be as trusted as this program.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        CompileWorker { program: program.into(), memory_bytes: MEMORY }
    }

    /// Sets the address space of the worker, which includes that of the program itself. The default
    /// is 2 GiB.
    pub fn with_memory_bytes(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Returns the executable.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the address space of the worker in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }
}
