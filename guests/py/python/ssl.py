"""`ssl` in a cell: marks a connection as HTTPS. The host speaks TLS and checks certificates, always."""

import enum
import os
import socket as _socket

from socket import create_connection, socket

OPENSSL_VERSION = "OpenSSL 3.0.0 (TLS of the host)"
OPENSSL_VERSION_INFO = (3, 0, 0, 0, 0)
OPENSSL_VERSION_NUMBER = 0x30000000
HAS_SNI = HAS_ALPN = HAS_TLSv1_2 = HAS_TLSv1_3 = HAS_ECDH = True
HAS_NPN = HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = HAS_NEVER_CHECK_COMMON_NAME = False


class SSLError(OSError):
    reason = library = None


class SSLZeroReturnError(SSLError):
    pass


class SSLWantReadError(SSLError):
    pass


class SSLWantWriteError(SSLError):
    pass


class SSLSyscallError(SSLError):
    pass


class SSLEOFError(SSLError):
    pass


class SSLCertVerificationError(SSLError, ValueError):
    verify_message = ""


CertificateError = SSLCertVerificationError


class VerifyMode(enum.IntEnum):
    CERT_NONE = 0
    CERT_OPTIONAL = 1
    CERT_REQUIRED = 2


CERT_NONE, CERT_OPTIONAL, CERT_REQUIRED = VerifyMode


class TLSVersion(enum.IntEnum):
    MINIMUM_SUPPORTED = -2
    SSLv3 = 768
    TLSv1 = 769
    TLSv1_1 = 770
    TLSv1_2 = 771
    TLSv1_3 = 772
    MAXIMUM_SUPPORTED = -1


class Purpose(enum.Enum):
    SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
    CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"


class Options(enum.IntFlag):
    OP_ALL = 0x80000050
    OP_NO_SSLv2 = 0
    OP_NO_SSLv3 = 0x2000000
    OP_NO_TLSv1 = 0x4000000
    OP_NO_TLSv1_1 = 0x10000000
    OP_NO_TLSv1_2 = 0x8000000
    OP_NO_TLSv1_3 = 0x20000000
    OP_NO_COMPRESSION = 0x20000
    OP_NO_TICKET = 0x4000
    OP_NO_RENEGOTIATION = 0x40000000
    OP_IGNORE_UNEXPECTED_EOF = 0x80
    OP_ENABLE_MIDDLEBOX_COMPAT = 0x100000


class VerifyFlags(enum.IntFlag):
    VERIFY_DEFAULT = 0
    VERIFY_X509_TRUSTED_FIRST = 0x8000
    VERIFY_X509_STRICT = 0x20
    VERIFY_X509_PARTIAL_CHAIN = 0x80000


globals().update(Options.__members__)
globals().update(VerifyFlags.__members__)
OP_NO_SSLv2 = Options(0)

PROTOCOL_SSLv23 = PROTOCOL_TLS = 2
PROTOCOL_TLSv1, PROTOCOL_TLSv1_1, PROTOCOL_TLSv1_2 = 3, 4, 5
PROTOCOL_TLS_CLIENT, PROTOCOL_TLS_SERVER = 16, 17
SSL_ERROR_EOF, SSL_ERROR_ZERO_RETURN = 8, 6


class SSLSocket(_socket.socket):
    """A connection that the host makes over TLS."""

    server_hostname = None
    session = None
    session_reused = False

    def version(self):
        return "TLSv1.3"

    def cipher(self):
        return ("TLS_AES_256_GCM_SHA384", "TLSv1.3", 256)

    def getpeercert(self, binary_form=False):
        return b"" if binary_form else {"subject": ((("commonName", self.server_hostname or ""),),)}

    def selected_alpn_protocol(self):
        return None

    selected_npn_protocol = selected_alpn_protocol

    def do_handshake(self, block=False):
        pass

    def pending(self):
        return len(self._read)

    def unwrap(self):
        return self


class SSLContext:
    def __init__(self, protocol=PROTOCOL_TLS_CLIENT):
        self.protocol = protocol
        self.verify_mode = CERT_REQUIRED
        self.check_hostname = True
        self.options = Options.OP_ALL
        self.verify_flags = VerifyFlags.VERIFY_X509_TRUSTED_FIRST
        self.minimum_version = TLSVersion.TLSv1_2
        self.maximum_version = TLSVersion.MAXIMUM_SUPPORTED
        self.post_handshake_auth = False
        self.hostname_checks_common_name = False
        self.keylog_filename = None
        self.sni_callback = None

    def wrap_socket(self, sock, server_side=False, do_handshake_on_connect=True, suppress_ragged_eofs=True,
                    server_hostname=None, session=None):
        if server_side:
            raise SSLError("a cell has no servers")
        made = SSLSocket()
        made.__dict__.update(sock.__dict__)
        made._scheme = "https"
        made.server_hostname = server_hostname
        return made

    def _ignored(self, *_, **__):
        """The host decides what is trusted."""

    load_default_certs = set_default_verify_paths = load_verify_locations = _ignored
    set_ciphers = set_alpn_protocols = set_npn_protocols = set_ecdh_curve = _ignored
    set_servername_callback = _ignored

    def load_cert_chain(self, *_, **__):
        raise SSLError("a cell cannot present certificates of its own")

    def get_ca_certs(self, binary_form=False):
        return []

    def cert_store_stats(self):
        return {"x509": 0, "crl": 0, "x509_ca": 0}

    def get_ciphers(self):
        return []

    def wrap_bio(self, *_, **__):
        raise SSLError("a cell has no raw connections")


def create_default_context(purpose=Purpose.SERVER_AUTH, *, cafile=None, capath=None, cadata=None):
    return SSLContext()


def _create_unverified_context(protocol=None, **_):
    return SSLContext()


_create_default_https_context = create_default_context
_create_stdlib_context = _create_unverified_context


def get_default_verify_paths():
    import collections

    kind = collections.namedtuple("DefaultVerifyPaths", "cafile capath openssl_cafile_env openssl_cafile "
                                  "openssl_capath_env openssl_capath")
    return kind(None, None, "SSL_CERT_FILE", "", "SSL_CERT_DIR", "")


def match_hostname(cert, hostname):
    pass


def RAND_bytes(count):
    return os.urandom(count)


def RAND_status():
    return True


def get_server_certificate(*_, **__):
    raise SSLError("a cell has no raw connections")


class MemoryBIO:
    def __init__(self):
        raise SSLError("a cell has no raw connections")


class SSLObject:
    pass


class SSLSession:
    pass
