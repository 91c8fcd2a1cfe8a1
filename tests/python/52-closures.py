def counter():
    count = 0
    def step(by=1):
        nonlocal count
        count += by
        return count
    return step
a, b = counter(), counter()
print(a(), a(5), b())
squares = {n: n * n for n in range(5) if n % 2}
nested = [[x * y for y in range(3)] for x in range(3)]
print(squares, nested, {x % 3 for x in range(9)}, sum(x for row in nested for x in row))
first, *middle, last = range(6)
print(first, middle, last, [*"ab", *range(2)], {**{"a": 1}, "b": 2})
def args(a, b=2, *rest, c, **more): return a, b, rest, c, more
print(args(1, c=3), args(1, 2, 3, 4, c=5, d=6), (lambda *x, **k: (x, k))(1, y=2))
print(sorted("bca", reverse=True), sorted([(2, "b"), (1, "z")], key=lambda t: t[1]), any([]), all([]), list(zip("ab", [1, 2], strict=True)))
for i, (k, v) in enumerate({"x": 1}.items(), start=1): print(i, k, v)
