"""Random programs against three witnesses: the interpreter before lowering, the interpreter after every pass, and the
emitted MSL on the software device. All three must agree; a refusal or a crash is a failure too.

A seed always gives the same program. A failing program is made smaller, by leaving out statements and by putting
parts of expressions in place of the whole, and printed.

usage: generate.py INGOT EVALUATE [--seed N] [--count N] [--seconds N] [--print]
"""

import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float16"]
BITS = {name: int("".join(c for c in name if c.isdigit())) for name in INTS + FLOATS}
DEPTH = 4


class Expr:
    """A typed expression: a format and its operands."""

    def __init__(self, dtype, form, *args):
        self.dtype, self.form, self.args = dtype, form, list(args)

    def __str__(self):
        return self.form.format(*self.args)


class Stmt:
    """A statement: a head line, the expressions in it, and a body if it is a compound one."""

    def __init__(self, form, *args, body=None):
        self.form, self.args, self.body = form, list(args), body

    def lines(self, indent):
        yield "    " * indent + self.form.format(*self.args)
        if self.body is not None:
            if not self.body:
                yield "    " * (indent + 1) + "T.evaluate(0)"
            for stmt in self.body:
                yield from stmt.lines(indent + 1)


def limits(dtype):
    bits = BITS[dtype]
    return (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


class Generator:
    """One program, from one seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        r = self.r
        self.grid = r.choice([1, 1, 2, 3])
        self.axes = [("x", r.choice([1, 3, 8, 32, 37]))] + ([("y", r.choice([1, 2, 3]))] if r.random() < 0.4 else [])
        if len(self.axes) == 2 and r.random() < 0.3:
            self.axes.append(("z", 2))
        self.threads = int(np.prod([n for _, n in self.axes]))
        self.slots = r.choice([4, 8])
        self.inputs = [(f"A{i}", r.choice(INTS + FLOATS), r.choice([7, 16, 64])) for i in range(r.randint(1, 3))]
        self.outputs = [(f"B{i}", r.choice(INTS + FLOATS)) for i in range(r.randint(1, 2))]
        self.scalars = [(f"p{i}", r.choice(INTS + FLOATS)) for i in range(r.randint(0, 2))]
        self.shared = [(f"S{i}", r.choice(INTS + FLOATS)) for i in range(r.randint(0, 2))]
        self.locals = [(f"L{i}", r.choice(INTS + FLOATS), r.choice([2, 5])) for i in range(r.randint(0, 2))]
        self.names = 0
        self.vars = []  # (name, dtype, may be assigned)
        self.divergent = 0
        self.readable = [name for name, _ in self.shared]
        self.body = self.program()

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    # ---- Expressions

    def constant(self, dtype):
        if dtype == "bool":
            return Expr("bool", self.r.choice(["T.bool(True)", "T.bool(False)"]))
        if dtype in FLOATS:
            value = self.r.choice([0.0, 1.0, -1.0, 0.5, 3.0, -2.25, 100.0, 0.125])
        else:
            low, high = limits(dtype)
            value = self.r.choice([0, 1, 2, 3, 5, 7, 8, 16, 31, 100, -1, -2, -7, low, high, high // 2])
            value = min(max(value, low), high)
        return Expr(dtype, f"T.{dtype}({value})")

    def leaf(self, dtype):
        known = [v for v in self.vars if v[1] == dtype]
        if known and self.r.random() < 0.7:
            return Expr(dtype, self.r.choice(known)[0])
        return self.constant(dtype)

    def index(self, size, depth):
        if size & (size - 1) == 0 and self.r.random() < 0.5:
            return Expr("int32", "({} & %d)" % (size - 1), self.expr("int32", depth))
        return Expr("int32", "({} %% %d)" % size, self.expr("int32", depth))

    def load(self, dtype, depth):
        places = [(n, size) for n, t, size in self.inputs + self.locals if t == dtype]
        places += [(n, self.threads) for n, t in self.shared if t == dtype and n in self.readable]
        if not places:
            return None
        name, size = self.r.choice(places)
        return Expr(dtype, name + "[{}]", self.index(size, depth))

    def cond(self, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.6:
            dtype = r.choice(INTS + FLOATS)
            return Expr("bool", "({} " + r.choice(["<", "<=", ">", ">=", "==", "!="]) + " {})",
                        self.expr(dtype, depth - 1), self.expr(dtype, depth - 1))
        if r.random() < 0.3:
            return Expr("bool", "(not {})", self.cond(depth - 1))
        return Expr("bool", "({} " + r.choice(["and", "or"]) + " {})", self.cond(depth - 1), self.cond(depth - 1))

    def integer(self, dtype, depth):
        r, e = self.r, lambda: self.expr(dtype, depth - 1)
        kind = r.randrange(12)
        if kind < 4:
            return Expr(dtype, "({} " + r.choice("+-*") + " {})", e(), e())
        if kind < 6:
            low, high = limits(dtype)
            by = r.choice([1, 2, 3, 4, 7, 8, 16, 100, high] + ([-1, -2, -3, -8, low] if low else []))
            divisor = Expr(dtype, f"T.{dtype}({by})")
            if r.random() < 0.3:
                divisor = Expr(dtype, "T.max({}, T.%s(1))" % dtype, e())
            form = r.choice(["({} // {})", "({} % {})", "T.truncdiv({}, {})", "T.truncmod({}, {})"])
            return Expr(dtype, form, e(), divisor)
        if kind == 6:
            by = Expr(dtype, f"T.{dtype}({r.randrange(BITS[dtype])})")
            if r.random() < 0.4:
                by = Expr(dtype, "({} & T.%s(%d))" % (dtype, BITS[dtype] - 1), e())
            return Expr(dtype, "({} " + r.choice(["<<", ">>"]) + " {})", e(), by)
        if kind == 7:
            return Expr(dtype, "({} " + r.choice("&|^") + " {})", e(), e())
        if kind == 8:
            return Expr(dtype, r.choice(["(-{})", "(~{})", "T.abs({})"] if dtype[0] != "u" else ["(-{})", "(~{})"]), e())
        if kind == 9:
            return Expr(dtype, r.choice(["T.min({}, {})", "T.max({}, {})"]), e(), e())
        if kind == 10:
            return self.cast(dtype, r.choice(INTS + ["bool"]), depth)
        return self.choice(dtype, depth)

    def floating(self, dtype, depth):
        r, e = self.r, lambda: self.expr(dtype, depth - 1)
        kind = r.randrange(10)
        if kind < 4:
            return Expr(dtype, "({} " + r.choice("+-*") + " {})", e(), e())
        if kind == 4:
            return Expr(dtype, "({} / (T.fabs({}) + T.%s(1.0)))" % dtype, e(), e())
        if kind == 5:
            return Expr(dtype, r.choice(["T.floor({})", "T.ceil({})", "T.trunc({})", "T.fabs({})", "(-{})"]), e())
        if kind == 6:
            return Expr(dtype, r.choice(["T.min({}, {})", "T.max({}, {})"]), e(), e())
        if kind == 7:
            return self.cast(dtype, r.choice(["int8", "int32", "uint8", "uint32", "bool"] + FLOATS), depth)
        return self.choice(dtype, depth)

    def cast(self, dtype, source, depth):
        return Expr(dtype, f'T.Cast("{dtype}", {{}})', self.expr(source, depth - 1))

    def choice(self, dtype, depth):
        form = self.r.choice(["T.Select({}, {}, {})", "T.if_then_else({}, {}, {})"])
        return Expr(dtype, form, self.cond(depth - 1), self.expr(dtype, depth - 1), self.expr(dtype, depth - 1))

    def expr(self, dtype, depth=DEPTH):
        if dtype == "bool":
            return self.cond(depth)
        if depth <= 0 or self.r.random() < 0.15:
            return self.leaf(dtype)
        if self.r.random() < 0.25:
            load = self.load(dtype, depth - 2)
            if load:
                return load
        return self.floating(dtype, depth) if dtype in FLOATS else self.integer(dtype, depth)

    # ---- Statements

    def store(self):
        name, dtype = self.r.choice(self.outputs)
        slot = Expr("int32", f"(g * {self.threads} + tid) * {self.slots} + {{}}", self.index(self.slots, 2))
        return Stmt(name + "[{}] = {}", slot, self.expr(dtype))

    def vector(self):
        """A vectorized loop over the slots, or some of them."""
        name, dtype = self.r.choice(self.outputs)
        lanes, v = self.r.choice([2, 3, 4, self.slots]), self.name("v")
        lanes = min(lanes, self.slots)
        begin = self.r.randint(0, self.slots - lanes)
        self.vars.append((v, "int32", False))
        body = Stmt(f"{name}[(g * {self.threads} + tid) * {self.slots} + {begin} + {v}] = {{}}", self.expr(dtype, 3))
        self.vars.pop()
        return Stmt(f"for {v} in T.vectorized({lanes}):", body=[body])

    def scope(self, count, depth):
        """Statements whose names end with them."""
        known = len(self.vars)
        body = [s for _ in range(count) for s in self.statement(depth)]
        del self.vars[known:]
        return body

    def loop(self, depth):
        r, i = self.r, self.name("i")
        kind, high = r.choice(["serial", "unroll", "varying"]), r.randint(0, 4)
        self.vars.append((i, "int32", False))
        if kind == "varying":
            self.vars.pop()
            bound = self.index(4, 2)
            self.vars.append((i, "int32", False))
            self.divergent += 1
            body = self.scope(2, depth - 1)
            self.divergent -= 1
            self.vars.pop()
            return Stmt(f"for {i} in range({{}}):", bound, body=body)
        low = r.randint(-1, 2)
        body = self.scope(2, depth - 1)
        self.vars.pop()
        call = "T.unroll" if kind == "unroll" else "range"
        return Stmt(f"for {i} in {call}({low}, {low + high}):", body=body)

    def while_loop(self, depth):
        w = self.name("w")
        first = Stmt(f"{w}: T.int32 = {{}}", self.index(4, 2))
        self.divergent += 1
        body = self.scope(2, depth - 1)
        self.divergent -= 1
        return [first, Stmt(f"while {w} > 0:", body=body + [Stmt(f"{w} = {w} - 1")])]

    def branch(self, depth):
        self.divergent += 1
        body = [Stmt("if {}:", self.cond(3), body=self.scope(2, depth - 1))]
        if self.r.random() < 0.4:
            body.append(Stmt("else:", body=self.scope(2, depth - 1)))
        self.divergent -= 1
        return body

    def share(self):
        """Each thread's own element of threadgroup memory, from what it does not read there."""
        name, dtype = self.r.choice(self.shared)
        known, self.readable = self.readable, []
        stmt = Stmt(name + "[tid] = {}", self.expr(dtype))
        self.readable = known
        return stmt

    def statement(self, depth):
        r = self.r
        kind = r.randrange(12)
        if kind < 3:
            return [self.store()]
        if kind < 5:
            dtype, v = r.choice(INTS + FLOATS), self.name("v")
            stmt = Stmt(f"{v}: T.{'let' if r.random() < 0.4 else dtype} = {{}}", self.expr(dtype))
            self.vars.append((v, dtype, "let" not in stmt.form))
            return [stmt]
        mutable = [v for v in self.vars if v[2]]
        if kind == 5 and mutable:
            v = r.choice(mutable)
            return [Stmt(v[0] + " = {}", self.expr(v[1]))]
        if kind == 6 and self.locals:
            name, dtype, size = r.choice(self.locals)
            return [Stmt(name + "[{}] = {}", self.index(size, 2), self.expr(dtype))]
        if kind == 7 and self.shared and not self.divergent:
            return [self.share()]
        if kind == 8:
            return [self.vector()]
        if depth > 0 and kind == 9:
            return [self.loop(depth)]
        if depth > 0 and kind == 10:
            return self.branch(depth)
        if depth > 0 and kind == 11 and r.random() < 0.5:
            return self.while_loop(depth)
        return [self.store()]

    def program(self):
        self.vars = [("tid", "int32", False), ("g", "int32", False)] + [(n, t, False) for n, t in self.scalars]
        self.vars += [(axis, "int32", False) for axis, _ in self.axes]
        return self.scope(self.r.randint(3, 8), 2)

    # ---- Text

    def text(self, body):
        size = self.grid * self.threads * self.slots
        params = [f'{n}: T.Buffer(({s},), "{t}")' for n, t, s in self.inputs]
        params += [f'{n}: T.Buffer(({size},), "{t}")' for n, t in self.outputs] + [f"{n}: T.{t}" for n, t in self.scalars]
        lines = ["from tvm.script import tirx as T", "", "", "@T.prim_func", "def main(" + ", ".join(params) + "):"]
        lines.append(f'    for g in T.thread_binding({self.grid}, thread="blockIdx.x"):')
        for name, dtype in self.shared:
            lines.append(f'        {name} = T.alloc_buffer(({self.threads},), "{dtype}", scope="shared")')
        indent, tid, step = 2, [], 1
        for axis, extent in self.axes:
            tid.append(f"{axis} * {step}")
            step *= extent
        for axis, extent in reversed(self.axes):
            lines.append("    " * indent + f'for {axis} in T.thread_binding({extent}, thread="threadIdx.{axis}"):')
            indent += 1
        lines.append("    " * indent + "tid: T.let = " + " + ".join(tid))
        # All memory holds something, whatever is left out of the body.
        for name, dtype, size in self.locals:
            lines.append("    " * indent + f'{name} = T.alloc_buffer(({size},), "{dtype}", scope="local")')
            lines += Stmt(f"for f in range({size}):", body=[Stmt(f'{name}[f] = T.Cast("{dtype}", f + 3)')]).lines(indent)
        for name, dtype in self.shared:
            lines.append("    " * indent + f'{name}[tid] = T.Cast("{dtype}", tid)')
        for stmt in body:
            lines += stmt.lines(indent)
        return "\n".join(lines) + "\n"

    def arrays(self):
        rng = np.random.default_rng(self.r.randrange(2**32))
        for name, dtype, size in self.inputs:
            if dtype in FLOATS:
                yield name, rng.uniform(-8, 8, size).astype(dtype)
            else:
                low, high = limits(dtype)
                yield name, np.where(rng.random(size) < 0.5, rng.integers(low, high, size, dtype=dtype, endpoint=True),
                                     rng.integers(0, 9, size).astype(dtype)).astype(dtype)

    def values(self):
        for name, dtype in self.scalars:
            low, high = (-9, 9) if dtype in FLOATS else limits(dtype)
            yield name, self.r.randint(max(low, -(2**53)), min(high, 2**53))


def same(a, b):
    """Bit for bit, but a NaN is a NaN and the zeros are one."""
    equal = a == b
    if a.dtype.kind == "f":
        equal |= np.isnan(a) & np.isnan(b)
    return equal.all()


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

    def problem(self, body):
        """None, or (kind, what is wrong)."""
        path, g = os.path.join(self.folder, "program.py"), self.g
        size = g.grid * g.threads * g.slots
        with open(path, "w") as f:
            f.write(g.text(body))
        outs = [n for n, _ in g.outputs]
        command = [self.evaluate, path, "--folder", self.folder] + self.given + self.args
        command += [w for n in outs for w in ("--out", n, "--zeros", f"{n}={size}")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            return said(done)
        want = {n: np.load(os.path.join(self.folder, f"{n}.0.npy")) for n in outs}
        for line in done.stdout.splitlines():
            number, stage = line.split()
            for n in outs:
                if not same(np.load(os.path.join(self.folder, f"{n}.{number}.npy")), want[n]):
                    return "interpreted", f"{n} differs after {stage}"
        command = [self.ingot, "run", path] + self.given + self.args
        for n in outs:
            command += ["--in", f"{n}=zeros", "--out", f"{n}={os.path.join(self.folder, n + '.npy')}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            return said(done)
        for n in outs:
            got = np.load(os.path.join(self.folder, n + ".npy"))
            if not same(got, want[n]):
                at = int(np.flatnonzero(~((got == want[n]) | ((got != got) & (want[n] != want[n]))))[0])
                return "device", f"{n}[{at}] is {got[at]} on the device, {want[n][at]} as written"
        return None

    def shrink(self, body, kind):
        """A smaller body that fails in the same way."""

        def fails(candidate):
            found = self.problem(candidate)
            return found is not None and found[0] == kind

        smaller = True
        while smaller:
            smaller = False
            for edit, undo in edits(body):
                edit()
                if fails(body):
                    smaller = True
                    break
                undo()
        return body


def edits(body):
    """Pairs (do, undo) that make the program smaller in one place; big steps first."""
    for i in range(len(body) - 1, -1, -1):
        stmt = body[i]
        yield (lambda i=i: body.pop(i)), (lambda i=i, s=stmt: body.insert(i, s))
        if stmt.body:
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


def check(ingot, evaluate, seed, show):
    generator = Generator(seed)
    if show:
        print(generator.text(generator.body))
    with tempfile.TemporaryDirectory() as folder:
        run = Check(ingot, evaluate, generator, folder)
        found = run.problem(generator.body)
        if found is None:
            return True
        body = run.shrink(generator.body, found[0])
        kind, what = run.problem(body)
        print(f"FAIL seed {seed}: {kind}: {what}\n{generator.text(body)}arguments: {' '.join(run.args)}", flush=True)
        return False


def main():
    ingot, evaluate, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    options = {"--seed": 1, "--count": 30, "--seconds": 0}
    while rest and rest[0] in options:
        options[rest[0]], rest = int(rest[1]), rest[2:]
    seed, end, failed, done = options["--seed"], time.monotonic() + options["--seconds"], 0, 0
    while time.monotonic() < end if options["--seconds"] else done < options["--count"]:
        failed += not check(ingot, evaluate, seed + done, "--print" in rest)
        done += 1
    print(f"{done} programs, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
