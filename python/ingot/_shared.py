"""Shared libraries that carry a module: written with the system's C compiler, read back through two symbols."""

from __future__ import annotations

import ctypes as c
import os
import sys
from pathlib import Path
from typing import Optional

from .error import Failure, FormatError

SUFFIXES = (".so", ".dylib", ".dll")
_BYTES, _SIZE = "ingot_module_bytes", "ingot_module_size"


def replace(path: Path, data: bytes) -> None:
    """Makes the file hold exactly these bytes: written under another name beside it and renamed."""
    import tempfile

    number, name = tempfile.mkstemp(prefix=path.name + ".", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write(path: Path, source: str, compiler: Optional[str]) -> None:
    """Makes the library `path` of a C source."""
    import shutil
    import subprocess
    import tempfile

    is_mac = sys.platform == "darwin" or path.suffix == ".dylib"  # whose linker is told that tvm-ffi's symbols come later
    named = compiler or os.environ.get("CC")
    if is_mac and sys.platform != "darwin" and not named:
        raise Failure("a .dylib is made on a Mac, of the .c, or by a cross compiler that cc names")
    command = named or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not command:
        raise Failure("a shared library needs a C compiler, and none was found; Module.save needs none")
    with tempfile.TemporaryDirectory() as folder:
        file, built = Path(folder) / "module.c", Path(folder) / ("module" + path.suffix)
        file.write_text(source, encoding="utf-8")
        later = ["-undefined", "dynamic_lookup"] if is_mac else []
        run = subprocess.run([*command.split(), "-O1", "-shared", "-fPIC", *later, "-o", str(built), str(file), "-lpthread", "-ldl", "-lm"],
                             capture_output=True, text=True, check=False)
        if run.returncode:
            raise Failure(f"{command} failed on the module's library:\n{run.stderr}")
        replace(path, built.read_bytes())


def read(path: Path) -> bytes:
    """The module's bytes in a library that `write` made."""
    library = c.CDLL(str(path.resolve()))
    try:
        size = c.c_uint64.in_dll(library, _SIZE).value
        return bytes((c.c_ubyte * size).in_dll(library, _BYTES))
    except ValueError:
        raise FormatError(f"{path} carries no Ingot module") from None
