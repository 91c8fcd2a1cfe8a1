import csv, json, io, os
from collections import defaultdict
from pathlib import Path

def extract(path):
    with open(path, newline="", encoding="utf-8") as f:
        yield from csv.DictReader(f)

def transform(rows):
    out = defaultdict(lambda: {"count": 0, "amount": 0.0})
    for row in rows:
        entry = out[row["product"]]
        entry["count"] += 1
        entry["amount"] += float(row["amount"])
    return dict(out)

def load(data, folder):
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    (folder / "summary.json").write_text(json.dumps(data, indent=1, sort_keys=True))
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["product", "count", "amount"])
    for product, entry in sorted(data.items()):
        writer.writerow([product, entry["count"], f"{entry['amount']:.2f}"])
    (folder / "summary.csv").write_text(buffer.getvalue())

load(transform(extract("sales.csv")), "out")
for name in sorted(os.listdir("out")):
    print(name)
    print(Path("out", name).read_text().replace("\r\n", "\n"))
