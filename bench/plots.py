"""Draws bar charts as SVG, one for each family of measurements."""

import math
from html import escape

OURS = "cofferdam"
WIDTH, LEFT, RIGHT = 880, 190, 190
BAR, NOTE, GROUP, TOP, BOTTOM = 20, 15, 26, 66, 46
# Ratio of the longest to the shortest bar from which on the scale is logarithmic.
LOG_FROM = 30
# A chart with several units is drawn in milliseconds; labels keep their unit.
IN_MS = {"us": 1e-3, "ms": 1}

TITLES = {
    "fresh": "A new sandbox, return 1+1, gone again",
    "host_call": "One call of a host function",
    "compute": "Programs",
    "shell": "Shell",
    "page": "Readability on a page of 300 KB",
    "process": "A process for one line",
    "kill": "Time from the deadline until the caller goes on",
    "kill_shell": "The same for the shell and its commands",
    "memory": "Peak memory of the host process, limit 64 MiB",
}

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f }
.back { fill: #ffffff } .title { font-size: 15px; font-weight: 600 } .group { font-weight: 600 }
.small { font-size: 11px; fill: #57606a } .grid { stroke: #d8dee4 } .spread { stroke: #57606a }
.peer { fill: #a8b1bb } .ours { fill: #2f7fd6 } .lost { fill: #d6543f } .lost-text { fill: #b3392a }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .back { fill: #0d1117 } .small { fill: #9aa4af } .grid { stroke: #30363d }
.spread { stroke: #c9d1d9 } .peer { fill: #5c6773 } .ours { fill: #4c9bf0 } .lost { fill: #e0654f } .lost-text { fill: #ff8b77 }
}
"""


def draw(saved, directory):
    """Writes a file for each family that has a title and returns the names of the families."""
    drawn = []
    for family, title in TITLES.items():
        rows = [row for row in saved["rows"] if row["name"].split("/")[0] == family]
        if rows:
            (directory / f"{family}.svg").write_text(chart(title, rows, footer(saved)))
            drawn.append(family)
    return drawn


def footer(saved):
    machine = saved["machine"]
    return ", ".join(str(machine[key]) for key in ("cpu", "system", "date") if key in machine) + f", {machine.get('cores')} cores, load {machine.get('load')}"


def chart(title, rows, below):
    units = {row["unit"] for row in rows}
    factors = {unit: 1 if len(units) == 1 else IN_MS.get(unit, 1) for unit in units}
    scale = Scale([row["p50"] * factors[row["unit"]] for row in rows if row.get("p50") is not None], factors)
    mine = {row["name"]: row for row in rows if row["peer"] == OURS}
    parts, y = [], TOP
    for name in dict.fromkeys(row["name"] for row in rows):
        if "/" in name:
            parts.append(text(16, y + 16, name.split("/", 1)[1], "group"))
            y += GROUP
        for row in (row for row in rows if row["name"] == name):
            drawn, height = bar(row, mine.get(name), scale, y)
            parts.append(drawn)
            y += height
        y += 6
    unit = units.pop() if len(units) == 1 else "ms"
    kind = f"median, {unit}, {'logarithmic' if scale.log else 'linear'}; line to the 90th percentile; ratio to {OURS}"
    grid = [f'<line class="grid" x1="{scale.x(at):.1f}" x2="{scale.x(at):.1f}" y1="{TOP - 6}" y2="{y}"/>' + text(scale.x(at), y + 14, f"{at:g}", "small", "middle") for at in scale.ticks]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + BOTTOM}" width="{WIDTH}" height="{y + BOTTOM}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{y + BOTTOM}"/>',
        text(16, 26, title, "title"), text(16, 44, kind, "small"), *grid, *parts, text(16, y + 36, below, "small"), "</svg>\n",
    ])  # fmt: skip


def bar(row, mine, scale, y):
    """Returns the bar of one peer, and its height."""
    lost = row.get("survived") is False
    look = "lost" if lost else "ours" if row["peer"] == OURS else "peer"
    parts = [text(LEFT - 10, y + 14, row["peer"], "", "end")]
    note = ("host lost: " if lost else "") + row["note"] if row.get("note") else "host lost" if lost else ""
    note = note if len(note) <= 110 else note[:109] + "…"
    if row.get("p50") is None:
        return "".join([*parts, text(LEFT, y + 14, note or "no figure", "lost-text")]), BAR
    end = scale.of(row, "p50")
    tip = ", ".join(f"{key} {row[key]:.4g}" for key in ("p50", "p90", "p99") if row.get(key) is not None)
    parts.append(f'<rect class="{look}" x="{LEFT}" y="{y + 3}" width="{max(1, end - LEFT):.1f}" height="{BAR - 6}" rx="2"><title>{escape(row["peer"])}: {tip} {row["unit"]}, n {row.get("n")}</title></rect>')
    if row.get("p90") is not None:
        far = min(scale.of(row, "p90"), WIDTH - RIGHT + 8)
        parts.append(f'<line class="spread" x1="{end:.1f}" x2="{far:.1f}" y1="{y + 10}" y2="{y + 10}"/>')
    parts.append(text(WIDTH - 84, y + 14, f"{row['p50']:.3g} {row['unit']}" if row["p50"] < 1000 else f"{row['p50']:,.0f} {row['unit']}", "", "end"))
    if mine and mine.get("p50") and row is not mine:
        times = row["p50"] / mine["p50"]
        parts.append(text(WIDTH - 16, y + 14, f"{times:.3g} x" if times < 1000 else f"{times:,.0f} x", "small", "end"))
    if not note:
        return "".join(parts), BAR
    parts.append(text(LEFT, y + 28, note, "lost-text small" if lost else "small"))
    return "".join(parts), BAR + NOTE


class Scale:
    """Maps values to horizontal positions."""

    def __init__(self, values, factors):
        self.factors = factors
        positive = [v for v in values if v > 0] or [1]
        low, high = min(positive), max(positive)
        self.log = high / low > LOG_FROM
        if self.log:
            self.low, self.high = 10 ** math.floor(math.log10(low) - 0.2), 10 ** math.ceil(math.log10(high))
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            self.ticks = [10.0**n for n in range(first, last + 1)]
        else:
            step = 10 ** math.floor(math.log10(high))
            step = next(step * part for part in (0.2, 0.5, 1, 2) if high / (step * part) <= 6)
            self.low, self.high = 0, step * math.ceil(high / step)
            self.ticks = [step * n for n in range(math.ceil(high / step) + 1)]

    def x(self, at):
        if self.log:
            part = math.log(max(at, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = at / self.high
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def of(self, row, key):
        return self.x(row[key] * self.factors[row["unit"]])


def text(x, y, said, look="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y}" class="{look}" text-anchor="{anchor}">{escape(str(said))}</text>'
