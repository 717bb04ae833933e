"""Random programs (random_program.py) against three witnesses: the interpreter before lowering, the interpreter after every
pass, and the emitted MSL on the software device. All three must agree; a refusal or a crash is a failure too.

A seed always gives the same program. A failing program is made smaller, by leaving out statements and by putting
parts of expressions in place of the whole, and printed. The last line says how many programs ran, how many failed,
and the seeds that did. Needs Python and NumPy, no more.

usage: generate.py INGOT EVALUATE [--seed-start N] [--count N] [--minutes M] [--jobs J] [--print] [--no-shrink]
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from random_program import Expr, Generator

# What the functions of rough results may differ by: the bounds of the software device's functions and of Ingot's own
# formulas for what Metal lacks, with room for one more operation. In half precision the result's own spacing rules.
TARGET = "apple/m1-gpu"  # for groups of up to 1024 threads, as the interpreter is told
ROUGH = {"float32": (4e-6, 1e-6), "float16": (4e-3, 1e-3)}


def wrong(name, got, want):
    """The places where two witnesses differ. Exact results: bit for bit, but a NaN is a NaN and the zeros are one. Rough
    ones: within the bounds; at the end of the range one may be infinite already."""
    same = got == want
    if got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(want)
    if name.startswith("F"):
        relative, absolute = ROUGH[got.dtype.name]
        a, b, top = got.astype(np.float64), want.astype(np.float64), float(np.finfo(got.dtype).max)
        with np.errstate(invalid="ignore"):
            a, b = (np.where(np.isinf(x), np.sign(x) * top, x) for x in (a, b))
            same |= np.abs(a - b) <= absolute + relative * np.maximum(np.abs(a), np.abs(b))
    return ~same


def said(done):
    """A run that failed: a crash, or what the first message says."""
    if done.returncode < 0:
        return "crash", f"signal {-done.returncode}"
    text = done.stderr.strip()
    first = text.splitlines()[0] if text else f"exit code {done.returncode}"
    return "refused: " + first.split("error: ")[-1], text


class Check:
    """Runs one seed's program, or parts of it, through the witnesses."""

    def __init__(self, ingot, evaluate, generator, folder):
        self.ingot, self.evaluate, self.g, self.folder = ingot, evaluate, generator, folder
        self.given, self.args = [], []
        for name, array in generator.arrays():
            file = os.path.join(folder, name + ".npy")
            np.save(file, array)
            self.given += ["--in", f"{name}={file}"]
        for name, value in generator.values():
            self.args += ["--arg", f"{name}={value}"]

    def problem(self):
        """None, or (kind, what is wrong)."""
        try:
            return self.found()
        except subprocess.TimeoutExpired as e:
            return "hang", f"{os.path.basename(e.cmd[0])} takes too long"

    def found(self):
        path, g = os.path.join(self.folder, "program.py"), self.g
        with open(path, "w") as f:
            f.write(g.text())
        outs = [b.name for b in g.outputs]
        command = [self.evaluate, path, "--folder", self.folder] + self.given + self.args
        command += [w for b in g.outputs for w in ("--out", b.name, "--zeros", b.name + "=" + "x".join(map(str, b.shape)))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return said(done)
        want = {n: np.load(os.path.join(self.folder, f"{n}.0.npy")) for n in outs}
        for line in done.stdout.splitlines():
            number, stage = line.split()
            for n in outs:
                if wrong(n, np.load(os.path.join(self.folder, f"{n}.{number}.npy")), want[n]).any():
                    return "interpreted", f"{n} differs after {stage}"
        command = [self.ingot, "run", path, "--func", "main", "--target", TARGET, "--threads", "1"] + self.given + self.args
        for b in g.outputs:
            zeros = os.path.join(self.folder, b.name + ".zeros.npy")
            np.save(zeros, np.zeros(b.shape, b.dtype))
            command += ["--in", f"{b.name}={zeros}", "--out", f"{b.name}={os.path.join(self.folder, b.name + '.npy')}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return said(done)
        for n in outs:
            got = np.load(os.path.join(self.folder, n + ".npy"))
            bad = wrong(n, got, want[n])
            if bad.any():
                at = tuple(int(i) for i in np.argwhere(bad)[0])
                return "device", f"{n}{list(at)} is {got[at]} on the device, {want[n][at]} as written"
        return None

    def shrink(self, kind):
        """Makes the program smaller while it fails in the same way."""
        bodies = [self.g.body] + [f.body for f in self.g.functions]
        smaller = True
        while smaller:
            smaller = False
            for edit, undo in (pair for body in bodies for pair in edits(body)):
                edit()
                found = self.problem()
                if found is not None and found[0] == kind:
                    smaller = True
                    break
                undo()


def edits(body):
    """Pairs (do, undo) that make the program smaller in one place; big steps first."""
    for i in range(len(body) - 1, -1, -1):
        stmt = body[i]
        if not stmt.keep:
            yield (lambda i=i: body.pop(i)), (lambda i=i, s=stmt: body.insert(i, s))
        if stmt.body:
            if not stmt.keep:
                whole = list(body)

                def lift(i=i, s=stmt):
                    body[i:i + 1] = s.body

                yield lift, (lambda w=whole: body.__setitem__(slice(None), w))
            yield from edits(stmt.body)
    for stmt in body:
        yield from shorter(stmt.args)


def shorter(args):
    for i, e in enumerate(args):
        if not isinstance(e, Expr):
            continue
        for part in e.args:
            if isinstance(part, Expr) and part.dtype == e.dtype:
                yield (lambda i=i, p=part: args.__setitem__(i, p)), (lambda i=i, e=e: args.__setitem__(i, e))
        if e.args and e.dtype != "bool" and "tid" not in e.form:
            one = Expr(e.dtype, f"T.{e.dtype}(1)")
            yield (lambda i=i, o=one: args.__setitem__(i, o)), (lambda i=i, e=e: args.__setitem__(i, e))
        yield from shorter(e.args)


def check(job):
    """(seed, None or what to print) of one seed's program."""
    ingot, evaluate, seed, shrinks = job
    generator = Generator(seed)
    with tempfile.TemporaryDirectory() as folder:
        run = Check(ingot, evaluate, generator, folder)
        found = run.problem()
        if found is None:
            return seed, None
        if shrinks:
            run.shrink(found[0])
        kind, what = run.problem() or found
        return seed, f"FAIL seed {seed}: {kind}: {what}\n{generator.text()}arguments: {' '.join(run.args)}\n"


def jobs(options):
    end = time.monotonic() + options.minutes * 60
    seed = options.seed_start
    while time.monotonic() < end if options.minutes else seed < options.seed_start + options.count:
        yield options.ingot, options.evaluate, seed, not options.no_shrink
        seed += 1


def in_order(options):
    """The results, one process or several; jobs are taken as they are needed."""
    if options.jobs == 1:
        yield from map(check, jobs(options))
        return
    with multiprocessing.Pool(options.jobs) as pool:
        waiting = []
        for job in jobs(options):
            waiting.append(pool.apply_async(check, (job,)))
            while len(waiting) >= 2 * options.jobs:
                yield waiting.pop(0).get()
        for one in waiting:
            yield one.get()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].strip())
    parser.add_argument("ingot")
    parser.add_argument("evaluate")
    parser.add_argument("--seed-start", "--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--no-shrink", action="store_true")
    options = parser.parse_args()
    if options.print:
        for seed in range(options.seed_start, options.seed_start + options.count):
            print(Generator(seed).text())
        return 0
    done, failed = 0, []
    for seed, text in in_order(options):
        done += 1
        if text is not None:
            failed.append(seed)
            print(text, flush=True)
    seeds = " (seeds " + " ".join(map(str, failed)) + ")" if failed else ""
    print(f"{done} programs from seed {options.seed_start}, {len(failed)} failed{seeds}")
    return failed != []


if __name__ == "__main__":
    sys.exit(main())
