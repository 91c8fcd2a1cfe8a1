"""Comfort for Python behind the walls: a refusal becomes a PermissionError that says what to grant.

Nothing here is a wall; a program may remove all of it and reaches nothing more.
"""
import builtins
import functools
import io
import json
import os

_open = io.open


def _explain(error, place):
    """Adds the denial to an error; the supervisor answers this path itself."""
    try:
        with _open("/.cofferdam/" + place) as file:
            denied = json.load(file)
    except (OSError, ValueError):
        return
    error.required_permission = error.requiredPermission = denied["requiredPermission"]
    error.attempted_action = error.attemptedAction = denied["attemptedAction"]
    error.request_id = error.requestId = denied["requestId"]
    if hasattr(error, "add_note"):
        error.add_note(denied["message"])


def _wrapped(plain):
    @functools.wraps(plain)
    def wrapper(*words, **named):
        try:
            return plain(*words, **named)
        except PermissionError as error:
            name = error.filename
            if isinstance(name, bytes):
                name = os.fsdecode(name)
            if isinstance(name, str):
                _explain(error, "denied" + os.path.abspath(name))
            raise

    return wrapper


builtins.open = io.open = _wrapped(_open)
for _name in "open listdir scandir stat lstat mkdir remove unlink rename rmdir chdir".split():
    setattr(os, _name, _wrapped(getattr(os, _name)))


def _http(client):
    plain = client.HTTPConnection.getresponse

    @functools.wraps(plain)
    def getresponse(self, *words, **named):
        response = plain(self, *words, **named)
        if response.status == 403 and response.getheader("cofferdam-denied"):
            denied = json.loads(response.read())
            error = PermissionError(13, denied["message"])
            error.required_permission = error.requiredPermission = denied["requiredPermission"]
            error.attempted_action = error.attemptedAction = denied["attemptedAction"]
            error.request_id = error.requestId = denied["requestId"]
            raise error
        return response

    client.HTTPConnection.getresponse = getresponse


class _Later:
    """Wraps the module for HTTP when a program imports it, which most do not."""

    def find_spec(self, name, path=None, target=None):
        if name != "http.client":
            return None
        import importlib.util
        import sys

        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            _http(module)

        spec.loader.exec_module = exec_module
        return spec


def _install():
    import sys

    sys.meta_path.insert(0, _Later())


_install()
del _install
