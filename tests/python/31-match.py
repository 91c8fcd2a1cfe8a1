def describe(value):
    match value:
        case {"type": "circle", "r": r} if r > 0:
            return f"circle {r}"
        case [x, y, *rest]:
            return f"list {x} {y} +{len(rest)}"
        case str() as text if text.isdigit():
            return f"digits {text}"
        case None | False:
            return "nothing"
        case int(n):
            return f"int {n}"
        case _:
            return "other"

for value in ({"type": "circle", "r": 2}, [1, 2, 3, 4], "42", None, 7, 1.5):
    print(describe(value))
if (n := len("walrus")) > 5:
    print(f"{n=} {n!r:>4} {3.14159:.2f} {1_000_000:,} {255:#x} {'mid':^9}|")
