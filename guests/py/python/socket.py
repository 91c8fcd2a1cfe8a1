"""`socket` in a cell: a connection speaks HTTP, and the host sends the request.

There are no raw connections. What a program writes to a connected socket is taken as a request of
HTTP/1.1; when the program reads, the host sends that request under the tool's grants, and its response
is what the program reads. TLS is the host's: `ssl` only marks the socket.
"""

import errno as _errno
import io
import os

from cofferdam import host as _host

error = OSError
timeout = TimeoutError


class herror(OSError):
    pass


class gaierror(OSError):
    pass


AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 = 0, 1, 2, 10
SOCK_STREAM, SOCK_DGRAM, SOCK_RAW = 1, 2, 3
SOCK_NONBLOCK, SOCK_CLOEXEC = 2048, 524288
SOL_SOCKET, SO_REUSEADDR, SO_KEEPALIVE, SO_ERROR, SO_TYPE, SO_BROADCAST, SO_LINGER = 1, 2, 9, 4, 3, 6, 13
SO_RCVBUF, SO_SNDBUF, SO_REUSEPORT = 8, 7, 15
IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6 = 0, 6, 17, 41
TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT = 1, 4, 5, 6
IPV6_V6ONLY = 26
SHUT_RD, SHUT_WR, SHUT_RDWR = 0, 1, 2
MSG_PEEK, MSG_DONTWAIT, MSG_WAITALL = 2, 64, 256
AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST, AI_ADDRCONFIG, AI_NUMERICSERV = 1, 2, 4, 32, 1024
NI_NUMERICHOST, NI_NUMERICSERV = 1, 2
EAI_NONAME, EAI_FAMILY = -2, -6
SOMAXCONN = 4096
INADDR_ANY, INADDR_LOOPBACK = 0, 0x7F000001
has_ipv6 = False
has_dualstack_ipv6 = lambda: False

_default_timeout = None


def getdefaulttimeout():
    return _default_timeout


def setdefaulttimeout(seconds):
    global _default_timeout
    _default_timeout = seconds


_GLOBAL_DEFAULT_TIMEOUT = object()

# Headers that belong to the connection, which is the host's.
_OF_CONNECTION = {
    "host", "connection", "content-length", "transfer-encoding", "expect", "keep-alive", "te", "trailer", "upgrade",
    "proxy-connection", "accept-encoding",
}


def _refused(what):
    return OSError(
        _errno.EOPNOTSUPP,
        f"{what}: a cell has no raw connections; HTTP works, with a grant network:fetch:HOST",
    )


class _Exchange:
    """One request, as it was written, and its response."""

    def __init__(self, scheme, address, timeout):
        self.scheme, self.address, self.timeout = scheme, address, timeout
        self.sent = bytearray()
        self.received = b""
        self.stream = None
        self.is_answered = False

    def request(self):
        head, mark, body = bytes(self.sent).partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        if not mark or len(words) != 3 or not words[2].startswith("HTTP/"):
            raise _refused("connection that does not speak HTTP")
        method, target, _ = words
        headers, is_chunked, has_length = [], False, False
        for line in lines[1:]:
            name, _, value = line.partition(":")
            name, value = name.strip(), value.strip()
            is_chunked |= name.lower() == "transfer-encoding" and "chunked" in value.lower()
            has_length |= name.lower() == "content-length"
            if name.lower() not in _OF_CONNECTION:
                headers.append([name, value])
        if is_chunked:
            body = _joined(body)
        if method == "CONNECT":
            raise _refused("proxy")
        url = target
        if target.startswith("/") or target == "*":
            name, port = self.address[:2]
            name = f"[{name}]" if ":" in name else name
            default = {"http": 80, "https": 443}[self.scheme]
            url = f"{self.scheme}://{name}{'' if port == default else f':{port}'}{target}"
        wanted = {"method": method, "url": url, "headers": headers, "redirect": "manual",
                  "hasBody": bool(body) or is_chunked or (has_length and method not in ("GET", "HEAD"))}
        if self.timeout:
            wanted["timeMs"] = self.timeout * 1000
        return method, wanted, body

    def answer(self):
        self.is_answered = True
        method, wanted, body = self.request()
        try:
            response = _host.now(_host.FETCH_START, "vr", "v", wanted, body)
        except TypeError as failed:
            raise _explained(str(failed)) from None
        lines = [f"HTTP/1.1 {response['status']} {response['statusText']}"]
        for name, value in response["headers"]:
            if name.lower() not in ("transfer-encoding", "connection", "keep-alive"):
                lines.append(f"{name}: {value}")
        lines.append("Connection: close")
        self.received = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
        self.stream = response.get("stream")

    def read(self):
        """Returns the next bytes of the response, none at the end."""
        if not self.is_answered:
            self.answer()
        if self.received:
            data, self.received = self.received, b""
            return data
        if self.stream is None:
            return b""
        try:
            data = _host.now(_host.FETCH_READ, "u", "r", self.stream)
        except TypeError as failed:
            raise _explained(str(failed)) from None
        if not data:
            self.stream = None
        return data

    def stop(self):
        if self.stream is not None:
            stream, self.stream = self.stream, None
            _host.now(_host.FETCH_STOP, "u", "", stream)


def _joined(body):
    """Returns the content of a body in chunks."""
    content, at = bytearray(), 0
    while True:
        end = body.find(b"\r\n", at)
        if end < 0:
            return bytes(content)
        size = int(body[at:end].split(b";")[0] or b"0", 16)
        if size == 0:
            return bytes(content)
        content += body[end + 2 : end + 2 + size]
        at = end + 2 + size + 2


def _explained(message):
    """Returns the error of a connection for a fetch that failed."""
    message = message.removeprefix("fetch failed: ")
    for text, kind, number in (
        ("refused", ConnectionRefusedError, _errno.ECONNREFUSED),
        ("reset", ConnectionResetError, _errno.ECONNRESET),
        ("timed out", TimeoutError, _errno.ETIMEDOUT),
    ):
        if text in message:
            return kind(number, message)
    if "no address" in message:
        return gaierror(EAI_NONAME, "Name or service not known")
    return OSError(_errno.EIO, message)


class socket:
    """A connection of HTTP."""

    def __init__(self, family=AF_INET, type=SOCK_STREAM, proto=0, fileno=None):
        self.family, self.type, self.proto = family, type, proto
        self._timeout = _default_timeout
        self._scheme = "http"
        self._address = None
        self._exchange = None
        self._closed = False
        self._read = b""
        self._users = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def connect(self, address):
        if self.type != SOCK_STREAM or self.family == AF_UNIX:
            raise _refused("connect")
        self._address = address

    def connect_ex(self, address):
        try:
            self.connect(address)
        except OSError as failed:
            return failed.errno
        return 0

    def bind(self, address):
        raise _refused("bind")

    def listen(self, backlog=0):
        raise _refused("listen")

    def accept(self):
        raise _refused("accept")

    def sendto(self, *_):
        raise _refused("sendto")

    def recvfrom(self, *_):
        raise _refused("recvfrom")

    def send(self, data, flags=0):
        if self._address is None or self._closed:
            raise OSError(_errno.ENOTCONN, os.strerror(_errno.ENOTCONN))
        if self._exchange is None or self._exchange.is_answered:
            self._exchange = _Exchange(self._scheme, self._address, self._timeout)
        self._exchange.sent += data
        return len(memoryview(data).cast("B")) if not isinstance(data, (bytes, bytearray)) else len(data)

    def sendall(self, data, flags=0):
        self.send(data)

    def sendfile(self, file, offset=0, count=None):
        data = file.read() if count is None else file.read(count)
        return self.send(data)

    def recv(self, size, flags=0):
        if not self._read:
            self._read = self._exchange.read() if self._exchange is not None else b""
        data = self._read[:size]
        if not flags & MSG_PEEK:
            self._read = self._read[size:]
        return data

    def recv_into(self, buffer, nbytes=0, flags=0):
        view = memoryview(buffer).cast("B")
        data = self.recv(nbytes or len(view))
        view[: len(data)] = data
        return len(data)

    def makefile(self, mode="r", buffering=None, *, encoding=None, errors=None, newline=None):
        self._users += 1
        raw = _Raw(self, mode)
        if buffering == 0:
            return raw
        size = buffering if buffering and buffering > 0 else io.DEFAULT_BUFFER_SIZE
        if raw.readable() and raw.writable():
            stream = io.BufferedRWPair(raw, raw, size)
        elif raw.writable():
            stream = io.BufferedWriter(raw, size)
        else:
            stream = io.BufferedReader(raw, size)
        return stream if "b" in mode else io.TextIOWrapper(stream, encoding, errors, newline)

    def settimeout(self, seconds):
        self._timeout = seconds

    def gettimeout(self):
        return self._timeout

    timeout = property(gettimeout)

    def setblocking(self, flag):
        self._timeout = None if flag else 0.0

    def getblocking(self):
        return self._timeout != 0

    def setsockopt(self, *_):
        pass

    def getsockopt(self, level, option, size=0):
        return self.type if option == SO_TYPE else 0

    def getpeername(self):
        if self._address is None:
            raise OSError(_errno.ENOTCONN, os.strerror(_errno.ENOTCONN))
        return self._address

    def getsockname(self):
        return ("127.0.0.1", 0)

    def fileno(self):
        return -1 if self._closed else 1000

    def shutdown(self, how):
        pass

    def detach(self):
        self._closed = True
        return -1

    def _give_back(self):
        self._users -= 1
        if self._closed and self._users <= 0 and self._exchange is not None:
            self._exchange.stop()

    def close(self):
        self._closed = True
        if self._users <= 0 and self._exchange is not None:
            self._exchange.stop()


SocketType = socket


class _Raw(io.RawIOBase):
    def __init__(self, owner, mode):
        self._owner, self._mode = owner, mode

    def readable(self):
        return "r" in self._mode or not self.writable()

    def writable(self):
        return "w" in self._mode

    def readinto(self, buffer):
        return self._owner.recv_into(buffer)

    def write(self, data):
        return self._owner.send(bytes(data))

    def close(self):
        if not self.closed:
            super().close()
            self._owner._give_back()

    @property
    def name(self):
        return -1


SocketIO = _Raw


def create_connection(address, timeout=_GLOBAL_DEFAULT_TIMEOUT, source_address=None, *, all_errors=False):
    made = socket()
    if timeout is not _GLOBAL_DEFAULT_TIMEOUT:
        made.settimeout(timeout)
    made.connect(address)
    return made


def create_server(*_, **__):
    raise _refused("create_server")


def socketpair(*_, **__):
    raise _refused("socketpair")


def fromfd(*_, **__):
    raise _refused("fromfd")


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    """Returns the name itself: the host looks it up when it sends a request."""
    if host is None:
        host = "127.0.0.1"
    if isinstance(host, bytes):
        host = host.decode("idna")
    number = {"http": 80, "https": 443}.get(port, port) if isinstance(port, str) else port
    return [(AF_INET, SOCK_STREAM, IPPROTO_TCP, "", (host, int(number or 0)))]


def gethostbyname(name):
    if name.replace(".", "").isdigit():
        return name
    if name in ("localhost", gethostname()):
        return "127.0.0.1"
    raise gaierror(EAI_NONAME, "a cell looks up no names; the host does when it sends a request")


def gethostbyname_ex(name):
    return name, [], [gethostbyname(name)]


def gethostname():
    return "cofferdam"


def getfqdn(name=""):
    return name or gethostname()


def getnameinfo(address, flags=0):
    return address[0], str(address[1])


def getservbyname(name, protocol="tcp"):
    known = {"http": 80, "https": 443, "ftp": 21, "ssh": 22, "smtp": 25, "domain": 53}
    if name not in known:
        raise OSError("service/proto not found")
    return known[name]


def inet_aton(text):
    parts = [int(part) for part in text.split(".")]
    if len(parts) != 4 or not all(0 <= part < 256 for part in parts):
        raise OSError("illegal IP address string passed to inet_aton")
    return bytes(parts)


def inet_ntoa(packed):
    return ".".join(map(str, packed))


def inet_pton(family, text):
    import ipaddress

    try:
        return ipaddress.ip_address(text).packed
    except ValueError:
        raise OSError("illegal IP address string passed to inet_pton") from None


def inet_ntop(family, packed):
    import ipaddress

    return str(ipaddress.ip_address(bytes(packed)))


def htons(number):
    return (number & 0xFF) << 8 | number >> 8 & 0xFF


ntohs = htons


def htonl(number):
    return int.from_bytes(number.to_bytes(4, "little"), "big")


ntohl = htonl


def if_nameindex():
    return []
