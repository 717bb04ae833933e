"""A PEP 517 build backend without dependencies: builds the C library with CMake and puts it into the wheel."""

import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "python" / "ingot"
SUMMARY = "Tensor programs in TVMScript to Metal kernels, and a software Metal device to run them on"


def _version():
    """The version stands once, in the public header."""
    header = (ROOT / "include" / "ingot" / "ingot.h").read_text(encoding="utf-8")
    return re.search(r'^#define INGOT_VERSION "([0-9.]+)"', header, re.MULTILINE).group(1)


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: ingot", f"Version: {_version()}", f"Summary: {SUMMARY}",
             "License: Apache-2.0", "Requires-Python: >=3.9", "Requires-Dist: numpy",
             "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines)


def _tag():
    system = sysconfig.get_platform().replace("universal2", platform.machine())  # the library is for this machine alone
    system = re.sub(r"[^A-Za-z0-9]", "_", system)
    return f"py3-none-{system}"


def _build_library(folder):
    """Builds libingot without its tests and returns its path."""
    ninja = shutil.which("ninja") is not None
    generator = ["-G", "Ninja"] if ninja else ["-G", "Unix Makefiles"]
    # For Ninja "ingot" is the command, whose file is called that; for make it is the library.
    target = ("libingot.dylib" if sys.platform == "darwin" else "libingot.so") if ninja else "ingot"
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *generator, "-DCMAKE_BUILD_TYPE=Release",
                    "-DINGOT_TESTS=OFF", "-DINGOT_WERROR=OFF"], check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(folder), "--target", target, "-j", jobs], check=True)
    for name in ("libingot.so", "libingot.dylib"):
        if (folder / name).exists():
            return (folder / name).resolve(), name
    raise RuntimeError("the build made no libingot")


class _Wheel:
    """A wheel being written; keeps the RECORD."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.rows = []

    def add(self, name, data):
        info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same bytes for the same files
        info.external_attr = 0o100644 << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
        self.rows.append(f"{name},sha256={digest},{len(data)}")

    def close(self, dist_info):
        entries = "[pytest11]\ningot.pytest_plugin = ingot.pytest_plugin\n"  # so that -p with this name means the same plugin
        for name, text in (("METADATA", _metadata()), ("WHEEL", _wheel_file()), ("entry_points.txt", entries)):
            self.add(f"{dist_info}/{name}", text.encode("utf-8"))
        self.add(f"{dist_info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
        record = "\n".join([*self.rows, f"{dist_info}/RECORD,,", ""])
        self.zip.writestr(zipfile.ZipInfo(f"{dist_info}/RECORD", (2020, 1, 1, 0, 0, 0)), record)
        self.zip.close()


def _wheel_file():
    return f"Wheel-Version: 1.0\nGenerator: ingot_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _dist_info():
    return f"ingot-{_version()}.dist-info"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"ingot-{_version()}-{_tag()}.whl"
    wheel = _Wheel(Path(wheel_directory) / name)
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            wheel.add(path.relative_to(PACKAGE.parent).as_posix(), path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        library, library_name = _build_library(Path(folder))
        wheel.add(f"ingot/{library_name}", library.read_bytes())
    wheel.close(_dist_info())
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """The metadata alone, so that asking for it builds nothing."""
    folder = Path(metadata_directory) / _dist_info()
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(_wheel_file(), encoding="utf-8")
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Points at the clone, whose build/ holds the library (make)."""
    name = f"ingot-{_version()}-{_tag()}.whl"
    wheel = _Wheel(Path(wheel_directory) / name)
    wheel.add("ingot.pth", (str(PACKAGE.parent) + "\n").encode("utf-8"))
    wheel.close(_dist_info())
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f"ingot-{_version()}"
    folders = ("cmake", "docs", "include", "python", "src")
    files = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml")

    def keep(info):
        return None if "__pycache__" in info.name or info.name.endswith((".so", ".pyc")) else info

    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for entry in (*folders, *files):
            archive.add(ROOT / entry, f"{base}/{entry}", filter=keep)
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        data = _metadata().encode("utf-8")
        info.size = len(data)
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            archive.addfile(info, file)
    return f"{base}.tar.gz"
