from contextlib import contextmanager
from functools import lru_cache, partial, reduce, wraps

def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b

@lru_cache(maxsize=None)
def ways(n):
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)

def traced(f):
    @wraps(f)
    def inner(*args):
        print("call", f.__name__, args)
        return f(*args)
    return inner

@contextmanager
def section(name):
    print("<", name)
    try:
        yield name.upper()
    finally:
        print(">", name)

gen = fib()
print([next(gen) for _ in range(10)], ways(80), ways.cache_info())
with section("a") as title:
    print(title)
print(traced(partial(int, base=2).func)("7"), reduce(lambda a, b: a * b, range(1, 6)))
