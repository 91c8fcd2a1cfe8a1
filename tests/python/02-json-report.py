import json
from pathlib import Path
from statistics import mean, median

people = json.loads(Path("people.json").read_text())
report = {
    "count": len(people),
    "mean_age": round(mean(p["age"] for p in people), 2),
    "median_age": median(p["age"] for p in people),
    "by_tag": {},
}
for person in people:
    for tag in person["tags"]:
        report["by_tag"].setdefault(tag, []).append(person["name"])
Path("report.json").write_text(json.dumps(report, indent=2, sort_keys=True))
print(Path("report.json").read_text())
