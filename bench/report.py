"""Reports the measurements: a table in the terminal, Markdown, JSON, and plots."""

import json
import math
import os
import platform
import statistics
import subprocess
import time
from pathlib import Path

import plots

OURS = "cofferdam"
FIGURES = ("p50", "p90", "p99")


def merge(lines):
    """Returns one row for each peer and measurement, with the medians over the rounds."""
    grouped = {}
    for line in lines:
        grouped.setdefault((line["peer"], line["name"]), []).append(line)
    rows = []
    for group in grouped.values():
        row = dict(group[0], rounds=len(group), n=sum(line.get("n", 1) for line in group))
        for key in FIGURES:
            values = [line[key] for line in group if line.get(key) is not None]
            row[key] = statistics.median(values) if values else None
        row["checks"] = sorted({str(line["check"]) for line in group if line.get("check") is not None})
        row["note"] = " / ".join(dict.fromkeys(line["note"] for line in group if line.get("note")))
        if "survived" in row:
            row["survived"] = all(line.get("survived") for line in group)
        rows.append(row)
    return rows


def disagreements(rows):
    """Returns a message for each measurement whose peers computed different results; blanks are ignored."""
    wrong = []
    for name in dict.fromkeys(row["name"] for row in rows if row["checks"]):
        answers = {row["peer"]: [squeezed(check) for check in row["checks"]] for row in rows if row["name"] == name}
        if len({json.dumps(answer) for answer in answers.values()}) > 1 or any(len(a) != 1 for a in answers.values()):
            wrong.append(f"{name}: checks differ: {answers}")
    return wrong


def squeezed(text):
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


def table(saved):
    """Returns the rows as text: measurement, who, p50, p90, p99, unit, ratio, remark."""
    rows = saved["rows"]
    own = {row["name"]: row for row in rows if row["peer"] == OURS}
    cells = []
    for name in dict.fromkeys(row["name"] for row in rows):
        for row in (row for row in rows if row["name"] == name):
            figures = [figure(row.get(key)) for key in FIGURES]
            cells.append([name, row["peer"], *figures, row["unit"], ratio(row, own), remark(row)])
    means = geometric_means(rows)
    for peer, mean in means.items():
        against = f"{mean / means[OURS]:.2f} x" if OURS in means else "-"
        cells.append(["compute (geometric)", peer, figure(mean), "", "", "ms", against, ""])
    return cells


def remark(row):
    host = {None: "", True: "host survived", False: "host lost"}[row.get("survived")]
    return ", ".join(text for text in (row.get("note"), host) if text)


def versions(saved):
    return {row["peer"]: row.get("version", "?") for row in saved["rows"]}


def print_report(saved):
    print("machine: " + ", ".join(f"{key} {value}" for key, value in saved["machine"].items()))
    print("versions: " + ", ".join(f"{peer} {version}" for peer, version in versions(saved).items()))
    print()
    form = "{:<24} {:<22} {:>10} {:>10} {:>10} {:>5} {:>12}  {}"
    print(form.format("measurement", "who", *FIGURES, "unit", "ratio", "").rstrip())
    for cells in table(saved):
        print(form.format(*cells).rstrip())
    for entry in saved["missing"]:
        print(f"{'not measured':<24} {entry['peer']:<22} {entry['what']}: {entry['why']}")
    print("\nratio: how many times our median the peer's is; above 1, the peer is slower or larger.")


def geometric_means(rows):
    """Returns the mean of each peer over the programs that all peers ran, so that the means are comparable."""
    compute = [row for row in rows if row["name"].startswith("compute/") and row["p50"]]
    peers = dict.fromkeys(row["peer"] for row in compute)
    ran = [{row["name"] for row in compute if row["peer"] == peer} for peer in peers]
    common = set.intersection(*ran) if ran else set()
    if not common:
        return {}
    logs = {peer: [math.log(row["p50"]) for row in compute if row["peer"] == peer and row["name"] in common] for peer in peers}
    return {peer: math.exp(statistics.mean(values)) for peer, values in logs.items()}


def ratio(row, own):
    mine = own.get(row["name"])
    return f"{row['p50'] / mine['p50']:.2f} x" if mine and mine.get("p50") and row.get("p50") is not None else "-"


def figure(value):
    return "" if value is None else f"{value:.4g}" if value < 1000 else f"{value:,.0f}"


def describe_machine():
    cpu = platform.machine()
    try:
        names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].split(":", 1)[1].strip() if names else cpu
    except OSError:
        pass
    load = f"{os.getloadavg()[0]:.1f}"
    system = platform.platform(terse=True)
    return {"cpu": cpu, "cores": os.cpu_count(), "system": system, "node": node_version(), "load": load, "date": time.strftime("%Y-%m-%d")}


def node_version():
    try:
        return subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    except OSError:
        return "none"


def save(results, saved):
    directory = results / time.strftime("%Y%m%d-%H%M%S")
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "results.json").write_text(json.dumps(saved, indent=1) + "\n")
    write(directory, saved)
    print(f"written to bench/results/{directory.name}: results.json, table.md, plots")


def write(directory, saved):
    """Writes the table and the plots into the directory of the results."""
    drawn = plots.draw(saved, directory)
    (directory / "table.md").write_text(markdown(saved, drawn))


def markdown(saved, drawn):
    text = ["# Measurements\n"]
    text += [f"- {key}: {value}" for key, value in saved["machine"].items()]
    text += [f"- {peer} {version}" for peer, version in versions(saved).items()]
    text += ["", "ratio: how many times our median the peer's is; above 1, the peer is slower or larger.\n"]
    cells = table(saved)
    for family in dict.fromkeys(family_of(row[0]) for row in cells):
        text += [f"## {family}\n"]
        text += [f"![{family}]({family}.svg)\n"] if family in drawn else []
        text += ["| measurement | who | p50 | p90 | p99 | unit | ratio | |", "|---|---|--:|--:|--:|---|--:|---|"]
        text += ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in cells if family_of(row[0]) == family]
        text += [""]
    if saved["missing"]:
        text += ["## not measured\n", "| who | what | why |", "|---|---|---|"]
        text += ["| " + " | ".join(escaped(entry[key]) for key in ("peer", "what", "why")) + " |" for entry in saved["missing"]]
    return "\n".join(text) + "\n"


def family_of(name):
    return name.split("/")[0].split(" ")[0]


def escaped(cell):
    """Escapes a text for a table cell; a peer's message may contain anything."""
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split())
