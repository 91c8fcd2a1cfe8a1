import re
from collections import Counter

pattern = re.compile(r"(?P<ip>\S+) (?P<method>GET|POST) (?P<path>\S+) (?P<status>\d{3})")
hits, errors = Counter(), []
for number, line in enumerate(open("access.log"), 1):
    match = pattern.match(line)
    if not match:
        continue
    hits[match["path"]] += 1
    if match["status"].startswith(("4", "5")):
        errors.append((number, match.group("ip", "status")))
print(hits.most_common())
print(errors)
print(re.sub(r"(\w+)@(\w+)", r"\2 at \1", "me@home you@work"))
