/* The part of the Python guest that needs CPython's headers: starting the interpreter, and access to
 * structures that have no functions. Everything else is Rust or Python. */

#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Functions of the module `_cofferdam`; src/module.rs. */
extern PyMethodDef cofferdam_functions[];

/* Modules/_sqlite, linked beside CPython. */
extern PyObject *PyInit__sqlite3(void);

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_cofferdam", NULL, -1, cofferdam_functions,
};

static PyObject *
make_module(void)
{
    return PyModule_Create(&module_definition);
}

/* Starts the interpreter. Returns null, or the reason of a failure. The hash seed is fixed, because
 * the image holds the hashes of its strings. */
const char *
cofferdam_start_python(void)
{
    PyConfig config;
    PyStatus status;

    PyImport_AppendInittab("_cofferdam", make_module);
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

/* Completes the image: collects what is left over, and takes the rest away from the collector. */
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
