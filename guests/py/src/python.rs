//! CPython's interface, as far as it is used here, and owned references.

use std::ffi::{CStr, c_char, c_double, c_int, c_long, c_longlong, c_ulong};
use std::ptr::NonNull;

/// A Python object. Its head is a count and its type, as CPython has it on 32 bits.
#[repr(C)]
pub(crate) struct PyObject {
    count: u32,
    kind: *mut PyObject,
}

/// An entry of a module's table of functions.
#[repr(C)]
pub(crate) struct MethodDef {
    pub(crate) name: *const c_char,
    pub(crate) function:
        Option<unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject>,
    pub(crate) flags: c_int,
    pub(crate) doc: *const c_char,
}

/// An entry of the table of modules that are part of the program.
#[repr(C)]
pub(crate) struct FrozenModule {
    pub(crate) name: *const c_char,
    pub(crate) code: *const u8,
    pub(crate) size: c_int,
    pub(crate) is_package: c_int,
}

/// Function of a tuple of arguments.
pub(crate) const METH_VARARGS: c_int = 1;

const LONG: u32 = 1 << 24;
const LIST: u32 = 1 << 25;
const TUPLE: u32 = 1 << 26;
const BYTES: u32 = 1 << 27;
const UNICODE: u32 = 1 << 28;
const DICT: u32 = 1 << 29;

#[rustfmt::skip]
unsafe extern "C" {
    static mut _Py_NoneStruct: PyObject;
    static mut _Py_TrueStruct: PyObject;
    static mut _Py_FalseStruct: PyObject;
    pub(crate) static mut PyImport_FrozenModules: *const FrozenModule;
    static mut PyExc_TypeError: *mut PyObject;
    static mut PyExc_ValueError: *mut PyObject;
    static mut PyExc_RecursionError: *mut PyObject;
    static mut PyFloat_Type: PyObject;
    static mut PyByteArray_Type: PyObject;
    static mut PySet_Type: PyObject;
    static mut PyFrozenSet_Type: PyObject;

    fn PyType_GetFlags(kind: *mut PyObject) -> c_ulong;
    fn PyType_IsSubtype(a: *mut PyObject, b: *mut PyObject) -> c_int;
    fn Py_IncRef(o: *mut PyObject);
    fn Py_DecRef(o: *mut PyObject);
    fn PyErr_SetString(kind: *mut PyObject, text: *const c_char);
    fn PyErr_SetObject(kind: *mut PyObject, value: *mut PyObject);
    fn PyErr_GetRaisedException() -> *mut PyObject;
    fn PyErr_Occurred() -> *mut PyObject;
    fn PyErr_Print();
    fn PyErr_Clear();
    fn PyUnicode_FromStringAndSize(text: *const c_char, len: isize) -> *mut PyObject;
    fn PyUnicode_AsUTF8AndSize(o: *mut PyObject, len: *mut isize) -> *const c_char;
    fn PyUnicode_AsEncodedString(o: *mut PyObject, encoding: *const c_char, errors: *const c_char) -> *mut PyObject;
    fn PyUnicode_Decode(bytes: *const c_char, len: isize, encoding: *const c_char, errors: *const c_char) -> *mut PyObject;
    fn PyBytes_FromStringAndSize(bytes: *const c_char, len: isize) -> *mut PyObject;
    fn PyBytes_AsStringAndSize(o: *mut PyObject, bytes: *mut *mut c_char, len: *mut isize) -> c_int;
    fn PyByteArray_AsString(o: *mut PyObject) -> *mut c_char;
    fn PyByteArray_Size(o: *mut PyObject) -> isize;
    fn PyLong_FromUnsignedLong(n: c_ulong) -> *mut PyObject;
    fn PyLong_FromDouble(n: c_double) -> *mut PyObject;
    fn PyLong_AsLongLongAndOverflow(o: *mut PyObject, overflow: *mut c_int) -> c_longlong;
    fn PyLong_FromUnicodeObject(o: *mut PyObject, base: c_int) -> *mut PyObject;
    fn _PyLong_Format(o: *mut PyObject, base: c_int) -> *mut PyObject;
    fn PyFloat_FromDouble(n: c_double) -> *mut PyObject;
    fn PyFloat_AsDouble(o: *mut PyObject) -> c_double;
    fn PyList_New(len: isize) -> *mut PyObject;
    fn PyList_Append(list: *mut PyObject, o: *mut PyObject) -> c_int;
    fn PyTuple_New(len: isize) -> *mut PyObject;
    fn PyTuple_SetItem(tuple: *mut PyObject, at: isize, o: *mut PyObject) -> c_int;
    fn PyTuple_Size(tuple: *mut PyObject) -> isize;
    fn PyTuple_GetItem(tuple: *mut PyObject, at: isize) -> *mut PyObject;
    fn PyDict_New() -> *mut PyObject;
    fn PyDict_SetItem(dict: *mut PyObject, key: *mut PyObject, value: *mut PyObject) -> c_int;
    fn PyDict_Next(dict: *mut PyObject, at: *mut isize, key: *mut *mut PyObject, value: *mut *mut PyObject) -> c_int;
    fn PySequence_List(o: *mut PyObject) -> *mut PyObject;
    fn PyList_Size(list: *mut PyObject) -> isize;
    fn PyList_GetItem(list: *mut PyObject, at: isize) -> *mut PyObject;
    fn PyObject_CallObject(f: *mut PyObject, args: *mut PyObject) -> *mut PyObject;
    fn PyObject_GetAttrString(o: *mut PyObject, name: *const c_char) -> *mut PyObject;
    fn PyImport_ImportModule(name: *const c_char) -> *mut PyObject;
    fn PyBool_FromLong(v: c_long) -> *mut PyObject;
}

/// An exception is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raised;

/// Result of a call into CPython.
pub(crate) type Result<T> = std::result::Result<T, Raised>;

/// A reference that is counted.
pub(crate) struct Owned(NonNull<PyObject>);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: this reference was counted when it was made.
        unsafe { Py_DecRef(self.0.as_ptr()) }
    }
}

impl Clone for Owned {
    fn clone(&self) -> Self {
        Owned::copied(self.0.as_ptr())
    }
}

impl Owned {
    /// Takes a new reference from CPython; null means that an exception is set.
    fn taken(o: *mut PyObject) -> Result<Owned> {
        NonNull::new(o).map(Owned).ok_or(Raised)
    }

    /// Counts one more reference to a live object.
    pub(crate) fn copied(o: *mut PyObject) -> Owned {
        let o = NonNull::new(o).expect("a live object");
        // SAFETY: the object is alive, because the caller has a reference to it.
        unsafe { Py_IncRef(o.as_ptr()) };
        Owned(o)
    }

    /// Gives the reference away, to CPython.
    pub(crate) fn into_raw(self) -> *mut PyObject {
        let o = self.0.as_ptr();
        std::mem::forget(self);
        o
    }

    fn raw(&self) -> *mut PyObject {
        self.0.as_ptr()
    }

    pub(crate) fn none() -> Owned {
        Owned::copied(&raw mut _Py_NoneStruct)
    }

    pub(crate) fn bool(value: bool) -> Owned {
        // SAFETY: always returns a new reference.
        Owned::taken(unsafe { PyBool_FromLong(c_long::from(value)) }).expect("a singleton")
    }

    pub(crate) fn text(text: &str) -> Result<Owned> {
        // SAFETY: `text` has that many bytes.
        Owned::taken(unsafe {
            PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as isize)
        })
    }

    /// Makes a string of UTF-16, lone surrogates included.
    pub(crate) fn text_from_utf16(units: &[u16]) -> Result<Owned> {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let (encoding, errors) = (c"utf-16-le", c"surrogatepass");
        // SAFETY: `bytes` has that many bytes; the names are C strings.
        Owned::taken(unsafe {
            PyUnicode_Decode(
                bytes.as_ptr().cast(),
                bytes.len() as isize,
                encoding.as_ptr(),
                errors.as_ptr(),
            )
        })
    }

    pub(crate) fn bytes(bytes: &[u8]) -> Result<Owned> {
        // SAFETY: `bytes` has that many bytes.
        Owned::taken(unsafe {
            PyBytes_FromStringAndSize(bytes.as_ptr().cast(), bytes.len() as isize)
        })
    }

    pub(crate) fn unsigned(n: u32) -> Result<Owned> {
        // SAFETY: any number is fine.
        Owned::taken(unsafe { PyLong_FromUnsignedLong(n as c_ulong) })
    }

    /// Makes an integer of digits.
    pub(crate) fn integer(digits: &str) -> Result<Owned> {
        let text = Owned::text(digits)?;
        // SAFETY: `text` is a string.
        Owned::taken(unsafe { PyLong_FromUnicodeObject(text.raw(), 10) })
    }

    /// Makes a float, or an integer if the number is whole: numbers of the host have one type.
    pub(crate) fn number(n: f64) -> Result<Owned> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let is_whole = n.fract() == 0.0 && n.abs() <= EXACT && !(n == 0.0 && n.is_sign_negative());
        // SAFETY: any number is fine.
        Owned::taken(unsafe { if is_whole { PyLong_FromDouble(n) } else { PyFloat_FromDouble(n) } })
    }

    pub(crate) fn list() -> Result<Owned> {
        // SAFETY: an empty list.
        Owned::taken(unsafe { PyList_New(0) })
    }

    pub(crate) fn append(&self, item: &Owned) -> Result<()> {
        // SAFETY: CPython checks the type.
        done(unsafe { PyList_Append(self.raw(), item.raw()) })
    }

    pub(crate) fn tuple(
        items: impl IntoIterator<Item = Owned, IntoIter: ExactSizeIterator>,
    ) -> Result<Owned> {
        let items = items.into_iter();
        // SAFETY: a new tuple, filled below before anything sees it.
        let tuple = Owned::taken(unsafe { PyTuple_New(items.len() as isize) })?;
        for (at, item) in items.enumerate() {
            // SAFETY: the tuple takes the reference.
            done(unsafe { PyTuple_SetItem(tuple.raw(), at as isize, item.into_raw()) })?;
        }
        Ok(tuple)
    }

    pub(crate) fn dict() -> Result<Owned> {
        // SAFETY: an empty dictionary.
        Owned::taken(unsafe { PyDict_New() })
    }

    pub(crate) fn set_item(&self, key: &Owned, value: &Owned) -> Result<()> {
        // SAFETY: CPython checks the type.
        done(unsafe { PyDict_SetItem(self.raw(), key.raw(), value.raw()) })
    }

    pub(crate) fn is_none(&self) -> bool {
        self.raw() == &raw mut _Py_NoneStruct
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.raw() {
            o if o == &raw mut _Py_TrueStruct => Some(true),
            o if o == &raw mut _Py_FalseStruct => Some(false),
            _ => None,
        }
    }

    fn kind(&self) -> *mut PyObject {
        // SAFETY: every live object has a type.
        unsafe { (*self.raw()).kind }
    }

    fn has_flag(&self, flag: u32) -> bool {
        // SAFETY: the type of a live object is alive.
        unsafe { PyType_GetFlags(self.kind()) as u32 & flag != 0 }
    }

    fn is_a(&self, kind: *mut PyObject) -> bool {
        // SAFETY: both are types.
        self.kind() == kind || unsafe { PyType_IsSubtype(self.kind(), kind) != 0 }
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.has_flag(LONG)
    }

    pub(crate) fn is_text(&self) -> bool {
        self.has_flag(UNICODE)
    }

    pub(crate) fn is_sequence(&self) -> bool {
        self.has_flag(LIST | TUPLE)
    }

    pub(crate) fn is_dict(&self) -> bool {
        self.has_flag(DICT)
    }

    pub(crate) fn is_float(&self) -> bool {
        self.is_a(&raw mut PyFloat_Type)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_a(&raw mut PySet_Type) || self.is_a(&raw mut PyFrozenSet_Type)
    }

    /// Returns the address, which tells objects apart.
    pub(crate) fn id(&self) -> usize {
        self.raw() as usize
    }

    /// Returns an integer that fits, or `None` if it is too large.
    pub(crate) fn as_i64(&self) -> Result<Option<i64>> {
        let mut overflow = 0;
        // SAFETY: CPython checks the type.
        let n = unsafe { PyLong_AsLongLongAndOverflow(self.raw(), &mut overflow) };
        if overflow != 0 {
            return Ok(None);
        }
        if n == -1 && is_raised() { Err(Raised) } else { Ok(Some(n)) }
    }

    /// Returns the decimal digits of an integer, however long.
    pub(crate) fn digits(&self) -> Result<Owned> {
        // SAFETY: CPython checks the type.
        Owned::taken(unsafe { _PyLong_Format(self.raw(), 10) })
    }

    pub(crate) fn as_f64(&self) -> Result<f64> {
        // SAFETY: CPython checks the type.
        let n = unsafe { PyFloat_AsDouble(self.raw()) };
        if n == -1.0 && is_raised() { Err(Raised) } else { Ok(n) }
    }

    /// Returns the text of a string, or `None` if it has lone surrogates.
    pub(crate) fn as_text(&self) -> Result<Option<&str>> {
        let mut len = 0;
        // SAFETY: CPython checks the type, and keeps the text as long as the object.
        unsafe {
            let text = PyUnicode_AsUTF8AndSize(self.raw(), &mut len);
            if text.is_null() {
                if !self.is_text() {
                    return Err(Raised);
                }
                PyErr_Clear();
                return Ok(None);
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len as usize);
            Ok(Some(std::str::from_utf8_unchecked(bytes)))
        }
    }

    /// Returns the text of a string; lone surrogates become question marks.
    pub(crate) fn to_text(&self) -> Result<String> {
        if let Some(text) = self.as_text()? {
            return Ok(text.to_owned());
        }
        let encoded = self.encoded(c"utf-8", c"replace")?;
        Ok(String::from_utf8_lossy(encoded.as_bytes().unwrap_or_default()).into_owned())
    }

    /// Returns the UTF-16 units of a string.
    pub(crate) fn to_utf16(&self) -> Result<Vec<u16>> {
        let encoded = self.encoded(c"utf-16-le", c"surrogatepass")?;
        let bytes = encoded.as_bytes().unwrap_or_default();
        Ok(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
    }

    fn encoded(&self, encoding: &CStr, errors: &CStr) -> Result<Owned> {
        // SAFETY: CPython checks the type; the names are C strings.
        Owned::taken(unsafe {
            PyUnicode_AsEncodedString(self.raw(), encoding.as_ptr(), errors.as_ptr())
        })
    }

    /// Returns the content of `bytes` or `bytearray`. It must not be used after Python code ran.
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        // SAFETY: the types are checked; the content lives as long as the object, and no Python
        // code runs while the caller uses it.
        unsafe {
            if self.has_flag(BYTES) {
                let (mut bytes, mut len) = (std::ptr::null_mut(), 0);
                PyBytes_AsStringAndSize(self.raw(), &mut bytes, &mut len);
                return Some(std::slice::from_raw_parts(bytes.cast(), len as usize));
            }
            if self.is_a(&raw mut PyByteArray_Type) {
                let len = PyByteArray_Size(self.raw()) as usize;
                return Some(std::slice::from_raw_parts(
                    PyByteArray_AsString(self.raw()).cast(),
                    len,
                ));
            }
        }
        None
    }

    /// Returns the items of a list, a tuple, a set or anything else that can be iterated.
    pub(crate) fn items(&self) -> Result<Vec<Owned>> {
        // SAFETY: `list` is a new list; its items live as long as the references counted here.
        unsafe {
            let list = Owned::taken(PySequence_List(self.raw()))?;
            let len = PyList_Size(list.raw());
            Ok((0..len).map(|at| Owned::copied(PyList_GetItem(list.raw(), at))).collect())
        }
    }

    /// Returns the pairs of a dictionary.
    pub(crate) fn pairs(&self) -> Vec<(Owned, Owned)> {
        let (mut pairs, mut at) = (Vec::new(), 0);
        let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the dictionary does not change, because no Python code runs here.
        while unsafe { PyDict_Next(self.raw(), &mut at, &mut key, &mut value) } != 0 {
            pairs.push((Owned::copied(key), Owned::copied(value)));
        }
        pairs
    }

    /// Returns the arguments of a function, from the tuple that CPython passes.
    pub(crate) fn arguments(tuple: *mut PyObject) -> Vec<Owned> {
        // SAFETY: CPython passes a tuple, which lives during the call.
        unsafe {
            let len = PyTuple_Size(tuple);
            (0..len).map(|at| Owned::copied(PyTuple_GetItem(tuple, at))).collect()
        }
    }

    pub(crate) fn call(
        &self,
        args: impl IntoIterator<Item = Owned, IntoIter: ExactSizeIterator>,
    ) -> Result<Owned> {
        let args = Owned::tuple(args)?;
        // SAFETY: CPython checks that the object can be called.
        Owned::taken(unsafe { PyObject_CallObject(self.raw(), args.raw()) })
    }

    pub(crate) fn attribute(&self, name: &CStr) -> Result<Owned> {
        // SAFETY: `name` is a C string.
        Owned::taken(unsafe { PyObject_GetAttrString(self.raw(), name.as_ptr()) })
    }

    pub(crate) fn import(name: &CStr) -> Result<Owned> {
        // SAFETY: `name` is a C string.
        Owned::taken(unsafe { PyImport_ImportModule(name.as_ptr()) })
    }
}

fn done(status: c_int) -> Result<()> {
    if status < 0 { Err(Raised) } else { Ok(()) }
}

fn is_raised() -> bool {
    // SAFETY: only looks.
    unsafe { !PyErr_Occurred().is_null() }
}

/// Raises an exception of this class.
fn raise(kind: *mut PyObject, text: &str) -> Raised {
    let text = std::ffi::CString::new(text.replace('\0', "")).unwrap_or_default();
    // SAFETY: `kind` is a class of exceptions, `text` a C string.
    unsafe { PyErr_SetString(kind, text.as_ptr()) };
    Raised
}

pub(crate) fn type_error(text: &str) -> Raised {
    // SAFETY: the class is set before any Python code runs.
    raise(unsafe { PyExc_TypeError }, text)
}

pub(crate) fn value_error(text: &str) -> Raised {
    // SAFETY: the class is set before any Python code runs.
    raise(unsafe { PyExc_ValueError }, text)
}

pub(crate) fn recursion_error(text: &str) -> Raised {
    // SAFETY: the class is set before any Python code runs.
    raise(unsafe { PyExc_RecursionError }, text)
}

/// Raises an exception that was made in Python.
pub(crate) fn raise_object(error: &Owned) -> Raised {
    // SAFETY: both are live objects.
    unsafe { PyErr_SetObject(error.kind(), error.raw()) };
    Raised
}

/// Takes the exception that is set.
pub(crate) fn caught() -> Option<Owned> {
    // SAFETY: returns a new reference or null.
    Owned::taken(unsafe { PyErr_GetRaisedException() }).ok()
}

/// Prints the exception that is set; for failures while the image is built.
pub(crate) fn print_error() {
    // SAFETY: an exception is set.
    unsafe { PyErr_Print() }
}
