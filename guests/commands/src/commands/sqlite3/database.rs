//! A database, without its C.

use std::ffi::{CStr, CString, c_int};

use libsqlite3_sys as ffi;

/// Memory that SQLite may have; past that it says so, while the process would be ended.
const MAX_HEAP: i64 = 40 << 20;

/// How long a lock of another process is waited for, in milliseconds.
const PATIENCE: c_int = 5000;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    /// As SQLite writes it.
    Number(Vec<u8>),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Cell {
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Cell::Null => None,
            Cell::Number(bytes) | Cell::Text(bytes) | Cell::Blob(bytes) => Some(bytes),
        }
    }
}

/// What went wrong: when the text was read, or when it ran.
#[derive(Debug)]
pub(super) enum Trouble {
    Prepare(String),
    Run(String),
    /// Whoever gets the rows wants no more.
    Output(String),
}

pub(super) struct Database(*mut ffi::sqlite3);

impl Database {
    pub(super) fn open(path: &str, is_read_only: bool) -> Result<Self, String> {
        let name = CString::new(path).map_err(|_| "a path has no zero bytes".to_owned())?;
        let flags = match is_read_only {
            true => ffi::SQLITE_OPEN_READONLY,
            false => ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE,
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: a string, room for the handle, and no name of a VFS.
        let code = unsafe {
            ffi::sqlite3_open_v2(
                name.as_ptr(),
                &mut handle,
                flags | ffi::SQLITE_OPEN_URI,
                std::ptr::null(),
            )
        };
        let database = Database(handle);
        if code != ffi::SQLITE_OK {
            return Err(database.message());
        }
        // SAFETY: the handle is open.
        unsafe {
            ffi::sqlite3_busy_timeout(handle, PATIENCE);
            ffi::sqlite3_hard_heap_limit64(MAX_HEAP);
        }
        Ok(database)
    }

    fn message(&self) -> String {
        // SAFETY: also answers for a null handle; the string is copied at once.
        unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.0)) }.to_string_lossy().into_owned()
    }

    /// Runs every statement of a text; rows go to `row`, with the names of their columns.
    pub(super) fn run(
        &self,
        sql: &str,
        mut row: impl FnMut(&[String], &[Cell]) -> Result<(), String>,
    ) -> Result<(), Trouble> {
        let text = CString::new(sql.replace('\0', ""))
            .map_err(|_| Trouble::Prepare("zero byte in a statement".into()))?;
        let mut at = text.as_ptr();
        loop {
            let (mut statement, mut tail) = (std::ptr::null_mut(), std::ptr::null());
            // SAFETY: an open handle, a string to its end, and room for both answers.
            let code =
                unsafe { ffi::sqlite3_prepare_v2(self.0, at, -1, &mut statement, &mut tail) };
            if code != ffi::SQLITE_OK {
                return Err(Trouble::Prepare(self.message()));
            }
            if !statement.is_null() {
                let ran = self.step(statement, &mut row);
                // SAFETY: prepared above, and used no more.
                unsafe { ffi::sqlite3_finalize(statement) };
                ran?;
            }
            at = tail;
            // SAFETY: the tail points into the text, at the latest at its end.
            if unsafe { *at } == 0 {
                return Ok(());
            }
        }
    }

    fn step(
        &self,
        statement: *mut ffi::sqlite3_stmt,
        row: &mut impl FnMut(&[String], &[Cell]) -> Result<(), String>,
    ) -> Result<(), Trouble> {
        let mut names: Option<Vec<String>> = None;
        loop {
            // SAFETY: a prepared statement.
            match unsafe { ffi::sqlite3_step(statement) } {
                ffi::SQLITE_DONE => return Ok(()),
                ffi::SQLITE_ROW => {}
                code => {
                    return Err(Trouble::Run(format!("{} ({})", self.message(), code & 0xff)));
                }
            }
            // SAFETY: a prepared statement, and columns that it has.
            let count = unsafe { ffi::sqlite3_column_count(statement) };
            let names = names.get_or_insert_with(|| {
                (0..count).map(|at| unsafe { column_name(statement, at) }).collect()
            });
            // SAFETY: as above, with a row.
            let cells: Vec<Cell> = (0..count).map(|at| unsafe { cell(statement, at) }).collect();
            row(names, &cells).map_err(Trouble::Output)?;
        }
    }

    /// All rows of a statement of ours.
    pub(super) fn rows(&self, sql: &str) -> Result<Vec<Vec<Cell>>, Trouble> {
        let mut rows = Vec::new();
        self.run(sql, |_, cells| {
            rows.push(cells.to_vec());
            Ok(())
        })?;
        Ok(rows)
    }
}

/// # Safety
/// The statement is prepared and has this column.
unsafe fn column_name(statement: *mut ffi::sqlite3_stmt, at: c_int) -> String {
    // SAFETY: as the caller promises; null when memory is short.
    let name = unsafe { ffi::sqlite3_column_name(statement, at) };
    if name.is_null() {
        return String::new();
    }
    // SAFETY: a string of SQLite's, copied at once.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// # Safety
/// The statement has a row, and the row this column.
unsafe fn cell(statement: *mut ffi::sqlite3_stmt, at: c_int) -> Cell {
    // SAFETY: as the caller promises. The pointer is asked for before the length, and both are
    // used before the next call.
    unsafe {
        let kind = ffi::sqlite3_column_type(statement, at);
        if kind == ffi::SQLITE_NULL {
            return Cell::Null;
        }
        let start = match kind {
            ffi::SQLITE_BLOB => ffi::sqlite3_column_blob(statement, at).cast::<u8>(),
            _ => ffi::sqlite3_column_text(statement, at),
        };
        let len = ffi::sqlite3_column_bytes(statement, at).max(0) as usize;
        let bytes = match start.is_null() {
            true => Vec::new(),
            false => std::slice::from_raw_parts(start, len).to_vec(),
        };
        match kind {
            ffi::SQLITE_BLOB => Cell::Blob(bytes),
            ffi::SQLITE_TEXT => Cell::Text(bytes),
            _ => Cell::Number(bytes),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: opened once, closed once; a null handle is none.
        unsafe { ffi::sqlite3_close(self.0) };
    }
}

/// Whether a text ends with a whole statement.
pub(super) fn is_complete(sql: &str) -> bool {
    let Ok(text) = CString::new(sql) else { return true };
    // SAFETY: a string.
    unsafe { ffi::sqlite3_complete(text.as_ptr()) == 1 }
}

/// SQLite's own version.
pub(super) fn version() -> String {
    // SAFETY: a constant string.
    unsafe { CStr::from_ptr(ffi::sqlite3_libversion()) }.to_string_lossy().into_owned()
}
