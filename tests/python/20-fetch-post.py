import json, sys
from urllib.request import Request, urlopen

request = Request(sys.argv[1] + "/echo", data=json.dumps({"a": [1, 2]}).encode(),
                  headers={"Content-Type": "application/json"}, method="POST")
with urlopen(request, timeout=5) as response:
    print(response.status, json.loads(response.read())["body"])
