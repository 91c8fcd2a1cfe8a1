"""Imports the standard library, which is packed into the guest."""

import marshal
import sys
import zlib

import _cofferdam
import _frozen_importlib


class Library:
    """Finds and loads modules of the standard library."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        found = _cofferdam.library(name)
        if found is None:
            return None
        return _frozen_importlib.ModuleSpec(name, cls, origin="frozen", is_package=found[1])

    @staticmethod
    def create_module(spec):
        return None

    @classmethod
    def exec_module(cls, module):
        exec(cls.get_code(module.__spec__.name), module.__dict__)

    @staticmethod
    def get_code(name):
        found = _cofferdam.library(name)
        if found is None:
            raise ImportError(f"no module {name!r} in the standard library", name=name)
        return marshal.loads(zlib.decompress(found[0]))

    @staticmethod
    def get_source(name):
        return None

    @staticmethod
    def is_package(name):
        found = _cofferdam.library(name)
        return found is not None and found[1]


def install():
    """Comes behind modules of the interpreter itself, and before files."""
    sys.meta_path.insert(2, Library)


install()
