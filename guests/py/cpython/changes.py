"""Changes the C source of CPython for a cell.

    python3 changes.py SOURCE

A change whose text does not occur exactly once, or as often as the change says, fails: the source has
a new version, and the change must be reviewed.
"""

import pathlib
import sys

CHANGES = [
    # Errors carry the numbers that scripts know from Linux; wasi-libc has others. See `errors.c`
    # in the folder `c` of this guest for both functions.
    (
        "Python/errors.c",
        "        const char *s = strerror(i);\n"
        "        message = PyUnicode_DecodeLocale(s, \"surrogateescape\");\n"
        "    }\n"
        "    else {\n"
        "        /* Sometimes errno didn't get set */\n"
        "        message = PyUnicode_FromString(\"Error\");\n"
        "    }\n"
        "#else\n",
        "        message = PyUnicode_FromString(cofferdam_error_text(i));\n"
        "        i = cofferdam_errno_to_linux(i);\n"
        "    }\n"
        "    else {\n"
        "        /* Sometimes errno didn't get set */\n"
        "        message = PyUnicode_FromString(\"Error\");\n"
        "    }\n"
        "#else\n",
    ),
    # A denial that the host has answered becomes attributes of the error.
    (
        "Python/errors.c",
        "            _PyErr_SetObject(tstate, (PyObject *) Py_TYPE(v), v);\n"
        "            Py_DECREF(v);\n"
        "        }\n"
        "    }\n"
        "#ifdef MS_WINDOWS\n",
        "            cofferdam_describe_denial(v);\n"
        "            _PyErr_SetObject(tstate, (PyObject *) Py_TYPE(v), v);\n"
        "            Py_DECREF(v);\n"
        "        }\n"
        "    }\n"
        "#ifdef MS_WINDOWS\n",
    ),
    (
        "Python/errors.c",
        "PyObject *\n"
        "PyErr_SetFromErrnoWithFilenameObjects(PyObject *exc, PyObject *filenameObject, PyObject *filenameObject2)\n",
        "extern int cofferdam_errno_to_linux(int);\n"
        "extern const char *cofferdam_error_text(int);\n"
        "extern void cofferdam_describe_denial(PyObject *);\n"
        "\n"
        "PyObject *\n"
        "PyErr_SetFromErrnoWithFilenameObjects(PyObject *exc, PyObject *filenameObject, PyObject *filenameObject2)\n",
    ),
    (
        "Objects/exceptions.c",
        "        PyObject *_code = PyLong_FromLong(CODE); \\\n",
        "        extern int cofferdam_errno_to_linux(int); \\\n"
        "        PyObject *_code = PyLong_FromLong(cofferdam_errno_to_linux(CODE)); \\\n",
    ),
    (
        "Modules/errnomodule.c",
        "    PyObject *code = PyLong_FromLong(code_int);\n",
        "    extern int cofferdam_errno_to_linux(int);\n"
        "    PyObject *code = PyLong_FromLong(cofferdam_errno_to_linux(code_int));\n",
    ),
    (
        "Modules/posixmodule.c",
        "    char *message = strerror(code);\n"
        "    if (message == NULL) {\n"
        "        PyErr_SetString(PyExc_ValueError,\n",
        "    extern int cofferdam_errno_from_linux(int);\n"
        "    char *message = strerror(cofferdam_errno_from_linux(code));\n"
        "    if (message == NULL) {\n"
        "        PyErr_SetString(PyExc_ValueError,\n",
    ),
    # WASI has no permission bits; the host has.
    (
        "Modules/posixmodule.c",
        "    SET_ITEM(0, PyLong_FromLong((long)st->st_mode));\n",
        "    extern int cofferdam_last_mode(void);\n"
        "    SET_ITEM(0, PyLong_FromLong((long)st->st_mode | cofferdam_last_mode()));\n",
    ),
    # A generator that is made while the image is built is seeded when a run first uses it. Its index
    # is out of range until then.
    (
        "Modules/_randommodule.c",
        "    mt = self->state;\n"
        "    if (self->index >= N) { /* generate N words at one time */\n",
        "    mt = self->state;\n"
        "    if (self->index > N) {\n"
        "        random_seed_urandom(self);\n"
        "    }\n"
        "    if (self->index >= N) { /* generate N words at one time */\n",
    ),
    (
        "Modules/_randommodule.c",
        "static uint32_t\n"
        "genrand_uint32(RandomObject *self)\n",
        "static int random_seed_urandom(RandomObject *self);\n"
        "extern int cofferdam_is_live(void);\n"
        "\n"
        "static uint32_t\n"
        "genrand_uint32(RandomObject *self)\n",
    ),
    (
        "Modules/_randommodule.c",
        "    uint32_t key[N];\n"
        "\n"
        "    if (_PyOS_URandomNonblock(key, sizeof(key)) < 0) {\n",
        "    uint32_t key[N];\n"
        "\n"
        "    if (!cofferdam_is_live()) {\n"
        "        self->index = N + 1;\n"
        "        return 0;\n"
        "    }\n"
        "    if (_PyOS_URandomNonblock(key, sizeof(key)) < 0) {\n",
    ),
    (
        "Modules/_randommodule.c",
        "    state = PyTuple_New(N+1);\n",
        "    if (self->index > N) {\n"
        "        random_seed_urandom(self);\n"
        "    }\n"
        "    state = PyTuple_New(N+1);\n",
    ),
    # Conditional jumps note the branches that they took, for a second compiler that is not built. Each
    # note is a write, and a page of the image that a cell has to copy.
    (
        "Python/generated_cases.c.h",
        "this_instr[1].cache = (this_instr[1].cache << 1) | flag;\n",
        ";\n",
        7,
    ),
    (
        "Python/generated_cases.c.h",
        "this_instr[1].cache = (this_instr[1].cache << 1) | !nflag;\n",
        ";\n",
    ),
    # An instruction that is never to be specialised has a counter that does not change. It is not
    # written either; see `settle_code` in `start.c`.
    (
        "Python/ceval_macros.h",
        "        (COUNTER) = advance_backoff_counter((COUNTER)); \\\n",
        "        if (!is_unreachable_backoff_counter((COUNTER))) { \\\n"
        "            (COUNTER) = advance_backoff_counter((COUNTER)); \\\n"
        "        } \\\n",
    ),
    # Instances of a class count down until its table of attributes is settled. Classes of the image do
    # not: it is a write to the image for each class that a run uses.
    (
        "Objects/dictobject.c",
        "#else\n"
        "    if (keys->dk_usable > 1) {\n"
        "        keys->dk_usable--;\n",
        "#else\n"
        "    if (keys->dk_usable > 1 && !_Py_IsImmortal((PyObject *)tp)) {\n"
        "        keys->dk_usable--;\n",
    ),
    # The cache of attributes by type is written all over. This one takes three pages instead of twelve.
    (
        "Include/internal/pycore_typeobject.h",
        "#define MCACHE_SIZE_EXP 12\n",
        "#define MCACHE_SIZE_EXP 10\n",
    ),
    # By default, xz takes 94 MB to compress anything. Level 3 takes 32, and a cell has 64.
    (
        "Modules/_lzmamodule.c",
        "uint32_t preset = LZMA_PRESET_DEFAULT;\n",
        "uint32_t preset = 3;\n",
        2,
    ),
]


def main(source):
    for name, old, new, *times in CHANGES:
        file = pathlib.Path(source, name)
        text = file.read_text()
        found, expected = text.count(old), times[0] if times else 1
        if found != expected:
            sys.exit(f"{name}: found {found} times, not {expected}: {old.strip()!r}")
        file.write_text(text.replace(old, new))


main(sys.argv[1])
