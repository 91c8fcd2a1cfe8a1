//! A safe wrapper around a database connection of SQLite's C library.

use std::ffi::{CStr, CString, c_int};

use libsqlite3_sys as ffi;

/// Memory limit of SQLite. Beyond it SQLite reports an error, whereas exceeding the cell's limit
/// ends the process.
const MAX_HEAP: i64 = 40 << 20;

/// Time to wait for a lock of another process, in milliseconds.
const PATIENCE: c_int = 5000;

/// A value of a result row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    /// The text that SQLite gives a number.
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

/// An error, by the stage at which it occurred.
#[derive(Debug)]
pub(super) enum Trouble {
    Prepare(String),
    Run(String),
    /// The consumer of the rows failed.
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
        // SAFETY: `name` is a C string, `handle` receives the connection, and a null VFS name
        // selects the default.
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
        // SAFETY: `handle` is an open connection.
        unsafe {
            ffi::sqlite3_busy_timeout(handle, PATIENCE);
            ffi::sqlite3_hard_heap_limit64(MAX_HEAP);
        }
        Ok(database)
    }

    fn message(&self) -> String {
        // SAFETY: `sqlite3_errmsg` accepts a null handle and returns a C string, which is copied
        // immediately.
        unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.0)) }.to_string_lossy().into_owned()
    }

    /// Runs every statement of a text; passes each row to `row`, with the names of its columns.
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
            // SAFETY: the connection is open, `at` points into a C string, and both out-pointers
            // are valid.
            let code =
                unsafe { ffi::sqlite3_prepare_v2(self.0, at, -1, &mut statement, &mut tail) };
            if code != ffi::SQLITE_OK {
                return Err(Trouble::Prepare(self.message()));
            }
            if !statement.is_null() {
                let ran = self.step(statement, &mut row);
                // SAFETY: the statement was prepared above and is not used afterwards.
                unsafe { ffi::sqlite3_finalize(statement) };
                ran?;
            }
            at = tail;
            // SAFETY: `tail` points into the C string, at the latest at its terminator.
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
            // SAFETY: the caller passes a prepared statement that is not finalised yet.
            match unsafe { ffi::sqlite3_step(statement) } {
                ffi::SQLITE_DONE => return Ok(()),
                ffi::SQLITE_ROW => {}
                code => {
                    return Err(Trouble::Run(format!("{} ({})", self.message(), code & 0xff)));
                }
            }
            // SAFETY: the statement is prepared.
            let count = unsafe { ffi::sqlite3_column_count(statement) };
            let names = names.get_or_insert_with(|| {
                // SAFETY: the statement is prepared and has `count` columns.
                (0..count).map(|at| unsafe { column_name(statement, at) }).collect()
            });
            // SAFETY: `sqlite3_step` returned a row of `count` columns.
            let cells: Vec<Cell> = (0..count).map(|at| unsafe { cell(statement, at) }).collect();
            row(names, &cells).map_err(Trouble::Output)?;
        }
    }

    /// Returns all rows of a statement.
    pub(super) fn rows(&self, sql: &str) -> Result<Vec<Vec<Cell>>, Trouble> {
        let mut rows = Vec::new();
        self.run(sql, |_, cells| {
            rows.push(cells.to_vec());
            Ok(())
        })?;
        Ok(rows)
    }
}

/// Returns the name of a column.
///
/// # Safety
///
/// `statement` must be prepared and have this column.
unsafe fn column_name(statement: *mut ffi::sqlite3_stmt, at: c_int) -> String {
    // SAFETY: the caller promises that the column exists. The result is null if memory is
    // exhausted.
    let name = unsafe { ffi::sqlite3_column_name(statement, at) };
    if name.is_null() {
        return String::new();
    }
    // SAFETY: `name` is not null, so it is a C string of SQLite; it is copied immediately.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// Returns the value of a column.
///
/// # Safety
///
/// `statement` must be at a row that has this column.
unsafe fn cell(statement: *mut ffi::sqlite3_stmt, at: c_int) -> Cell {
    // SAFETY: the caller promises that the column exists. The pointer is fetched before the length,
    // as SQLite requires, and both are used before the next call.
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
        // SAFETY: the handle was opened once and is closed only here; closing null has no effect.
        unsafe { ffi::sqlite3_close(self.0) };
    }
}

/// Returns true if a text ends with a complete statement.
pub(super) fn is_complete(sql: &str) -> bool {
    let Ok(text) = CString::new(sql) else { return true };
    // SAFETY: `text` is a C string.
    unsafe { ffi::sqlite3_complete(text.as_ptr()) == 1 }
}

/// Returns the version of SQLite.
pub(super) fn version() -> String {
    // SAFETY: `sqlite3_libversion` returns a constant C string.
    unsafe { CStr::from_ptr(ffi::sqlite3_libversion()) }.to_string_lossy().into_owned()
}
