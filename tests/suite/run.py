"""Runs the program suite: each program on the software Metal device against its own NumPy reference.

A program file holds TVMScript as users write it and, beside it, what it must compute:

    def reference(A, x=2.0): ...   arguments by the program's parameter names; returns {"B": array, ...}
    inputs = {"A": lambda rng: ...}  default: of the declared shape, uniform floats in [-1, 1), small integers, both bools
    args = {"x": 2.0}                scalar arguments
    defines = {"n": 64}              -D definitions; symbolic dimensions come from the inputs' shapes
    target = "apple/m1-gpu"          target to build for; default: ingot's own
    tolerance = 1e-5                 relative and absolute; 0 = exact (the default for integers)
    outputs = {"B": ((64,), "float32")}  written buffers

With --evaluate PROGRAM each program goes through the plain interpreter of IR instead, as written and after every pass.

usage: run.py INGOT [--evaluate PROGRAM] [FILE_OR_FOLDER ...]
"""

import inspect
import math
import os
import subprocess
import sys
import tempfile
import types

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


class Anything:
    """Stands in for TVM's modules: a program file is Python, but nothing of TVM is needed to read its reference."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __getitem__(self, item):
        return self


class Dialect(Anything):
    """The names after `T.`: it remembers what the programs say of their buffers."""

    def __init__(self):
        self.buffers = {}

    def Buffer(self, shape, dtype="float32", *args, **kwargs):
        return (shape, dtype)

    def prim_func(self, function=None, **kwargs):
        if function is None:
            return self.prim_func
        for name, annotation in function.__annotations__.items():
            if isinstance(annotation, tuple):
                self.buffers.setdefault(name, annotation)
        return function


def load(path):
    """Executes the file with stand-ins for `tvm`; `buffers` has the shapes and types that its program declares."""
    dialect = Dialect()
    for name in ("tvm", "tvm.script"):
        module = types.ModuleType(name)
        module.__getattr__ = lambda attr: dialect if attr in ("tir", "tirx") else Anything()
        sys.modules[name] = module
    space = {"np": np, "math": math, "__name__": "program"}
    with open(path) as f:
        exec(compile(f.read(), path, "exec"), space)
    space["buffers"] = dialect.buffers
    return space


def default_input(shape, dtype, rng):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if np.issubdtype(np.dtype(dtype), np.integer):
        low = 0 if dtype.startswith("u") else -20
        return rng.integers(low, 20, shape).astype(dtype)
    return rng.uniform(-1, 1, shape).astype(dtype)


def compare(name, got, want, tolerance):
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"{name}: shape {got.shape}, expected {want.shape}"
    if tolerance == 0 or got.dtype.kind in "iub":
        same = got == want.astype(got.dtype)
        if got.dtype.kind == "f":
            same |= np.isnan(got) & np.isnan(want)
    else:
        same = np.isclose(got.astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=tolerance,
                          equal_nan=True)
    if same.all():
        return None
    where = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])
    return (f"{name}: {np.count_nonzero(~same)} of {got.size} wrong; at {where} got "
            f"{np.atleast_1d(got)[where]}, expected {np.atleast_1d(want)[where]}")


def evaluate(program, path, folder, space, given, want):
    """Every stage of the compiler against the reference; the first that differs is named."""
    command = [program, path, "--folder", folder]
    for name, value in space.get("defines", {}).items():
        command += ["-D", f"{name}={value}"]
    for name, value in space.get("args", {}).items():
        command += ["--arg", f"{name}={value}"]
    for name in given:
        command += ["--in", f"{name}={os.path.join(folder, name + '.npy')}"]
    for name, value in want.items():
        command += ["--out", name]
        if name not in given:
            command += ["--zeros", f"{name}={'x'.join(str(n) for n in np.shape(value))}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return done.stderr.strip()
    for line in done.stdout.splitlines():
        number, stage = line.split()
        for name, value in want.items():
            got = np.load(os.path.join(folder, f"{name}.{number}.npy"))
            problem = compare(name, got, value, space.get("tolerance", 1e-5))
            if problem:
                return f"interpreted after {stage}: {problem}"
    return None


def run(ingot, path, folder, evaluator):
    space = load(path)
    rng = np.random.default_rng(7)
    given = {name: make(rng) if callable(make) else np.asarray(make) for name, make in space.get("inputs", {}).items()}
    scalars, defines = space.get("args", {}), space.get("defines", {})
    for name in inspect.signature(space["reference"]).parameters:
        if name not in given and name not in scalars:
            given[name] = default_input(*space["buffers"][name], rng)
    command = [ingot, "run", path] + (["--target", space["target"]] if "target" in space else [])
    for name, value in defines.items():
        command += ["-D", f"{name}={value}"]
    for name, value in scalars.items():
        command += ["--arg", f"{name}={value}"]
    for name, array in given.items():
        file = os.path.join(folder, name + ".npy")
        np.save(file, array)
        command += ["--in", f"{name}={file}"]
    want = space["reference"](**{k: v.copy() for k, v in given.items()}, **scalars)
    for name in want:
        command += ["--out", f"{name}={os.path.join(folder, name + '.out.npy')}"]
    if evaluator:
        return evaluate(evaluator, path, folder, space, given, want)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    default = 1e-5
    for name, value in want.items():
        got = np.load(os.path.join(folder, name + ".out.npy"))
        problem = compare(name, got, value, space.get("tolerance", default))
        if problem:
            return problem
    return None


def programs(arguments):
    for start in arguments or [HERE]:
        if os.path.isfile(start):
            yield start
            continue
        for folder, folders, files in os.walk(start):
            folders.sort()
            for file in sorted(files):
                path = os.path.join(folder, file)
                if file.endswith(".py") and os.path.abspath(folder) != HERE:
                    yield path


def main():
    ingot, rest, evaluator, passed, failed = sys.argv[1], sys.argv[2:], None, 0, 0
    if rest[:1] == ["--evaluate"]:
        evaluator, rest = rest[1], rest[2:]
    for path in programs(rest):
        with tempfile.TemporaryDirectory() as folder:
            problem = run(ingot, path, folder, evaluator)
        if problem:
            failed += 1
            print(f"FAIL {os.path.relpath(path, HERE)}: {problem}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
