import sys
import urllib.error, urllib.request, urllib.parse

base = sys.argv[1]
try:
    urllib.request.urlopen(base + "/none")
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
query = urllib.parse.urlencode({"q": "a b"}, quote_via=urllib.parse.quote)
print(urllib.request.urlopen(f"{base}/text?{query}").read().decode())
