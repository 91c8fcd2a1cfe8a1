"""Runs tools: the functions that the rest of the guest calls.

A tool is a script as Python runs it. If it defines `tool`, that function is called with `btcp` and the
arguments, and its result is the result of the run; it may be an `async def`.
"""

import sys

import _cofferdam
from . import environ, packages, processes, sockets, system, threads
from .btcp import HOME, Btcp
from .errors import describe, refusal
from .host import later, now
from .plain import as_set, date, error, key, plain

import asyncio
import builtins
import linecache
import marshal
import os
import types
from asyncio.unix_events import HostEventLoop

_CO_COROUTINE = 0x80 | 0x100

_environ = environ.install()
_running = None
_kept = None
# Made while the image is built, for the first `async def tool` of a cell.
_spare_loop = None


_tool = None, ""
_find_lines = linecache.updatecache


def _lines(filename, module_globals=None):
    """Finds the lines of a file for tracebacks. The tool itself need not be a file of the sandbox."""
    name, source = _tool
    if filename != name:
        return _find_lines(filename, module_globals)
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = len(source), None, lines, filename
    return lines


linecache.updatecache = _lines


def start(form, file, source, code, keep, args, members, path, root, cwd, argv):
    """Starts a tool, runs it as far as it goes, and returns how it left."""
    global _running
    _running = None
    name = path or file
    _show(name, source)
    try:
        _cofferdam.set_cwd(cwd or HOME)
        sys.argv = [name, *argv]
        if path:
            packages.search(path, root)
        if form == "kept":
            return _run_kept(name, source, args, members)
        if code is not None:
            program, source = marshal.loads(code)
        else:
            program = compile(source, name, "exec", dont_inherit=True)
            if keep:
                _cofferdam.keep_code(marshal.dumps((program, source)))
        names = _main(name, path, source, args, members)
        exec(program, names)
        tool = names.get("tool")
        if tool is None or getattr(tool, "__module__", None) != "__main__" or not callable(tool):
            return _finished(None)
        return _call(tool, members, args)
    except BaseException as error:
        return threw(error)


def _main(name, path, source, args, members):
    """Makes the module `__main__` and returns its names."""
    main = types.ModuleType("__main__")
    names = main.__dict__
    names["__builtins__"] = builtins
    if path:
        names["__file__"] = path
    names["btcp"] = Btcp(members, now)
    names["args"] = args
    sys.modules["__main__"] = main
    _show(name, source)
    return names


def _show(name, source):
    """Lets tracebacks show the lines of the tool."""
    global _tool
    _tool = name, source
    if linecache.cache:
        linecache.cache.pop(name, None)


def _call(tool, members, args):
    code = getattr(tool, "__code__", None)
    is_async = code is not None and bool(code.co_flags & _CO_COROUTINE)
    btcp = Btcp(members, later if is_async else now)
    if code is not None and code.co_argcount < 2 and not code.co_flags & 4:
        # A tool may leave out what it does not use.
        given = {0: (), 1: (args if code.co_varnames[:1] != ("btcp",) else btcp,)}[code.co_argcount]
    else:
        given = (btcp, args)
    result = tool(*given)
    if not isinstance(result, types.CoroutineType):
        return _finished(result)
    return _drive(result)


def _drive(coroutine):
    """Runs a coroutine until it waits for the host."""
    global _running, _spare_loop
    loop, _spare_loop = _spare_loop, None
    if loop is None:
        loop = HostEventLoop()
    _running = loop, loop.create_task(coroutine)
    return _advance()


def _advance():
    global _running
    loop, main = _running
    state = loop.advance(main)
    if state != "done":
        return (state,)
    _running = None
    _end_tasks(loop)
    return _finished(main.result())


def _end_tasks(loop):
    """Cancels the tasks that are left, as `asyncio.run` does."""
    if loop._ready or loop._scheduled or loop._waiting or loop._asyncgens:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def resume(answers):
    """Hands answers to the tool, runs it as far as it goes, and returns how it left."""
    if _running is None:
        return ("stuck",)
    try:
        _running[0].resumed(answers)
        return _advance()
    except BaseException as error:
        return threw(error)


def _run_kept(name, source, args, members):
    """Runs a script whose names stay; the value of a last expression is the result."""
    global _kept
    import ast

    tree = ast.parse(source, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    if _kept is None:
        _kept = _main(name, None, source, args, members)
    _kept["btcp"], _kept["args"] = Btcp(members, now), args
    _show(name, source)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    result = None
    programs = [(tree, "exec"), *([(last, "eval")] if last is not None else [])]
    for tree, mode in programs:
        program = compile(tree, name, mode, flags, dont_inherit=True)
        result = eval(program, _kept)
        if isinstance(result, types.CoroutineType) and program.co_flags & _CO_COROUTINE:
            result = asyncio.run(result)
    return _finished(result if last is not None else None, is_kept=True)


def _finished(result, is_kept=False):
    """Ends a run that has nothing left to do."""
    if not is_kept:
        threads.join_all()
        system.run_at_exit()
    _flush()
    return ("finished", result)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
    _cofferdam.flush()


def threw(error):
    """Describes an exception that the tool did not catch."""
    global _running
    _running = None
    try:
        if isinstance(error, SystemExit):
            return _exited(error.code)
        if isinstance(error, MemoryError):
            error.__traceback__ = None
            return ("memory",)
        return _described(error)
    finally:
        try:
            system.run_at_exit()
        finally:
            _flush()


def _exited(code):
    if code is None:
        return ("finished", None)
    if not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    return ("exited", code & 0xFF) if code & 0xFF else ("finished", None)


def _described(error):
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    line = column = 0
    if isinstance(error, SyntaxError) and error.lineno:
        message, line, column = error.msg, error.lineno, error.offset or 1
    else:
        try:
            message = str(error)
        except Exception:
            message = f"<unprintable {name} object>"
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, list):
        message = "\n".join([message, *map(str, notes)])
    request = getattr(error, "request_id", "")
    return ("threw", name, message, frames(error), line, column, request if isinstance(request, str) else "")


def frames(error):
    """Returns the traceback as the interpreter prints it, without the last line."""
    import traceback

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith("<frozen cofferdam"):
        trace = trace.tb_next
    described = traceback.TracebackException(type(error), error, trace)
    last = list(described.format_exception_only())
    lines = list(described.format())
    kept = lines[: len(lines) - len(last)]
    if isinstance(error, SyntaxError):
        kept += last[:-1]
    return "".join(kept).rstrip("\n")


def warm():
    """Loads what most tools use and runs two tools, while the image is built."""
    packages.load()
    threads.install()
    processes.install()
    sockets.install()
    system.install()
    sys.stdout.reconfigure(line_buffering=True)
    for source in (
        "import json\ndef tool(btcp, args):\n return json.dumps({'n': args['n'] + 1})",
        "import re, sys\nfrom collections import Counter\ndef f(x):\n return [y for y in range(x)]\n"
        "print(f'{Counter(re.findall(\"a\", \"aab\"))!r} {f(3)}')\n",
        "async def tool(btcp, args):\n return args['n'] + 1",
    ):
        for _ in range(3):
            left = start("tool", "tool.py", source, None, False, {"n": 1}, [], "", "", "", [])
            if left[0] != "finished":
                raise RuntimeError(f"{source}: {left}")
    sys.modules.pop("__main__", None)
    linecache.clearcache()
    global _spare_loop
    _spare_loop = HostEventLoop()
