"""Shared libraries that carry a module: written with the system's C compiler, read back through two symbols."""

from __future__ import annotations

import ctypes as c
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Optional

from .error import Failure, FormatError

SUFFIXES = (".so", ".dylib", ".dll")
_BYTES, _SIZE = "ingot_module_bytes", "ingot_module_size"


def write(path: Path, module: bytes, compiler: Optional[str]) -> None:
    """Makes `path` of a module's bytes."""
    command = compiler or os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not command:
        raise Failure("a shared library needs a C compiler, and none was found; Module.save needs none")
    rows = [", ".join(str(byte) for byte in module[i : i + 20]) for i in range(0, len(module), 20)]
    source = "\n".join(
        [
            "#include <stdint.h>",
            f"const uint64_t {_SIZE} = {len(module)};",
            f"const unsigned char {_BYTES}[] = {{",
            ",\n".join(rows),
            "};",
            "",
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        file, built = Path(folder) / "module.c", Path(folder) / ("module" + path.suffix)
        file.write_text(source, encoding="ascii")
        run = subprocess.run([*command.split(), "-shared", "-fPIC", "-o", str(built), str(file)], capture_output=True,
                             text=True, check=False)
        if run.returncode:
            raise Failure(f"{command} failed on the module's library:\n{run.stderr}")
        shutil.copyfile(built, path)


def read(path: Path) -> bytes:
    """The module's bytes in a library that `write` made."""
    library = c.CDLL(str(path.resolve()))
    try:
        size = c.c_uint64.in_dll(library, _SIZE).value
        return bytes((c.c_ubyte * size).in_dll(library, _BYTES))
    except ValueError:
        raise FormatError(f"{path} carries no Ingot module") from None
