/* The part of the Python guest that needs CPython's headers: starting the interpreter, and access to
 * structures that have no functions. Everything else is Rust or Python. */

#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_ceval.h>
#include <internal/pycore_code.h>
#include <internal/pycore_gc.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_obmalloc.h>
#include <internal/pycore_opcode_metadata.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Functions of the module `_cofferdam`; src/module.rs. */
extern PyMethodDef cofferdam_functions[];

/* Modules of CPython that are linked beside it: scripts/python-guest. */
extern PyObject *PyInit__bz2(void);
extern PyObject *PyInit__lzma(void);
extern PyObject *PyInit__sqlite3(void);

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_cofferdam", NULL, -1, cofferdam_functions,
};

static PyObject *
make_module(void)
{
    return PyModule_Create(&module_definition);
}

/* Allocates an arena for objects. One that begins where a pool begins has room for one pool more. */
static void *
allocate_arena(void *unused, size_t size)
{
    (void)unused;
    return aligned_alloc(POOL_SIZE, size);
}

static void
free_arena(void *unused, void *arena, size_t size)
{
    (void)unused;
    (void)size;
    free(arena);
}

/* Starts the interpreter. Returns null, or the reason of a failure. The hash seed is fixed, because
 * the image holds the hashes of its strings. */
const char *
cofferdam_start_python(void)
{
    PyConfig config;
    PyStatus status;
    PyObjectArenaAllocator arenas = {NULL, allocate_arena, free_arena};

    PyObject_SetArenaAllocator(&arenas);
    PyImport_AppendInittab("_cofferdam", make_module);
    PyImport_AppendInittab("_bz2", PyInit__bz2);
    PyImport_AppendInittab("_lzma", PyInit__lzma);
    PyImport_AppendInittab("_sqlite3", PyInit__sqlite3);
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.install_signal_handlers = 0;
    config.use_hash_seed = 1;
    config.hash_seed = 1;
    config.write_bytecode = 0;
    config.pathconfig_warnings = 0;
    config.use_frozen_modules = 1;
    config.module_search_paths_set = 1;
    config.optimization_level = 0;
    PyConfig_SetString(&config, &config.stdio_encoding, L"utf-8");
    PyConfig_SetString(&config, &config.stdio_errors, L"surrogateescape");
    PyConfig_SetString(&config, &config.filesystem_encoding, L"utf-8");
    PyConfig_SetString(&config, &config.filesystem_errors, L"surrogateescape");
    PyConfig_SetString(&config, &config.executable, L"/usr/bin/python3");
    PyConfig_SetString(&config, &config.program_name, L"python3");
    PyConfig_SetString(&config, &config.prefix, L"/usr");
    PyConfig_SetString(&config, &config.exec_prefix, L"/usr");
    PyConfig_SetString(&config, &config.base_prefix, L"/usr");
    PyConfig_SetString(&config, &config.base_exec_prefix, L"/usr");
    PyConfig_SetString(&config, &config.home, L"/usr");
    PyConfig_SetString(&config, &config.stdlib_dir, L"/usr/lib/python3.13");
    PyConfig_SetString(&config, &config.platlibdir, L"lib");
    status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        return status.err_msg ? status.err_msg : "unknown";
    }
    return NULL;
}

/* Replaces the function of the C library, which is wrong by many digits for numbers below 2^-1022.
 * Powers of two are exact. */
double
log2(double x)
{
    int exponent;
    double fraction;

    if (!(x > 0.0) || isinf(x)) {
        return log(x);
    }
    fraction = frexp(x, &exponent);
    if (x > 1.0) {
        return log(2.0 * fraction) / log(2.0) + (exponent - 1);
    }
    return log(fraction) / log(2.0) + exponent;
}

/* Length of the blocks that look for the end of the heap. */
#define LONG_BLOCK ((size_t)128 << 10)

/* Most of these blocks. */
#define LONG_BLOCKS 256

/* Objects whose parts are still to be visited. */
struct pending {
    PyObject **objects;
    size_t count, room;
};

/* Makes an object immortal, and notes it if it may have parts. Nothing counts references to an
 * immortal object, so a cell that uses it does not write to its page. */
static int
make_immortal(PyObject *object, void *arg)
{
    struct pending *left = arg;
    if (object == NULL || _Py_IsImmortal(object)) {
        return 0;
    }
    object->ob_refcnt = _Py_IMMORTAL_REFCNT;
    if (left->count == left->room) {
        size_t room = left->room ? left->room * 2 : 4096;
        PyObject **grown = realloc(left->objects, room * sizeof(PyObject *));
        if (grown == NULL) {
            return -1;
        }
        left->objects = grown;
        left->room = room;
    }
    left->objects[left->count++] = object;
    return 0;
}

/* Modules whose functions start a tool or serve its calls. */
static const char *const seldom_run[] = {
    "<frozen _weakrefset", "<frozen asyncio", "<frozen cofferdam", "<frozen importlib", "<frozen json",
};

static int
is_seldom_run(PyCodeObject *code)
{
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    if (file == NULL) {
        PyErr_Clear();
        return 0;
    }
    for (size_t i = 0; i < sizeof(seldom_run) / sizeof(seldom_run[0]); i++) {
        if (strncmp(file, seldom_run[i], strlen(seldom_run[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Does to a function beforehand what its first run would write to it, because each write is a page of
 * the image that a cell has to copy: its first instruction knows that nobody traces it. If it runs a
 * few times in a cell, its instructions do not count until they are specialised. */
static void
settle_code(PyCodeObject *code)
{
    uintptr_t traced = PyThreadState_Get()->eval_breaker & ~_PY_EVAL_EVENTS_MASK;
    int is_current = code->_co_instrumentation_version == traced;
    int is_seldom = is_seldom_run(code);
    _Py_CODEUNIT *units = _PyCode_CODE(code);
    for (Py_ssize_t i = 0; i < Py_SIZE(code); i++) {
        int opcode = _PyOpcode_Deopt[units[i].op.code];
        int caches = _PyOpcode_Caches[opcode];
        if (is_current && units[i].op.code == RESUME) {
            units[i].op.code = RESUME_CHECK;
        }
        if (is_seldom && caches > 0) {
            units[i + 1].counter = initial_unreachable_backoff_counter();
        }
        i += caches;
    }
}

/* Visits the parts of an object. Code has parts that the collector does not know. */
static void
visit_parts(PyObject *object, struct pending *left)
{
    traverseproc traverse = Py_TYPE(object)->tp_traverse;
    if (traverse != NULL && PyObject_IS_GC(object)) {
        traverse(object, make_immortal, left);
    }
    if (PyCode_Check(object)) {
        PyCodeObject *code = (PyCodeObject *)object;
        PyObject *parts[] = {
            code->co_consts, code->co_names, code->co_exceptiontable, code->co_localsplusnames,
            code->co_localspluskinds, code->co_filename, code->co_name, code->co_qualname,
            code->co_linetable,
        };
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            make_immortal(parts[i], left);
        }
        settle_code(code);
    }
    if (PyType_Check(object)) {
        /* The first look for an attribute would assign it. */
        PyUnstable_Type_AssignVersionTag((PyTypeObject *)object);
    }
}

/* Called for every object that the collector knows. */
static int
visit_collected(PyObject *object, void *arg)
{
    struct pending *left = arg;
    make_immortal(object, left);
    visit_parts(object, left);
    while (left->count > 0) {
        visit_parts(left->objects[--left->count], left);
    }
    return 1;
}

/* Allocates every hole in the heap of the C library, for good, so that a run allocates from its end:
 * from few pages, which lie side by side. */
static void
fill_holes(void)
{
    /* A block that makes the memory grow is at the end of the heap, and so are those next to it. */
    size_t bytes = (size_t)__builtin_wasm_memory_size(0) << 16;
    char *blocks[LONG_BLOCKS];
    int count = 0;
    do {
        blocks[count] = malloc(LONG_BLOCK);
        if (blocks[count] == NULL) {
            return;
        }
    } while ((size_t)blocks[count++] + LONG_BLOCK <= bytes && count < LONG_BLOCKS);
    char *end = blocks[count - 1];
    while (count > 0 && end - blocks[count - 1] <= (ptrdiff_t)LONG_BLOCK + 64) {
        end = blocks[--count];
        free(end);
    }
    size_t size = LONG_BLOCK / 2;
    while (size > 0) {
        char *hole = malloc(size);
        if (hole != NULL && hole < end) {
            continue;
        }
        free(hole);
        /* Short holes have exact sizes. */
        size = size > 1024 ? size / 2 : size - 8;
    }
}

/* Takes all memory with room in it away from CPython's allocator, so that a run allocates from pools
 * that lie side by side. Otherwise every size of object dirties a page somewhere in the image, and a
 * memory with more than 32 dirty places cannot be reset without unmapping most of it. */
static void
begin_fresh_arena(void)
{
    struct _obmalloc_state *state = PyInterpreterState_Get()->obmalloc;
    for (size_t i = 0; i + 1 < OBMALLOC_USED_POOLS_SIZE; i += 2) {
        /* The head of a list is a pool whose links are two entries of the table; see obmalloc.c. */
        poolp head = (poolp)((char *)&state->pools.used[i] - offsetof(struct pool_header, nextpool));
        poolp pool = head->nextpool;
        while (pool != head) {
            /* A pool that is linked to itself can be taken out of its list once it is empty. */
            poolp next = pool->nextpool;
            pool->nextpool = pool->prevpool = pool;
            pool = next;
        }
        head->nextpool = head->prevpool = head;
    }
    struct _obmalloc_mgmt *arenas = &state->mgmt;
    struct arena_object *arena = arenas->usable_arenas;
    while (arena != NULL) {
        /* As if all of its pools were in use. */
        struct arena_object *next = arena->nextarena;
        arena->nfreepools = 0;
        arena->freepools = NULL;
        arena->nextarena = arena->prevarena = NULL;
        arena = next;
    }
    arenas->usable_arenas = NULL;
    memset(arenas->nfp2lasta, 0, sizeof(arenas->nfp2lasta));
    /* Makes the arena now: a run should not have to. */
    PyObject_Free(PyObject_Malloc(1));
}

/* Completes the image: collects what is left over, takes the rest away from the collector, and lets
 * runs write to as few of its pages as possible. */
void
cofferdam_settle_python(void)
{
    struct pending left = {0};
    PyGC_Collect();
    PyUnstable_GC_VisitObjects(visit_collected, &left);
    free(left.objects);
    PyObject *gc = PyImport_ImportModule("gc");
    Py_XDECREF(PyObject_CallMethod(gc, "freeze", NULL));
    Py_XDECREF(gc);
    /* Objects that were freed lie all over the image. */
    _PyGC_ClearAllFreeLists(PyInterpreterState_Get());
    fill_holes();
    begin_fresh_arena();
}

/* Returns the file of the innermost frame that belongs to the tool, and its line; null if no frame
 * does. The text lives as long as the frame. */
const char *
cofferdam_place(uint32_t *line)
{
    const char *found = NULL;
    /* Calls of the system are made without the lock. */
    PyGILState_STATE held = PyGILState_Ensure();
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame != NULL && found == NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        const char *file = PyUnicode_AsUTF8(code->co_filename);
        int at = PyFrame_GetLineNumber(frame);
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(code);
        Py_DECREF(frame);
        if (file == NULL) {
            PyErr_Clear();
        }
        else if (strncmp(file, "<frozen", 7) != 0) {
            *line = at < 0 ? 0 : (uint32_t)at;
            found = file;
        }
        frame = back;
    }
    Py_XDECREF(frame);
    PyGILState_Release(held);
    return found;
}
