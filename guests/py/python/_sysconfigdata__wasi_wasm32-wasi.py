"""Settings of the build, as far as `sysconfig` needs them."""

build_time_vars = {
    "EXT_SUFFIX": ".wasm32-wasi.so",
    "HOST_GNU_TYPE": "wasm32-unknown-wasi",
    "MACHDEP": "wasi",
    "MULTIARCH": "wasm32-wasi",
    "Py_DEBUG": 0,
    "Py_GIL_DISABLED": 0,
    "SIZEOF_VOID_P": 4,
    "TZPATH": "/usr/share/zoneinfo",
    "VERSION": "3.13",
    "WITH_PYMALLOC": 1,
    "abs_builddir": "/usr",
    "abs_srcdir": "/usr",
    "prefix": "/usr",
    "exec_prefix": "/usr",
    "srcdir": "/usr",
}
