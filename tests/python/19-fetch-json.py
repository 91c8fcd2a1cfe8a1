import json, sys
from urllib.request import urlopen

base = sys.argv[1]
with urlopen(base + "/users/1") as response:
    print(response.status, response.headers["content-type"])
    print(json.load(response))
