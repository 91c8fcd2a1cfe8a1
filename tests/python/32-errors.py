import sys, traceback

class AppError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code

def load(key):
    try:
        return {"a": 1}[key]
    except KeyError as error:
        raise AppError(404, f"no {key}") from error

try:
    load("b")
except AppError as error:
    print(error.code, error, repr(error.__cause__))
try:
    raise ExceptionGroup("several", [ValueError(1), TypeError("x")])
except* ValueError as group:
    print("values", group.exceptions)
except* TypeError as group:
    print("types", group.exceptions)
try:
    int("x")
except ValueError:
    print(traceback.format_exc().splitlines()[-1])
else:
    print("never")
finally:
    print("finally")
error = ValueError("base")
error.add_note("a note")
print(error.__notes__, sys.exc_info())
