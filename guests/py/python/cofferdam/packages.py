"""Modules: what is loaded while the image is built, the folders of a script, and words about packages
that a cell cannot run."""

import importlib
import sys

# Loaded into the image. Anything else of the standard library is loaded when it is imported.
_LOADED = """
abc argparse array ast asyncio base64 bisect calendar codecs collections collections.abc contextlib copy
csv dataclasses datetime decimal email.message email.parser enum errno fnmatch fractions functools glob
gzip hashlib heapq hmac html html.parser http http.client inspect io itertools json keyword locale
logging math operator os os.path pathlib pickle platform queue random re secrets selectors shlex shutil
signal socket sqlite3 ssl stat statistics string struct subprocess sys tempfile textwrap threading time
traceback types typing unicodedata unittest urllib.error urllib.parse urllib.request uuid warnings
weakref xml.etree.ElementTree zipfile zlib concurrent.futures encodings.idna encodings.ascii
encodings.latin_1 encodings.utf_8 encodings.utf_8_sig runpy mimetypes binascii html.entities
""".split()

# Packages with native code that models reach for, and what to use in place of them.
_NATIVE = """
numpy pandas scipy matplotlib PIL cv2 sklearn torch tensorflow jax numba polars pyarrow lxml cryptography
psycopg2 grpc shapely h5py spacy xgboost lightgbm ctypes _ctypes multiprocessing tkinter curses readline
""".split()

# Packages of pure Python that models reach for, with the name to install them by where it is another.
_PURE = dict.fromkeys(
    "requests httpx tabulate rich click jinja2 tqdm toml openpyxl markdown pytz docopt attrs".split()
) | {"yaml": "PyYAML", "bs4": "beautifulsoup4", "dateutil": "python-dateutil", "dotenv": "python-dotenv"}


class _Explains:
    """Comes last in the search: says what to do about a package that is not there."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in _NATIVE:
            raise ModuleNotFoundError(
                f"No module named {name!r}: it needs native code, which a cell does not run; "
                "'cofferdam exec -- python3' runs the machine's Python with it",
                name=name,
            )
        if name in _PURE:
            raise ModuleNotFoundError(
                f"No module named {name!r}: it is not part of Python; "
                f"'pip install --target lib {_PURE[name] or name}', then 'cofferdam run --code .'",
                name=name,
            )
        return None


def load():
    for name in _LOADED:
        importlib.import_module(name)
    sys.meta_path.append(_Explains)
    sys.path[:] = []
    sys.path_importer_cache.clear()


def search(path, root):
    """Lets a script import the modules beside it, and packages in `site-packages` of its folder."""
    folder = path.rpartition("/")[0] or "/"
    sys.path[:] = [folder]
    root = root or folder
    for name in ("site-packages", "lib", "vendor"):
        sys.path.append(f"{root}/{name}")
    importlib.invalidate_caches()
