"""The programs of the suite with something else in the place of `ingot run`."""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUITE = HERE.parent / "suite"


def run_suite(path, command):
    """Runs a program of the suite by a shell command in the place of `ingot`; None, or what was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        wrapper = Path(folder, "ingot")
        wrapper.write_text(f"#!/bin/sh\nexec {command}\n")
        wrapper.chmod(0o755)
        done = subprocess.run([sys.executable, "-B", str(SUITE / "run.py"), str(wrapper), str(path)], capture_output=True, text=True,
                              check=False)
    return None if done.returncode == 0 else done.stdout + done.stderr


def run_library(path, library):
    """Runs a library in TVM's shape whole, its host code and its kernels, on Ingot's device; "-" is the one that Ingot makes of the
    program."""
    return run_suite(path, f"'{sys.executable}' -B '{HERE}/run_library.py' '{library}' \"$@\"")
