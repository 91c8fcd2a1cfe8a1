//! The VFS of SQLite on the sandbox's files: plain reads and writes, and a lock file beside the
//! database.
//!
//! WASI has no file locks. A process that locks a database creates a lock file next to it, which
//! holds its process number. Creation fails if the lock file exists, so every lock is exclusive. A
//! lock file left behind by a killed process is taken over.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::wasi::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use libsqlite3_sys as ffi;

/// Longest path.
const MAX_PATH: c_int = 4096;

/// Milliseconds from the start of the Julian calendar to 1970.
const JULIAN_EPOCH: i64 = 210_866_760_000_000;

/// An open file as allocated by SQLite: the methods first, then the state of this VFS.
#[repr(C)]
struct OpenFile {
    base: ffi::sqlite3_file,
    state: *mut State,
}

struct State {
    file: File,
    path: PathBuf,
    is_temporary: bool,
    is_locked: bool,
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_lock),
    xFileControl: Some(control),
    xSectorSize: None,
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

unsafe extern "C" {
    /// Function that SQLite calls when it starts; defined in `libc/database.h`.
    static mut cofferdam_register_files: Option<extern "C" fn() -> c_int>;
}

/// Has SQLite use the sandbox's files. Must be called before anything else of SQLite is.
pub(super) fn install() {
    // SAFETY: the process has one thread, and SQLite has not started.
    unsafe { cofferdam_register_files = Some(register) };
}

/// Registers the VFS; called by SQLite when it starts.
extern "C" fn register() -> c_int {
    let vfs = Box::leak(Box::new(ffi::sqlite3_vfs {
        iVersion: 2,
        szOsFile: size_of::<OpenFile>() as c_int,
        mxPathname: MAX_PATH,
        pNext: std::ptr::null_mut(),
        zName: c"cofferdam".as_ptr(),
        pAppData: std::ptr::null_mut(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_path),
        xDlOpen: None,
        xDlError: None,
        xDlSym: None,
        xDlClose: None,
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: None,
        xCurrentTimeInt64: Some(current_time_ms),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    }));
    // SAFETY: the structure is leaked, so it lives forever, and its functions keep SQLite's
    // contract.
    unsafe { ffi::sqlite3_vfs_register(vfs, 1) }
}

/// Returns a file name of SQLite as a path.
///
/// # Safety
///
/// `name` must be null or a C string that outlives the result.
unsafe fn path<'a>(name: *const c_char) -> Option<&'a Path> {
    if name.is_null() {
        return None;
    }
    // SAFETY: `name` is not null, so the caller promises a C string.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    Some(Path::new(OsStr::from_bytes(bytes)))
}

unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite allocates `szOsFile` bytes for the file. Without methods it does not call
    // `close`.
    unsafe { (*file).pMethods = std::ptr::null() };
    // SAFETY: SQLite passes null or a C string that outlives this call.
    let given = unsafe { path(name) };
    let path = match given {
        Some(path) => path.to_owned(),
        None => {
            let mut number = [0; 8];
            let _ = getrandom(&mut number);
            PathBuf::from(format!("/tmp/.sqlite-{:016x}", u64::from_le_bytes(number)))
        }
    };
    let wants_write = flags & ffi::SQLITE_OPEN_READWRITE != 0;
    let mut options = OpenOptions::new();
    options.read(true).write(wants_write);
    options.create(flags & ffi::SQLITE_OPEN_CREATE != 0 && wants_write);
    let mut may_write = wants_write;
    let opened = options.open(&path).or_else(|error| {
        may_write = false;
        if wants_write { File::open(&path) } else { Err(error) }
    });
    let Ok(opened) = opened.and_then(|file| match file.metadata()?.is_dir() {
        true => Err(std::io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    }) else {
        return ffi::SQLITE_CANTOPEN;
    };
    let is_temporary = given.is_none() || flags & ffi::SQLITE_OPEN_DELETEONCLOSE != 0;
    let state = Box::new(State { file: opened, path, is_temporary, is_locked: false });
    // SAFETY: `file` has room for an `OpenFile`, and `out_flags` is null or valid.
    unsafe {
        (*file.cast::<OpenFile>()).state = Box::into_raw(state);
        (*file).pMethods = &METHODS;
        if !out_flags.is_null() {
            *out_flags = if may_write { flags } else { ffi::SQLITE_OPEN_READONLY };
        }
    }
    ffi::SQLITE_OK
}

/// Returns the state of an open file.
///
/// # Safety
///
/// `file` must have been opened by [`open`] and not closed, and no other reference to its state may
/// be alive.
unsafe fn state<'a>(file: *mut ffi::sqlite3_file) -> &'a mut State {
    // SAFETY: `open` stored a pointer from `Box::into_raw`, and the caller promises that no other
    // reference is alive.
    unsafe { &mut *(*file.cast::<OpenFile>()).state }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: `open` made the pointer with `Box::into_raw`, and SQLite closes a file only once.
    let mut state = unsafe { Box::from_raw((*file.cast::<OpenFile>()).state) };
    release(&mut state);
    if state.is_temporary {
        let _ = std::fs::remove_file(&state.path);
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    out: *mut c_void,
    len: c_int,
    from: i64,
) -> c_int {
    // SAFETY: SQLite passes an open file, not in use by another call, and a buffer of `len` bytes.
    let (state, out) = unsafe {
        (state(file), std::slice::from_raw_parts_mut(out.cast::<u8>(), len.max(0) as usize))
    };
    if state.file.seek(SeekFrom::Start(from.max(0) as u64)).is_err() {
        return ffi::SQLITE_IOERR_READ;
    }
    let mut filled = 0;
    while filled < out.len() {
        match state.file.read(&mut out[filled..]) {
            Ok(0) => {
                out[filled..].fill(0);
                return ffi::SQLITE_IOERR_SHORT_READ;
            }
            Ok(len) => filled += len,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return ffi::SQLITE_IOERR_READ,
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    len: c_int,
    from: i64,
) -> c_int {
    // SAFETY: SQLite passes an open file, not in use by another call, and `len` initialised bytes.
    let (state, bytes) = unsafe {
        (state(file), std::slice::from_raw_parts(bytes.cast::<u8>(), len.max(0) as usize))
    };
    let written = state
        .file
        .seek(SeekFrom::Start(from.max(0) as u64))
        .and_then(|_| state.file.write_all(bytes));
    match written {
        Ok(()) => ffi::SQLITE_OK,
        Err(error) if error.kind() == std::io::ErrorKind::StorageFull => ffi::SQLITE_FULL,
        Err(_) => ffi::SQLITE_IOERR_WRITE,
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    // SAFETY: SQLite passes an open file that is not in use by another call.
    match unsafe { state(file) }.file.set_len(size.max(0) as u64) {
        Ok(()) => ffi::SQLITE_OK,
        Err(_) => ffi::SQLITE_IOERR_TRUNCATE,
    }
}

unsafe extern "C" fn sync(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    // Written data needs no flushing: the files live in host memory.
    ffi::SQLITE_OK
}

unsafe extern "C" fn size(file: *mut ffi::sqlite3_file, out: *mut i64) -> c_int {
    // SAFETY: SQLite passes an open file that is not in use by another call.
    let Ok(metadata) = unsafe { state(file) }.file.metadata() else {
        return ffi::SQLITE_IOERR_FSTAT;
    };
    // SAFETY: SQLite passes a valid pointer for the result.
    unsafe { *out = metadata.len() as i64 };
    ffi::SQLITE_OK
}

fn lock_file(state: &State) -> PathBuf {
    let mut name = state.path.clone().into_os_string();
    name.push("-lock");
    name.into()
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    // SAFETY: SQLite passes an open file that is not in use by another call.
    let state = unsafe { state(file) };
    if state.is_locked {
        return ffi::SQLITE_OK;
    }
    let at = lock_file(state);
    let make = || OpenOptions::new().write(true).create_new(true).open(&at);
    let mut made = make();
    if made.is_err() && is_left_behind(&at) {
        let _ = std::fs::remove_file(&at);
        made = make();
    }
    match made {
        Ok(mut made) => {
            let own = cofferdam_guest_sys::myself().map_or(0, |me| me.pid);
            let _ = write!(made, "{own}");
            state.is_locked = true;
            ffi::SQLITE_OK
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => ffi::SQLITE_BUSY,
        // Without permission to create the lock file, no other process can write there either.
        Err(_) => ffi::SQLITE_OK,
    }
}

/// Returns true if the process that created a lock no longer exists, or its number was reused.
fn is_left_behind(at: &Path) -> bool {
    let Ok(owner) = std::fs::read_to_string(at) else { return false };
    let comm = std::fs::read_to_string(format!("/proc/{}/comm", owner.trim()));
    comm.map_or(true, |comm| comm.trim() != "sqlite3")
}

fn release(state: &mut State) {
    if std::mem::take(&mut state.is_locked) {
        let _ = std::fs::remove_file(lock_file(state));
    }
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    if level == ffi::SQLITE_LOCK_NONE {
        // SAFETY: SQLite passes an open file that is not in use by another call.
        release(unsafe { state(file) });
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn check_lock(_: *mut ffi::sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: SQLite passes a valid pointer for the result. The caller holds the exclusive lock, so
    // no other process does.
    unsafe { *out = 0 };
    ffi::SQLITE_OK
}

unsafe extern "C" fn control(_: *mut ffi::sqlite3_file, _: c_int, _: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn characteristics(_: *mut ffi::sqlite3_file) -> c_int {
    0
}

unsafe extern "C" fn delete(_: *mut ffi::sqlite3_vfs, name: *const c_char, _: c_int) -> c_int {
    // SAFETY: SQLite passes null or a C string that outlives this call.
    let Some(path) = (unsafe { path(name) }) else { return ffi::SQLITE_IOERR_DELETE };
    match std::fs::remove_file(path) {
        Ok(()) => ffi::SQLITE_OK,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            ffi::SQLITE_IOERR_DELETE_NOENT
        }
        Err(_) => ffi::SQLITE_IOERR_DELETE,
    }
}

unsafe extern "C" fn access(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    _: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes null or a C string that outlives this call, and a valid pointer for the
    // result.
    unsafe { *out = path(name).is_some_and(Path::exists).into() };
    ffi::SQLITE_OK
}

unsafe extern "C" fn full_path(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    len: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite passes null or a C string that outlives this call.
    let Some(path) = (unsafe { path(name) }) else { return ffi::SQLITE_CANTOPEN };
    let full = match path.is_absolute() {
        true => path.to_owned(),
        false => std::env::current_dir().unwrap_or_else(|_| "/".into()).join(path),
    };
    let bytes = full.as_os_str().as_bytes();
    if bytes.len() + 1 > len.max(0) as usize {
        return ffi::SQLITE_CANTOPEN;
    }
    // SAFETY: `out` has room for `len` bytes, and the path and its terminator fit, as checked
    // above.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.cast::<u8>(), bytes.len());
        *out.add(bytes.len()) = 0;
    }
    ffi::SQLITE_OK
}

fn getrandom(out: &mut [u8]) -> std::io::Result<()> {
    File::open("/dev/urandom")?.read_exact(out)
}

unsafe extern "C" fn randomness(_: *mut ffi::sqlite3_vfs, len: c_int, out: *mut c_char) -> c_int {
    // SAFETY: `out` has room for `len` bytes.
    let out = unsafe { std::slice::from_raw_parts_mut(out.cast::<u8>(), len.max(0) as usize) };
    match getrandom(out) {
        Ok(()) => len,
        Err(_) => 0,
    }
}

unsafe extern "C" fn sleep(_: *mut ffi::sqlite3_vfs, micros: c_int) -> c_int {
    std::thread::sleep(Duration::from_micros(micros.max(0) as u64));
    micros
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    JULIAN_EPOCH + since.as_millis() as i64
}

unsafe extern "C" fn current_time(_: *mut ffi::sqlite3_vfs, out: *mut f64) -> c_int {
    // SAFETY: SQLite passes a valid pointer for the result.
    unsafe { *out = now_ms() as f64 / 86_400_000.0 };
    ffi::SQLITE_OK
}

unsafe extern "C" fn current_time_ms(_: *mut ffi::sqlite3_vfs, out: *mut i64) -> c_int {
    // SAFETY: SQLite passes a valid pointer for the result.
    unsafe { *out = now_ms() };
    ffi::SQLITE_OK
}
