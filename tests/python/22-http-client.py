import http.client, sys
from urllib.parse import urlsplit

parts = urlsplit(sys.argv[1])
connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
for path in ("/users/1", "/none"):
    connection.request("GET", path, headers={"Accept": "application/json"})
    response = connection.getresponse()
    print(response.status, response.getheader("Content-Type"), response.read().decode())
connection.close()
