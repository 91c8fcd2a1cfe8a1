import contextlib, io, runpy, importlib
out = io.StringIO()
with contextlib.redirect_stdout(out):
    print("captured")
print(repr(out.getvalue()))
module = importlib.import_module("json")
print(module.dumps({"a": (1, 2)}), importlib.util.find_spec("no_such") if hasattr(importlib, "util") else None)
with contextlib.suppress(ZeroDivisionError):
    1 / 0
with contextlib.ExitStack() as stack:
    stack.callback(print, "popped")
    print("inside")
