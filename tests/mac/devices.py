"""Runs every program of the suite on two devices with the same inputs, and compares what they wrote.

Needs Python alone. Buffers are filled by the command from a seed; scalar arguments, definitions and the target are those of
the program's file, symbolic dimensions 64. Whole numbers must be equal, floats within a tolerance: a GPU divides, takes
roots and sums in its own way. A program that the second device refuses on such inputs (indices that lie outside, say) is
left out and counted.

usage: devices.py INGOT FIRST SECOND [--exact] [FILE_OR_FOLDER ...]
"""

import ast
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(os.path.dirname(HERE), "suite")
# How far apart two devices' results may lie, relative to the larger or to 1.
TOLERANCE = {"f2": 2e-2, "f4": 2e-3, "f8": 1e-9}


def settings(path):
    """The plain values that a program's file gives: args, defines, target; and the names of its symbolic dimensions."""
    with open(path) as f:
        text = f.read()
    found = {"args": {}, "defines": {}, "target": None}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in found:
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                pass
    found["dimensions"] = re.findall(r"(\w+) = T\.int(?:32|64)\(\)", text)
    return found


def read_npy(path):
    """The type ("f4"), the shape and the values of a .npy file; half precision through struct, as everything else."""
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack_from("<H", data, 8)[0]
    head = ast.literal_eval(data[10:10 + size].decode("latin1"))
    kind = head["descr"].lstrip("<|=>")
    letter = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
              "u8": "Q", "b1": "?"}[kind]
    body = data[10 + size:]
    return kind, head["shape"], struct.unpack(f"<{len(body) // int(kind[1])}{letter}", body)


def difference(kind, a, b):
    """0 for values that count as equal, else how far they are apart."""
    if a == b or (kind[0] == "f" and math.isnan(a) and math.isnan(b)):
        return 0.0
    if kind[0] != "f":
        return float("inf")
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return float("inf")
    return abs(a - b) / max(abs(a), abs(b), 1.0)


def buffers(ingot, command):
    """The tensors that the program writes or reads, by what a run says of them."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1:] or ["no message"]
    return re.findall(r"^(\w+): \w+\[", done.stdout, re.M), None


def run(ingot, path, device, folder, names):
    given = settings(path)
    command = [ingot, "run", path, "--seed", "1", "--device", device]
    if given["target"]:
        command += ["--target", str(given["target"])]
    for name, value in given["defines"].items():
        command += ["-D", f"{name}={value}"]
    for name, value in given["args"].items():
        command += ["--arg", f"{name}={value}"]
    for name in given["dimensions"]:
        if name not in given["args"]:
            command += ["--arg", f"{name}=64"]
    if names is None:
        return buffers(ingot, command)
    for name in names:
        command += ["--out", f"{name}={os.path.join(folder, f'{name}.{device}.npy')}"]
    return buffers(ingot, command)


def compare(ingot, path, first, second, exact, folder):
    """A status ("same", "left out", "DIFFERS", "FAILS") and a remark."""
    names, problem = run(ingot, path, second, folder, None)
    if problem:
        return "left out", problem[0]
    for device in (second, first):
        _, problem = run(ingot, path, device, folder, names)
        if problem:
            return "FAILS", f"{device}: {problem[0]}"
    worst = 0.0
    for name in names:
        kind, shape, a = read_npy(os.path.join(folder, f"{name}.{first}.npy"))
        other_kind, other_shape, b = read_npy(os.path.join(folder, f"{name}.{second}.npy"))
        if (kind, shape) != (other_kind, other_shape):
            return "DIFFERS", f"{name}: {kind}{shape} and {other_kind}{other_shape}"
        allowed = 0.0 if exact else TOLERANCE.get(kind, 0.0)
        for i, (x, y) in enumerate(zip(a, b)):
            apart = difference(kind, x, y)
            worst = max(worst, apart)
            if apart > allowed:
                return "DIFFERS", f"{name}[{i}]: {x!r} and {y!r}"
    return "same", f"at most {worst:.1e} apart" if worst else ""


def programs(paths):
    for path in paths or [SUITE]:
        if os.path.isfile(path):
            yield path
            continue
        for folder, _, files in sorted(os.walk(path)):
            for name in sorted(files):
                if name.endswith(".py") and folder != SUITE:
                    yield os.path.join(folder, name)


def main():
    words = [w for w in sys.argv[1:] if w != "--exact"]
    exact = "--exact" in sys.argv
    if len(words) < 3:
        sys.exit(__doc__)
    ingot, first, second = words[:3]
    counts = {"same": 0, "left out": 0, "DIFFERS": 0, "FAILS": 0}
    with tempfile.TemporaryDirectory() as folder:
        for path in programs(words[3:]):
            status, remark = compare(os.path.abspath(ingot), path, first, second, exact, folder)
            counts[status] += 1
            if status != "same" or remark:
                print(f"{status}: {os.path.relpath(path, SUITE)}: {remark}")
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    sys.exit(counts["DIFFERS"] + counts["FAILS"] != 0 or counts["same"] == 0)


if __name__ == "__main__":
    main()
