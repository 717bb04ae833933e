"""Random expressions of random_program.py: typed formats over what is in scope, and the statements and buffers that programs are
made of."""

import random

import numpy as np

INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float16"]
SMALL_FLOATS = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]
PLAIN = INTS + FLOATS
ANY = PLAIN + ["bool"]
STORAGE = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}
ATOMICS = ["add", "sub", "min", "max", "and", "or", "xor"]
BITS = {name: int("".join(c for c in name if c.isdigit())) for name in PLAIN}
FUNCTIONS = ["exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "erf", "atan", "log1p", "exp10",
             "sinh", "cosh", "asinh"]
DEPTH = 4


class Expr:
    """A typed expression: a format and its operands."""

    def __init__(self, dtype, form, *args):
        self.dtype, self.form, self.args = dtype, form, list(args)

    def __str__(self):
        return self.form.format(*self.args)


class Stmt:
    """A statement: a head line, the expressions in it, a body if it is a compound one; kept ones stay when the program shrinks."""

    def __init__(self, form, *args, body=None, keep=False):
        self.form, self.args, self.body, self.keep = form, list(args), body, keep

    def lines(self, indent):
        yield "    " * indent + self.form.format(*self.args)
        if self.body is not None:
            if not self.body:
                yield "    " * (indent + 1) + "T.evaluate(0)"
            for stmt in self.body:
                yield from stmt.lines(indent + 1)


class Buffer:
    """Memory with a name: `shape` in numbers, `dims` as they are written (numbers or names of dimensions)."""

    def __init__(self, name, dtype, shape, dims=None):
        self.name, self.dtype, self.shape, self.dims = name, dtype, shape, dims or [str(n) for n in shape]

    def parameter(self):
        dims = ", ".join(d if d.isdigit() else f'"{d}"' for d in self.dims)
        return f'{self.name}: T.Buffer(({dims},), "{self.dtype}")'

    sliced = False  # may be read as vectors: one dimension, in place, of known size

    @property
    def value_type(self):
        return "float32" if self.dtype in SMALL_FLOATS else self.dtype

    def read(self, place):
        return f'T.Cast("float32", {self.name}[{place}])' if self.dtype in SMALL_FLOATS else f"{self.name}[{place}]"

    def stored(self):
        return f'T.Cast("{self.dtype}", {{}})' if self.dtype in SMALL_FLOATS else "{}"


def limits(dtype):
    bits = BITS[dtype]
    return (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


class Expressions:
    """Expressions over what is in scope: `vars` (name, type, may be assigned), `places` (buffers that may be read)."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names, self.vars, self.places, self.helpers = 0, [], [], []
        self.on_host = False  # no memory, and not all functions

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

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

    def vector_of(self, dtype, lanes, depth):
        """A vector, from slices of memory where there is any of that type."""
        r, wide = self.r, f"{dtype}x{lanes}"
        places = [b for b in self.places if b.dtype == dtype and b.sliced and b.shape[0] >= lanes]
        kind = r.randrange(5)
        if places and (depth <= 0 or kind < 2):
            b = r.choice(places)
            base = self.index(b.shape[0] - lanes + 1, 1)
            if base.dtype == "int64":
                base = Expr("int32", 'T.Cast("int32", {})', base)
            if r.random() < 0.3:
                return Expr(wide, f"{b.name}[T.ramp({b.shape[0] - 1} - {{}}, -1, {lanes})]", base)
            return Expr(wide, f"{b.name}[T.ramp({{}}, 1, {lanes})]", base)
        if depth <= 0 or kind == 2:
            return Expr(wide, f"T.Broadcast({{}}, {lanes})", self.expr(dtype, 1))
        if kind == 3:
            source = r.choice(INTS if dtype in INTS else ["int8", "uint8", "int16"] + FLOATS)
            return Expr(wide, f'T.Cast("{wide}", {{}})', self.vector_of(source, lanes, depth - 1))
        form = r.choice(["({} + {})", "({} - {})", "({} * {})", "T.max({}, {})", "T.min({}, {})"])
        return Expr(wide, form, self.vector_of(dtype, lanes, depth - 1), self.vector_of(dtype, lanes, depth - 1))

    def index(self, size, depth):
        """Within [0, size); size is a number or the name of a dimension."""
        text, r = str(size), self.r
        if r.random() < 0.15:
            wide = text if not text.isdigit() else f"T.int64({text})"
            return Expr("int64", "({} %% %s)" % (wide if text.isdigit() else f'T.Cast("int64", {text})'), self.expr("int64", depth))
        if text.isdigit() and int(text) & (int(text) - 1) == 0 and r.random() < 0.5:
            return Expr("int32", "({} & %d)" % (int(text) - 1), self.expr("int32", depth))
        return Expr("int32", "({} %% %s)" % text, self.expr("int32", depth))

    def load(self, dtype, depth):
        places = [b for b in self.places if b.value_type == dtype]
        if not places or self.on_host:
            return None
        b = self.r.choice(places)
        if len(b.dims) == 1 and self.r.random() < 0.15:
            known = [v[0] for v in self.vars if v[1] == "int32"]
            if known:
                v = self.r.choice(known)
                text = "T.if_then_else(%s >= 0 and %s < %s, %s, {})" % (v, v, b.dims[0], b.read(v))
                return Expr(dtype, text, self.constant(dtype))
        return Expr(dtype, b.read(", ".join("{}" for _ in b.dims)), *[self.index(d, depth) for d in b.dims])

    def cond(self, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.6:
            if r.random() < 0.15:
                load = self.load("bool", depth - 1)
                return load if load and depth > 0 else self.leaf("bool")
            dtype = r.choice(PLAIN)
            if dtype in FLOATS and r.random() < 0.2 and not self.on_host:
                return Expr("bool", f"T.{r.choice(['isnan', 'isinf', 'isfinite'])}({{}})", self.expr(dtype, depth - 1))
            return Expr("bool", "({} " + r.choice(["<", "<=", ">", ">=", "==", "!="]) + " {})",
                        self.expr(dtype, depth - 1), self.expr(dtype, depth - 1))
        if r.random() < 0.3:
            return Expr("bool", "(not {})", self.cond(depth - 1))
        return Expr("bool", "({} " + r.choice(["and", "or"]) + " {})", self.cond(depth - 1), self.cond(depth - 1))

    def integer(self, dtype, depth):
        r, e = self.r, lambda: self.expr(dtype, depth - 1)
        kind = r.randrange(13)
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
        if kind == 11:
            if self.on_host or r.random() < 0.5:
                return self.call(dtype, depth)
            if r.random() < 0.3:
                other = dtype[1:] if dtype[0] == "u" else "u" + dtype
                return Expr(dtype, f'T.reinterpret("{dtype}", {{}})', self.expr(other, depth - 1))
            return self.cast(dtype, "int32", depth) if BITS[dtype] < 32 else Expr(dtype, f'T.Cast("{dtype}", T.{r.choice(["popcount", "clz"])}({{}}))', e())
        return self.choice(dtype, depth)

    def floating(self, dtype, depth):
        r, e = self.r, lambda: self.expr(dtype, depth - 1)
        kind = r.randrange(11)
        if kind < 4:
            return Expr(dtype, "({} " + r.choice("+-*") + " {})", e(), e())
        if kind == 4:
            return Expr(dtype, "({} / (T.fabs({}) + T.%s(1.0)))" % dtype, e(), e())
        if kind == 5 and r.random() < 0.3 and not self.on_host:
            return Expr(dtype, r.choice(["T.copysign({}, {})", "T.fmod({}, T.fabs({}) + T.%s(0.5))" % dtype, "T.nearbyint({} * {})"]), e(), e())
        if kind == 5:
            return Expr(dtype, r.choice(["T.floor({})", "T.ceil({})", "T.trunc({})", "T.fabs({})", "(-{})", "T.round({})"]), e())
        if kind == 6:
            return Expr(dtype, r.choice(["T.min({}, {})", "T.max({}, {})"]), e(), e())
        if kind == 7:
            return self.cast(dtype, r.choice(["int8", "int32", "uint8", "uint32", "bool"] + FLOATS), depth)
        if kind == 8:
            return self.call(dtype, depth)
        if kind == 9 and dtype == "float32" and not self.on_host:
            small = r.choice(SMALL_FLOATS)
            return Expr(dtype, 'T.Cast("float32", T.Cast("%s", {}))' % small, e())
        return self.choice(dtype, depth)

    def cast(self, dtype, source, depth):
        return Expr(dtype, f'T.Cast("{dtype}", {{}})', self.expr(source, depth - 1))

    def call(self, dtype, depth):
        """A helper function's value, or anything."""
        known = [h for h in self.helpers if h[1] == dtype]
        if not known:
            return self.choice(dtype, depth)
        name, _, takes = self.r.choice(known)
        form = f"Module.{name}(" + ", ".join("{}" for _ in takes) + ")"
        return Expr(dtype, form, *[self.expr(t, depth - 2) for t in takes])

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
