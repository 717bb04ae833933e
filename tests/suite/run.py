"""Runs the program suite: each program on the software Metal device against its own NumPy reference.

A program file holds TVMScript as users write it and, beside it, what it must compute:

    def reference(A, x=2.0): ...   arguments by the program's parameter names; returns {"B": array, ...}
    inputs = {"A": lambda rng: ...}  default: of the declared shape, uniform floats in [-1, 1), small integers, both bools
    args = {"x": 2.0}                scalar arguments
    defines = {"n": 64}              -D definitions; symbolic dimensions come from the inputs' shapes
    target = "apple/m1-gpu"          target to build for; default: ingot's own
    tolerance = 1e-5                 relative and absolute; 0 = exact (the default for integers)
    functions = {"main": reference, "other": ...}  several functions, each run by its name with its own reference
    ulps = 4                         float32 outputs: units in the last place of the reference rounded to float32, in place of
                                     the tolerance; results below the least normal number may be 0
    outputs = {"B": ((64,), "float32")}  written buffers
    overflows = True                 a NaN or an infinity is made on the way to what is right; "some": by some of the functions

With --evaluate PROGRAM each program goes through the plain interpreter of IR instead, as written and after every pass. With
--metallib each is also compiled to a metallib and run from that, with --native it also runs as native code; the results must be
those of the text on the software device, bit for bit.

With --checked each program also runs under all checks of the software device, which must find nothing; but for those
that say `overflows`, where exactly that must be found.

usage: run.py INGOT [--evaluate PROGRAM | --checked | --metallib | --native] [FILE_OR_FOLDER ...]
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


def distance(got, want):
    """Units in the last place between two arrays of float32."""
    def order(a):
        bits = a.view("int32").astype("int64")
        return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)

    far = np.abs(order(got) - order(want))
    far[np.isnan(got) != np.isnan(want)] = 2**40
    far[(np.isnan(got) & np.isnan(want)) | ((got == 0) & (np.abs(want) < np.finfo("float32").tiny))] = 0
    return far


def compare(name, got, want, tolerance, ulps=None):
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"{name}: shape {got.shape}, expected {want.shape}"
    if ulps is not None and got.dtype == np.float32:
        with np.errstate(over="ignore"):
            same = distance(np.atleast_1d(got), np.atleast_1d(want.astype("float32"))) <= ulps
    elif tolerance == 0 or got.dtype.kind in "iub":
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


def evaluate(program, path, folder, space, function, given, want):
    """Every stage of the compiler against the reference; the first that differs is named."""
    command = [program, path, "--folder", folder] + (["--func", function] if function else [])
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
            problem = compare(name, got, value, space.get("tolerance", 1e-5), space.get("ulps"))
            if problem:
                return f"interpreted after {stage}: {problem}"
    return None


EVERY_CHECK = "bounds,alignment,race,barrier,uninitialised,numerics,limits,launch"


def run_checked(command, overflows):
    """What the checks find that they should not, or do not find that they should."""
    if overflows is True:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, INGOT_CHECK="numerics"))
        if done.returncode == 0 or "numerics: " not in done.stderr:
            return "no NaN or infinity was found to be made"
    checks = EVERY_CHECK.replace(",numerics", "") if overflows else EVERY_CHECK
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=dict(os.environ, INGOT_CHECK=checks))
    return done.stderr.strip() if done.returncode != 0 else None


AGAIN = {"--metallib": ("from a metallib", ["--metal-compile", "builtin:metallib"]), "--native": ("as native code", ["--engine", "native"])}


def same_bits(name, got, want):
    if got.dtype == want.dtype and got.shape == want.shape:
        same = got == want
        if got.dtype.kind == "f":
            same |= np.isnan(got) & np.isnan(want)
            same &= (np.signbit(got) == np.signbit(want)) | np.isnan(got)
        if same.all():
            return None
        where = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])
        return (f"{name} differs in {np.count_nonzero(~same)} of {got.size}: at {where} "
                f"{np.atleast_1d(got)[where]}, not {np.atleast_1d(want)[where]}")
    return f"{name} has another type or shape"


def run_again(command, folder, want, how):
    """The same command another way: the same bits."""
    what, words = AGAIN[how]
    command = [word.replace(".out.npy", ".again.npy") for word in command] + words
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return f"{what}: exit code {done.returncode}: {done.stderr.strip()}"
    for name in want:
        text, again = (np.load(os.path.join(folder, f"{name}.{kind}.npy")) for kind in ("out", "again"))
        problem = same_bits(name, again, text)
        if problem:
            return f"{what} {problem}"
    return None


def run(ingot, path, folder, evaluator, also):
    space = load(path)
    for function, reference in space.get("functions", {None: space.get("reference")}).items():
        problem = run_function(ingot, path, folder, evaluator, also, space, function, reference)
        if problem:
            return f"{function}: {problem}" if function else problem
    return None


def run_function(ingot, path, folder, evaluator, also, space, function, reference):
    rng = np.random.default_rng(7)
    given = {name: make(rng) if callable(make) else np.asarray(make) for name, make in space.get("inputs", {}).items()}
    scalars, defines = space.get("args", {}), space.get("defines", {})
    if function:
        mine = inspect.signature(reference).parameters
        given, scalars = ({k: v for k, v in all.items() if k in mine} for all in (given, scalars))
    for name, parameter in inspect.signature(reference).parameters.items():
        if parameter.kind != parameter.VAR_KEYWORD and name not in given and name not in scalars:
            given[name] = default_input(*space["buffers"][name], rng)
    command = [ingot, "run", path] + (["--target", space["target"]] if "target" in space else [])
    command += ["--func", function] if function else []
    for name, value in defines.items():
        command += ["-D", f"{name}={value}"]
    for name, value in scalars.items():
        command += ["--arg", f"{name}={value}"]
    for name, array in given.items():
        file = os.path.join(folder, name + ".npy")
        np.save(file, array)
        command += ["--in", f"{name}={file}"]
    want = reference(**{k: v.copy() for k, v in given.items()}, **scalars)
    for name in want:
        command += ["--out", f"{name}={os.path.join(folder, name + '.out.npy')}"]
    if evaluator:
        return evaluate(evaluator, path, folder, space, function, given, want)
    if also == "--checked":
        problem = run_checked(command, space.get("overflows", False))
        if problem:
            return problem
    else:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            return f"exit code {done.returncode}: {done.stderr.strip()}"
    default = 1e-5
    for name, value in want.items():
        got = np.load(os.path.join(folder, name + ".out.npy"))
        problem = compare(name, got, value, space.get("tolerance", default), space.get("ulps"))
        if problem:
            return problem
    return run_again(command, folder, want, also) if also in AGAIN else None


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
    also = rest[0] if rest[:1] and rest[0] in ("--checked", *AGAIN) else None
    rest = rest[1:] if also else rest
    if also in AGAIN:
        probe = subprocess.run([ingot, "air", "dis", os.devnull], capture_output=True, text=True)
        if "needs the AIR component" in probe.stderr:
            print(f"skipped: {probe.stderr.strip()}")
            return 77
    for path in programs(rest):
        with tempfile.TemporaryDirectory() as folder:
            problem = run(ingot, path, folder, evaluator, also)
        if problem:
            failed += 1
            print(f"FAIL {os.path.relpath(path, HERE)}: {problem}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
