from itertools import product
def step(cells):
    counts = {}
    for x, y in cells:
        for dx, dy in product((-1, 0, 1), repeat=2):
            if dx or dy:
                counts[x + dx, y + dy] = counts.get((x + dx, y + dy), 0) + 1
    return {c for c, n in counts.items() if n == 3 or n == 2 and c in cells}
cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for _ in range(20):
    cells = step(cells)
for y in range(4, 9):
    print("".join("#" if (x, y) in cells else "." for x in range(4, 9)))
