import csv, sys

total = sum(float(row["price"]) for row in csv.DictReader(sys.stdin))
print(f"total {total:.2f}")
