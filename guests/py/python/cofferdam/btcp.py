"""`btcp`: the members that a tool is given, by the names that JavaScript has and by Python's.

In an `async def` every method returns something to await; in other code it returns its result.
"""

import os

from . import host

HOME = "/home/user"


def _snake(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _path(path):
    text = os.fspath(path)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if text.startswith("/"):
        return text
    folder = os.getcwd()
    return text if folder == HOME else f"{folder}/{text}"


def _content(content):
    return content.encode() if isinstance(content, str) else bytes(content)


class _Area:
    """Methods of one member. A name in camel case means the same as one with underscores."""

    def __init__(self, call):
        self._call = call

    def __getattr__(self, name):
        plain = _snake(name)
        if plain == name or plain.startswith("_"):
            raise AttributeError(f"there is no {name!r} here")
        return getattr(self, plain)


class Files(_Area):
    def read_file(self, path, encoding="utf-8"):
        decode = None if encoding in (None, "bytes", "binary") else (lambda data: data.decode(encoding))
        return self._call(host.FILE_READ, "s", "r", _path(path), then=decode)

    def read_bytes(self, path):
        return self.read_file(path, None)

    def write_file(self, path, content, append=False):
        return self._call(host.FILE_WRITE, "sbr", "", _path(path), int(bool(append)), _content(content))

    def readdir(self, path):
        return self._call(host.FILE_LIST, "s", "v", _path(path), then=lambda entries: [name for name, _ in entries])

    def stat(self, path):
        return self._call(host.FILE_LOOK, "sb", "v", _path(path), 1)

    def mkdir(self, path, recursive=False):
        return self._call(host.FOLDER_MAKE, "sb", "", _path(path), int(bool(recursive)))

    def rm(self, path, recursive=False, force=False):
        return self._call(host.FILE_REMOVE, "sb", "", _path(path), bool(recursive) | bool(force) << 1)

    def unlink(self, path):
        return self._call(host.FILE_REMOVE, "sb", "", _path(path), 0)

    def rmdir(self, path):
        return self._call(host.FILE_REMOVE, "sb", "", _path(path), 4)

    def rename(self, old, new):
        return self._call(host.FILE_RENAME, "ss", "", _path(old), _path(new))

    def chmod(self, path, mode):
        return self._call(host.FILE_MODE, "su", "", _path(path), mode)


class Environment(_Area):
    def get(self, name):
        return self._call(host.VARIABLE_GET, "s", "v", name)

    def names(self):
        return self._call(host.VARIABLE_LIST, "", "v")


class State(_Area):
    def get(self, name):
        return self._call(host.STATE_GET, "s", "v", name)

    def set(self, name, value):
        return self._call(host.STATE_SET, "sv", "", name, value)

    def metadata(self, name):
        return self._call(host.STATE_DESCRIBE, "s", "v", name)

    def list(self):
        return self._call(host.STATE_LIST, "", "v")


class Storage(_Area):
    def __init__(self, call, area):
        super().__init__(call)
        self._area = area

    def get_item(self, key):
        return self._call(host.STORAGE_GET, "bs", "v", self._area, key)

    def set_item(self, key, text):
        return self._call(host.STORAGE_SET, "bss", "", self._area, key, str(text))

    def remove_item(self, key):
        return self._call(host.STORAGE_REMOVE, "bs", "", self._area, key)

    def keys(self):
        return self._call(host.STORAGE_KEYS, "b", "v", self._area)

    def clear(self):
        return self._call(host.STORAGE_CLEAR, "b", "", self._area)


class Functions:
    """Functions that the embedding program lends; arguments are one dictionary, or keywords."""

    def __init__(self, call, names):
        self._call = call
        self._names = names

    def __dir__(self):
        return sorted(self._names)

    def __getattr__(self, name):
        if name not in self._names:
            known = ", ".join(sorted(self._names))
            raise AttributeError(f"btcp.functions.{name}: no such function; there are {known}")
        return lambda args=None, **named: self._call(
            host.FUNCTION_CALL, "sv", "v", name, named if args is None else args
        )

    __getitem__ = __getattr__


# Numbers of the operations, as `DomOperation` in the abi has them, and their further arguments.
_PAGE = {
    "get_text_content": 2, "get_attribute": 3, "get_html": 4, "exists": 5, "set_text_content": 8,
    "set_attribute": 9, "set_html": 10, "append": 11, "remove": 12, "click": 13, "fill": 14, "submit": 15,
}


class Page(_Area):
    def _on(self, operation, target, text="", more=""):
        if isinstance(target, str):
            return self._call(host.DOM_CALL, "busss", "v", operation, 0, target, str(text), str(more))
        handle = target["handle"] if isinstance(target, dict) else target
        return self._call(host.DOM_CALL, "busss", "v", operation, handle, "", str(text), str(more))

    def _query(self, operation, selector, within):
        handle = within["handle"] if isinstance(within, dict) else within or 0
        return self._call(host.DOM_CALL, "busss", "v", operation, handle, selector, "", "")

    def query_selector(self, selector, within=None):
        return self._query(0, selector, within)

    def query_selector_all(self, selector, within=None):
        return self._query(1, selector, within)

    def count(self, selector):
        return self._query(6, selector, None)

    def __getattr__(self, name):
        name = name.replace("HTML", "Html")
        number = _PAGE.get(_snake(name))
        if number is None:
            return super().__getattr__(name)
        return lambda target, *texts: self._on(number, target, *texts)


def _ran(result):
    decode = lambda data: data.decode("utf-8", "replace")
    return {"exit_code": result["exitCode"], "stdout": decode(result["stdout"]), "stderr": decode(result["stderr"])}


class Btcp:
    """The members that were granted or declared; any other name does not exist."""

    def __init__(self, members, call):
        self._members = [name for name in members if not name.startswith("functions.")]
        self._functions = [name[10:] for name in members if name.startswith("functions.")]
        self._call = call

    def __dir__(self):
        return sorted([*map(_snake, self._members), *(["functions"] if self._functions else [])])

    def __getattr__(self, name):
        made = self._make(_snake(name.replace("DOM", "Dom")))
        if made is None:
            raise AttributeError(f"btcp.{name} is not there: nothing of it was granted")
        setattr(self, name, made)
        return made

    def _make(self, name):
        if name == "functions" and self._functions:
            return Functions(self._call, self._functions)
        granted = {_snake(member.replace("DOM", "Dom")) for member in self._members}
        if name not in granted:
            return None
        if name == "exec":
            return self._exec
        kinds = {"fs": Files, "env": Environment, "state": State, "dom": Page, "parent_dom": Page}
        if name in kinds:
            return kinds[name](self._call)
        if name in ("local_storage", "session_storage"):
            return Storage(self._call, int(name == "session_storage"))
        return None

    def _exec(self, what, cwd=None, env=None, input=None):
        from .processes import described

        return self._call(host.COMMAND_RUN, "v", "v", described(what, cwd, env, input), then=_ran)
