import csv
from collections import defaultdict

totals = defaultdict(float)
with open("sales.csv", newline="") as f:
    for row in csv.DictReader(f):
        totals[row["region"]] += float(row["amount"])
for region, total in sorted(totals.items()):
    print(f"{region:<8}{total:>10.2f}")
print("total", sum(totals.values()))
