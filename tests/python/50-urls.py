from urllib.parse import urlparse, urljoin, parse_qs, urlencode, quote, unquote, urlunparse
import ipaddress
u = urlparse("https://user:pw@example.org:8443/a/b;p?x=1&x=2#frag")
print(u.hostname, u.port, u.path, parse_qs(u.query), u.fragment, urlunparse(u._replace(netloc="h")))
print(urljoin("http://a/b/c", "../d"), urlencode([("a", "1 2"), ("b", "ü")]), quote("a/b c"), unquote("%C3%A4"))
net = ipaddress.ip_network("10.0.0.0/29")
print(net.num_addresses, [str(h) for h in net.hosts()][:2], ipaddress.ip_address("::1").is_loopback)
