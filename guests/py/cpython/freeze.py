"""Compiles Python files into one file of marshalled code, and lists what it holds.

    python3.13 freeze.py FOLDER OUT [--strip] [LEAVE_OUT...]

Writes OUT.bin and OUT.txt, whose lines are: name, offset, length, 1 for a package. Code is aligned to
16 bytes. With --strip, docstrings and assertions are dropped. LEAVE_OUT are names of modules and
packages that are not compiled.
"""

import marshal
import pathlib
import sys


def modules(folder):
    for file in sorted(folder.rglob("*.py")):
        parts = list(file.relative_to(folder).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        if is_package:
            parts.pop()
        if parts:
            yield ".".join(parts), file, is_package


def main(folder, out, *options):
    optimize = 2 if "--strip" in options else 0
    left_out = {name for name in options if name != "--strip"}
    data, lines = bytearray(), []
    for name, file, is_package in modules(pathlib.Path(folder)):
        parents = [name[: at or None] for at in [*(i for i, c in enumerate(name) if c == "."), 0]]
        if left_out.intersection(parents):
            continue
        code = compile(file.read_bytes(), f"<frozen {name}>", "exec", dont_inherit=True, optimize=optimize)
        packed = marshal.dumps(code)
        data.extend(bytes(-len(data) % 16))
        lines.append(f"{name} {len(data)} {len(packed)} {int(is_package)}\n")
        data.extend(packed)
    pathlib.Path(out + ".bin").write_bytes(data)
    pathlib.Path(out + ".txt").write_text("".join(lines))


main(*sys.argv[1:])
