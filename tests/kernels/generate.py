"""Random kernels (random_kernel.py) on the software device's bytecode machine and as native code: every byte that they write must be
the same, but that a NaN is a NaN. A refusal or a crash of either is a failure too.

A seed always gives the same kernel. A failing one is made smaller and printed. The last line says how many ran, how many failed,
and the seeds that did. Needs Python and NumPy, no more; skipped (exit code 77) where libingot-air is not there.

usage: generate.py INGOT [--seed-start N] [--count N] [--minutes M] [--jobs J] [--print] [--no-shrink]
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from random_kernel import Expr, Kernel

OUTPUTS = [2, 3, 4, 5]


def differences(got, want):
    same = got == want
    if got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(want)
        bits = np.dtype(f"u{got.dtype.itemsize}")
        same &= np.isnan(got) | (got.view(bits) == want.view(bits))
    return ~same


class Check:
    def __init__(self, ingot, kernel, folder):
        self.ingot, self.k, self.folder = ingot, kernel, folder
        self.given = ["--buffer", f"6={kernel.size}:uint"]
        for i, array in enumerate(kernel.arrays()):
            path = os.path.join(folder, f"in{i}.npy")
            np.save(path, array)
            self.given += ["--buffer", f"{i}={path}"]

    def run(self, engine):
        outs = [w for i in OUTPUTS for w in ("--out", f"{i}={os.path.join(self.folder, f'{engine}{i}.npy')}")]
        command = [self.ingot, "msl", "run", "--engine", engine, *self.k.launch(), *self.given, *outs, os.path.join(self.folder, "k.metal")]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=150)

    def problem(self):
        """None, or (kind, what is wrong)."""
        with open(os.path.join(self.folder, "k.metal"), "w") as f:
            f.write(self.k.text())
        for engine in ("vm", "native"):
            try:
                done = self.run(engine)
            except subprocess.TimeoutExpired:
                return f"{engine} hangs", "it takes too long"
            if done.returncode == 0:
                continue
            if done.returncode < 0:
                return f"{engine} crashes", f"signal {-done.returncode}"
            first = (done.stderr.strip().splitlines() or ["no message"])[0]
            return f"{engine} refuses: " + first.split("error: ")[-1][:70], done.stderr
        for i in OUTPUTS:
            got, want = (np.load(os.path.join(self.folder, f"{e}{i}.npy")).ravel() for e in ("native", "vm"))
            bad = np.flatnonzero(differences(got, want))
            if len(bad):
                return "results differ", f"buffer {i}, element {bad[0]} and {len(bad) - 1} more: native {got[bad[0]]}, vm {want[bad[0]]}"
        return None


def smaller(kernel):
    """Ways to make the kernel smaller by one step: each does it, and gives back what undoes it."""
    bodies = [kernel.body] + [f.body for f in kernel.functions]
    for body in bodies:
        for s in body:
            bodies += s.bodies()

    def replace(where, i, new):
        def do():
            old = where[i:i + 1]
            where[i:i + 1] = new
            return lambda: where.__setitem__(slice(i, i + len(new)), old)
        return do
    for body in bodies:
        for i in range(len(body) - 1, -1, -1):
            if len(body) > i:
                yield replace(body, i, [])
    for body in bodies:
        for i, s in enumerate(list(body)):
            if s.body:
                yield replace(body, i, list(s.body))
    for body in bodies:
        for s in list(body):
            for where, i in list(s.places()):
                e = where[i]
                for part in e.parts:
                    if part.type == e.type:
                        yield replace(where, i, [part])
                if e.parts:
                    yield replace(where, i, [Expr(e.type, e.type + "(1)")])


def shrink(check, kind, seconds):
    until = time.time() + seconds
    found = True
    while found and time.time() < until:
        found = False
        for step in smaller(check.k):
            if time.time() > until:
                break
            undo = step()
            p = check.problem()
            if p is not None and p[0] == kind:
                found = True
                break
            undo()


def one(job):
    ingot, seed, may_shrink = job
    with tempfile.TemporaryDirectory() as folder:
        check = Check(ingot, Kernel(seed), folder)
        p = check.problem()
        if p is None:
            return seed, None
        if may_shrink:
            shrink(check, p[0], 120)
            p = check.problem() or p
        return seed, f"seed {seed}: {p[0]}\n{p[1]}\n{' '.join(check.k.launch())}\n{check.k.text()}"


def has_native(ingot):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.metal")
        with open(path, "w") as f:
            f.write("kernel void k(device int *o) { o[0] = 1; }\n")
        done = subprocess.run([ingot, "msl", "run", "--engine", "native", "--grid", "1", "--threads", "1", "--buffer", "0=zeros:int32:1", path],
                              capture_output=True, text=True)
        return done.returncode == 0 or "libingot-air" not in done.stderr


def main():
    p = argparse.ArgumentParser()
    p.add_argument("ingot")
    p.add_argument("--seed-start", "--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=40)
    p.add_argument("--minutes", type=float)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--print", action="store_true")
    p.add_argument("--no-shrink", action="store_true")
    o = p.parse_args()
    if o.print:
        for seed in range(o.seed_start, o.seed_start + o.count):
            print(Kernel(seed).text())
        return 0
    if not has_native(os.path.abspath(o.ingot)):
        print("skipped: there is no libingot-air")
        return 77
    until = time.time() + o.minutes * 60 if o.minutes else None
    count = 10 ** 9 if o.minutes else o.count
    jobs = ((os.path.abspath(o.ingot), seed, not o.no_shrink) for seed in range(o.seed_start, o.seed_start + count))
    ran, failed = 0, []
    with multiprocessing.Pool(o.jobs) as pool:
        batch = []
        while True:
            batch = [j for _, j in zip(range(4 * o.jobs), jobs)]
            if not batch or (until and time.time() > until):
                break
            for seed, problem in pool.imap_unordered(one, batch):
                ran += 1
                if problem is not None:
                    failed.append(seed)
                    print(problem, flush=True)
    print(f"{ran} kernels, {len(failed)} failed: {' '.join(map(str, sorted(failed)))}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
