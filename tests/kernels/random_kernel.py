"""A random kernel in Metal's language, from a seed: what two engines must run alike.

Everything in it has one right result whatever the order of threads: each thread writes its own elements, atomic operations
commute and their results are dropped, threadgroup memory is written and read on two sides of a barrier that all reach. What the
language leaves undefined (division by zero, shifts too far, conversions out of range) stays in: the software device defines it.
Statements and expressions are trees, so that a failing kernel can be made smaller.
"""

import random

import numpy as np

INTS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
FLOATS = ["float", "half"]
SCALARS = INTS + FLOATS + ["bool"]
VECTORS = ["int2", "int3", "int4", "uint2", "uint4", "float2", "float3", "float4", "half2", "half4", "uchar4", "short2", "ushort4", "bool4"]
SMALL = ["int"] * 4 + ["uint"] * 3 + ["float"] * 4 + SCALARS + VECTORS
ARRAY = 8  # elements of a thread's array


def element(t):
    return t.rstrip("234")


def width(t):
    return int(t[-1]) if t[-1] in "234" else 1


def vector(e, n):
    return e if n == 1 else e + str(n)


class Expr:
    """`form` with {0}, {1} ... for the parts; `plain` is the smallest expression of the type."""

    def __init__(self, type_, form, parts=()):
        self.type, self.form, self.parts = type_, form, list(parts)

    def __str__(self):
        return self.form.format(*self.parts)

    def places(self):
        """(list, index) of every part below."""
        for i, p in enumerate(self.parts):
            yield self.parts, i
            yield from p.places()


class Statement:
    """`form` with {0} ... for expressions, and a body of statements: `form { ... } tail`. `body` None: no block."""

    def __init__(self, form, exprs=(), body=None, tail=""):
        self.form, self.exprs, self.body, self.tail = form, list(exprs), body, tail

    def lines(self, depth):
        pad = "    " * depth
        head = self.form.format(*self.exprs)
        if self.body is None:
            return [pad + head]
        inner = [line for s in self.body for line in s.lines(depth + 1)]
        return [pad + head + " {"] + inner + [pad + "}" + self.tail]

    def places(self):
        for i, e in enumerate(self.exprs):
            yield self.exprs, i
            yield from e.places()
        for s in self.body or []:
            yield from s.places()

    def bodies(self):
        if self.body is not None:
            yield self.body
            for s in self.body:
                yield from s.bodies()


class Scope:
    def __init__(self, outer=None):
        self.vars = dict(outer.vars) if outer else {}  # name: type
        self.fixed = set(outer.fixed) if outer else set()  # not to be assigned
        self.arrays = dict(outer.arrays) if outer else {}
        self.structs = dict(outer.structs) if outer else {}


FLOAT_UNARY = ["sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round", "fract", "sign", "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rsqrt",
               "saturate", "abs", "atan", "sinh"]
FLOAT_BINARY = ["fmin", "fmax", "min", "max", "fmod", "copysign", "step", "pow", "fdim", "atan2", "nextafter"]
ATOMICS = ["add", "or", "xor", "and", "min", "max"]
INT_UNARY = ["abs", "popcount", "clz", "ctz", "reverse_bits"]
INT_BINARY = ["min", "max", "addsat", "subsat", "absdiff", "mulhi", "hadd", "rhadd", "rotate"]


class Kernel:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed, self.count, self.functions = seed, 0, []
        r = self.rng
        self.threads = r.choice([(32,), (64,), (128,), (48,), (100,), (256,), (16, 4), (8, 8), (7, 3, 2), (1,), (33,), (32, 2), (5,), (16, 2, 2), (512,), (31, 3)])
        self.groups = r.choice([(1,), (2,), (3,), (2, 2), (1, 3)])
        self.uneven = r.random() < 0.2  # the grid in threads, the last groups smaller
        size = 1
        for n in self.threads + self.groups:
            size *= n
        self.size = size
        self.outs = [r.choice(["int", "uint", "float", "short", "uchar", "long", "half"]) for _ in range(2)] + [r.choice(["float4", "int2", "uint"])]
        self.most = r.choice([1, 2, 2, 3])  # how large it gets
        self.struct = [(f"m{i}", r.choice(SMALL)) for i in range(r.randint(1, 4))]
        self.shared = r.random() < 0.6
        self.simd = r.random() < 0.4 and not self.uneven
        for _ in range(r.randint(0, self.most)):
            self.functions.append(self.function())
        self.body = self.make_body()

    # ---- names and constants

    def name(self, what="v"):
        self.count += 1
        return f"{what}{self.count}"

    def literal(self, t):
        r, e = self.rng, element(t)
        if width(t) > 1:
            return Expr(t, t + "(" + ", ".join(str(self.literal(e)) for _ in range(width(t))) + ")")
        if e == "bool":
            return Expr(t, r.choice(["true", "false"]))
        if e in FLOATS:
            v = r.choice(["0.0", "1.0", "-1.0", "0.5", "3.25", "-7.5", "1e-3", "100.0", "1e-30", "2.0"]) if r.random() < 0.8 else "%.3f" % r.uniform(-50, 50)
            return Expr(t, f"{e}({v})")
        v = r.choice([0, 1, 2, 3, 5, 7, 8, 16, 31, 100, 255]) if r.random() < 0.85 else r.choice([127, 128, 32767, 65535, 2147483647])
        return Expr(t, f"{e}({'-' if r.random() < 0.25 and not e.startswith('u') else ''}{v})")

    # ---- expressions

    def leaf(self, t, scope):
        r = self.rng
        fits = [n for n, u in scope.vars.items() if u == t]
        fits += [f"{s}.{m}" for s, members in scope.structs.items() for m, u in members if u == t]
        if fits and r.random() < 0.8:
            return Expr(t, r.choice(fits))
        arrays = [n for n, u in scope.arrays.items() if u == t]
        if arrays and r.random() < 0.5:
            return Expr(t, r.choice(arrays) + "[{0} & " + str(ARRAY - 1) + "]", [self.leaf("int", scope)])
        if t == "int" and "tid" in scope.vars and r.random() < 0.3:
            return Expr(t, "a[({0} & 0x7fffffff) % " + str(self.size) + "]", [self.leaf("int", scope)])
        if t == "float" and "tid" in scope.vars and r.random() < 0.3:
            return Expr(t, "f[({0} & 0x7fffffff) % " + str(self.size) + "]", [self.leaf("int", scope)])
        wide = [n for n, u in scope.vars.items() if width(u) > 1 and element(u) == t]
        if wide and r.random() < 0.5:
            n = r.choice(wide)
            return Expr(t, n + "." + r.choice("xyzw"[:width(scope.vars[n])]))
        return self.literal(t)

    def expr(self, t, scope, depth=None):
        r = self.rng
        depth = r.randint(0, 4) if depth is None else depth
        if depth <= 0 or r.random() < 0.12:
            return self.leaf(t, scope)
        sub = lambda u: self.expr(u, scope, depth - 1 - (r.random() < 0.3))
        e, n = element(t), width(t)
        roll = r.random()
        if roll < 0.10:
            return Expr(t, "({0} ? {1} : {2})", [sub("bool"), sub(t), sub(t)])
        if roll < 0.22:  # a conversion
            u = vector(r.choice(SCALARS), n)
            return Expr(t, t + "({0})", [sub(u)])
        if roll < 0.26 and n > 1:
            return Expr(t, t + "(" + ", ".join("{%d}" % i for i in range(n)) + ")", [sub(e) for _ in range(n)])
        if roll < 0.30 and n > 1 and n != 3:
            return Expr(t, "{0}." + "".join(r.choice("xyzw"[:n]) for _ in range(n)), [self.leaf(t, scope)])
        fits = [f for f in self.functions if f.result == t and f.changes is None]
        if roll < 0.36 and fits:
            f = r.choice(fits)
            return Expr(t, f.name + "(" + ", ".join("{%d}" % i for i in range(len(f.params))) + ")", [sub(p) for _, p in f.params])
        if roll < 0.40 and n == 1 and e in ("int", "uint", "float"):
            return self.bits(t, scope, sub)
        if e == "bool":
            return self.condition(t, n, sub)
        return self.real(t, sub) if e in FLOATS else self.whole(t, e, sub)

    def bits(self, t, scope, sub):
        """Bits read as another type; those of a NaN are nobody's business."""
        if t == "float":
            return Expr(t, "as_type<float>(({0} & 0x3fffffff) | 0x20000000)", [sub("int")])
        return Expr(t, "as_type<" + t + ">(select({0}, 0.0f, isnan({0})))", [self.leaf("float", scope)])

    def condition(self, t, n, sub):
        r = self.rng
        if n > 1 or r.random() < 0.15:
            if r.random() < 0.5:
                return Expr(t, "!{0}", [sub(t)])
            u = vector(r.choice(INTS[:6] + FLOATS), n)
            return Expr(t, "({0} " + r.choice(["<", ">=", "==", "!="]) + " {1})", [sub(u), sub(u)])
        if r.random() < 0.3:
            return Expr(t, "({0} " + r.choice(["&&", "||", "&", "|", "^", "!="]) + " {1})", [sub(t), sub(t)])
        if r.random() < 0.1:
            return Expr(t, r.choice(["any", "all"]) + "({0})", [sub("bool4")])
        u = r.choice(INTS + FLOATS)
        return Expr(t, "({0} " + r.choice(["<", ">", "<=", ">=", "==", "!="]) + " {1})", [sub(u), sub(u)])

    def real(self, t, sub):
        r, roll = self.rng, self.rng.random()
        if roll < 0.5:
            return Expr(t, "({0} " + r.choice("++--**/") + " {1})", [sub(t), sub(t)])
        if roll < 0.58:
            return Expr(t, "(-{0})", [sub(t)])
        if roll < 0.76:
            return Expr(t, r.choice(FLOAT_UNARY) + "({0})", [sub(t)])
        if roll < 0.88:
            f = r.choice(FLOAT_BINARY)
            return Expr(t, ("fmin" if f == "nextafter" and element(t) == "half" else f) + "({0}, {1})", [sub(t), sub(t)])
        if width(t) > 1 and roll < 0.92:
            return Expr(t, t + "(dot({0}, {1}))", [sub(t), sub(t)])
        return Expr(t, r.choice(["fma", "clamp", "mix", "smoothstep"]) + "({0}, {1}, {2})", [sub(t), sub(t), sub(t)])

    def whole(self, t, e, sub):
        r, roll = self.rng, self.rng.random()
        back = "{0}" if e in ("int", "uint", "long", "ulong") else t + "({0})"
        make = lambda form, parts: Expr(t, back.replace("{0}", form), parts)
        if roll < 0.62:
            return make("({0} " + r.choice(["+", "+", "-", "-", "*", "*", "/", "%", "&", "|", "^", "<<", ">>"]) + " {1})", [sub(t), sub(t)])
        if roll < 0.70:
            return make("(" + r.choice("-~") + "{0})", [sub(t)])
        if roll < 0.80:
            return Expr(t, t + "(" + r.choice(INT_UNARY) + "({0}))", [sub(t)])
        if roll < 0.92:
            return Expr(t, t + "(" + r.choice(INT_BINARY) + "({0}, {1}))", [sub(t), sub(t)])
        if roll < 0.96:
            return Expr(t, "select({0}, {1}, {2})", [sub(t), sub(t), sub(vector("bool", width(t)))]) if width(t) in (1, 4) else sub(t)
        return Expr(t, "clamp({0}, {1}, {2})", [sub(t), sub(t), sub(t)])

    # ---- statements

    def declare(self, scope):
        r, t = self.rng, self.rng.choice(SMALL)
        roll, n = r.random(), self.name()
        if roll < 0.12:
            one = [Statement(f"thread {t} {n}[{ARRAY}];"),
                   Statement(f"for (int i = 0; i < {ARRAY}; ++i) {n}[i] = {{0}};", [self.expr(t, self.with_counter(scope), 2)])]
            scope.arrays[n] = t
            return one
        if roll < 0.22:
            members = ", ".join("{%d}" % i for i in range(len(self.struct)))
            one = Statement(f"S {n} = {{{{{members}}}}};", [self.expr(u, scope, 2) for _, u in self.struct])
            scope.structs[n] = self.struct
            return [one]
        one = Statement(f"{t} {n} = {{0}};", [self.expr(t, scope)])
        scope.vars[n] = t
        return [one]

    def with_counter(self, scope):
        inner = Scope(scope)
        inner.vars["i"] = "int"
        inner.fixed.add("i")
        return inner

    def call(self, scope):
        """A function that changes a variable of the caller's: a statement, since the order within an expression is nobody's."""
        r = self.rng
        f = r.choice([f for f in self.functions if f.changes])
        places = [n for n, t in scope.vars.items() if t == f.changes and n not in scope.fixed]
        places += [n + "[{%d} & " % len(f.params) + str(ARRAY - 1) + "]" for n, t in scope.arrays.items() if t == f.changes]
        if not places:
            return self.declare(scope)
        place, n = r.choice(places), self.name()
        args = [self.expr(p, scope, 2) for _, p in f.params] + ([self.expr("int", scope, 1)] if "[" in (place) else [])
        form = ", ".join(["{%d}" % i for i in range(len(f.params))] + [place])
        one = Statement(f"{f.result} {n} = {f.name}({form});", args)
        scope.vars[n] = f.result
        return [one]

    def assign(self, scope):
        r = self.rng
        targets = [(n, t) for n, t in scope.vars.items() if n not in scope.fixed]
        targets += [(f"{s}.{m}", t) for s, members in scope.structs.items() for m, t in members]
        if scope.arrays and r.random() < 0.3:
            n = r.choice(list(scope.arrays))
            return [Statement(n + "[{1} & " + str(ARRAY - 1) + "] = {0};", [self.expr(scope.arrays[n], scope), self.expr("int", scope, 2)])]
        if not targets:
            return self.declare(scope)
        n, t = r.choice(targets)
        if width(t) > 1 and r.random() < 0.4:
            return [Statement(n + "." + r.choice("xyzw"[:width(t)]) + " = {0};", [self.expr(element(t), scope)])]
        e = element(t)
        ops = ["=", "="] + ([] if e == "bool" else ["+=", "-=", "*="]) + (["^=", "|=", "&="] if e in INTS else [])
        return [Statement(f"{n} {r.choice(ops)} {{0}};", [self.expr(t, scope)])]

    def block(self, scope, depth, in_loop, results=None):
        inner = Scope(scope)
        out = []
        for _ in range(self.rng.randint(1, 1 + self.most)):
            out += self.statement(inner, depth, in_loop, results)
        return out

    def loop(self, scope, depth, results):
        """One that ends: a counter of its own that nothing else assigns."""
        r, c = self.rng, self.name("i")
        inner = Scope(scope)
        inner.vars[c] = "int"
        inner.fixed.add(c)
        bound = r.choice(["{0} & 7", "{0} & 3", str(r.randint(1, 9))] + (["int(n) & 15"] if "n" in scope.vars else []))
        kind = r.random()
        extra = [self.expr("int", scope, 2)] if "{0}" in bound else []
        if kind < 0.5:
            step = r.choice(["++" + c, f"{c} += 2", f"{c} += 3"])
            return [Statement(f"for (int {c} = 0; {c} < ({bound}); {step})", extra, self.block(inner, depth - 1, True, results))]
        if kind < 0.65:
            return [Statement(f"for (int {c} = {bound}; {c} > 0; {c} >>= 1)", extra, self.block(inner, depth - 1, True, results))]
        head = Statement(f"int {c} = {bound};", extra)
        scope.vars[c] = "int"
        scope.fixed.add(c)
        if kind < 0.85:
            return [head, Statement(f"while ({c}-- > 0 && {{0}})", [self.expr("bool", inner, 2)], self.block(inner, depth - 1, True, results))]
        return [head, Statement("do", [], self.block(inner, depth - 1, True, results), f" while (--{c} > 0);")]

    def choose(self, scope, depth, in_loop, results):
        cases = []
        for v in sorted(self.rng.sample(range(8), self.rng.randint(1, 4))) + ["default"]:
            body = self.block(scope, depth - 1, False, results)
            if self.rng.random() < 0.75:
                body.append(Statement("break;"))
            cases.append(Statement("default:" if v == "default" else f"case {v}:", [], body))
        return [Statement("switch ({0} & 7)", [self.expr("int", scope, 3)], cases)]

    def statement(self, scope, depth, in_loop, results):
        r, roll = self.rng, self.rng.random()
        if depth > 0 and roll < 0.16:
            out = [Statement("if ({0})", [self.expr("bool", scope, 3)], self.block(scope, depth - 1, in_loop, results))]
            if r.random() < 0.5:
                out.append(Statement("else", [], self.block(scope, depth - 1, in_loop, results)))
            return out
        if depth > 0 and roll < 0.26:
            return self.loop(scope, depth, results)
        if depth > 0 and roll < 0.31:
            return self.choose(scope, depth, in_loop, results)
        if in_loop and roll < 0.36:
            return [Statement("if ({0}) " + r.choice(["break;", "continue;"]), [self.expr("bool", scope, 2)])]
        if results and roll < 0.40:
            return [Statement("if ({0}) return" + (" {1};" if results != "void" else ";"),
                              [self.expr("bool", scope, 2)] + ([self.expr(results, scope, 2)] if results != "void" else []))]
        if roll < 0.44 and "tid" in scope.vars:
            k = r.randrange(len(ATOMICS))  # each operation has elements of its own: two kinds do not commute
            return [Statement(f"atomic_fetch_{ATOMICS[k]}_explicit(&u[{8 * k} + ({{0}} & 7)], {{1}}, memory_order_relaxed);", [self.expr("int", scope, 2), self.expr("int", scope, 2)])]
        if roll < 0.5 and "tid" in scope.vars:
            k = r.randrange(3)
            return [Statement(f"o{k}[tid] = {{0}};", [self.expr(self.outs[k], scope)])]
        if roll < 0.55 and any(f.changes for f in self.functions):
            return self.call(scope)
        return self.declare(scope) if roll < 0.72 else self.assign(scope)

    def function(self):
        f = Function()
        r = self.rng
        f.name, f.result = self.name("g"), r.choice(["int", "float", "uint", "bool", "float4", "short", "half", "long", "int2"])
        f.params = [(self.name("p"), r.choice(SMALL)) for _ in range(r.randint(1, 3))]
        f.changes = r.choice(SMALL) if r.random() < 0.3 else None  # a variable of the caller's, by reference
        scope = Scope()
        scope.vars.update({n: t for n, t in f.params})
        if f.changes:
            scope.vars["r"] = f.changes
        f.body = []
        saved, self.functions = self.functions, list(self.functions)
        for _ in range(r.randint(1, 4)):
            f.body += self.statement(scope, 2, False, f.result)
        f.body.append(Statement("return {0};", [self.expr(f.result, scope)]))
        self.functions = saved
        return f

    def exchange(self, scope):
        """Through threadgroup memory: all write their own element, all read others'."""
        r, t = self.rng, self.rng.choice(["int", "float"])
        s, n = ("si" if t == "int" else "sf"), self.name()
        total = 1
        for d in self.threads:
            total *= d
        out = [Statement(s + "[lid] = {0};", [self.expr(t, scope)]), Statement("threadgroup_barrier(mem_flags::mem_threadgroup);"),
               Statement(f"{t} {n} = {s}[(({{0}}) & 0x7fffffff) % {total}];", [self.expr("int", scope, 2)])]
        if r.random() < 0.4:
            c = self.name("i")
            out.append(Statement(f"for (int {c} = 0; {c} < {total}; {c} += {r.randint(1, 5)}) {n} = {n} + {s}[{c}];"))
        out.append(Statement("threadgroup_barrier(mem_flags::mem_threadgroup);"))
        scope.vars[n] = t
        return out

    def across(self, scope):
        r, t = self.rng, self.rng.choice(["int", "uint", "float"])
        n = self.name()
        form = r.choice(["simd_sum({0})", "simd_max({0})", "simd_min({0})", "simd_shuffle({0}, ushort(lid * 7u % 32u))", "simd_shuffle_xor({0}, ushort(5))",
                         "simd_shuffle_down({0}, ushort(3))", "simd_prefix_exclusive_sum({0})", "simd_broadcast({0}, ushort(2))", "simd_broadcast_first({0})",
                         "simd_prefix_inclusive_sum({0})", f"{t}(simd_any({{0}} > {t}(3)))", f"{t}(simd_all({{0}} < {t}(100)))", "simd_product({0})", "quad_broadcast_first({0})"])
        if "shuffle" in form or "broadcast(" in form:  # what a lane that is not there has, nobody knows
            total = 1
            for d in self.threads:
                total *= d
            if total % 32 != 0:
                form = "simd_sum({0})"
            elif "down" in form:
                form = "select({0}, simd_shuffle_down({0}, ushort(3)), lane < 29)"
        if "shuffle" in form or "broadcast" in form or r.random() < 0.7:
            out = [Statement(f"{t} {n} = {form};", [self.leaf(t, scope)])]
        else:  # of those lanes that come here
            out = [Statement(f"{t} {n} = {t}(0);"), Statement("if ({0})", [self.expr("bool", scope, 2)], [Statement(f"{n} = {form};", [self.leaf(t, scope)])])]
        scope.vars[n] = t
        return out

    def level(self, scope, depth):
        """What all threads do together: it may hold barriers."""
        r, out = self.rng, []
        for _ in range(r.randint(1, 2 + self.most)):
            roll = r.random()
            if self.shared and roll < 0.25:
                out += self.exchange(scope)
            elif self.simd and roll < 0.40:
                out += self.across(scope)
            elif depth > 0 and roll < 0.52:
                c, inner = self.name("i"), Scope(scope)
                inner.vars[c] = "int"
                inner.fixed.add(c)
                bound = r.choice([str(r.randint(1, 4)), "(int(n) & 3)", "(a[0] & 3)"])
                out.append(Statement(f"for (int {c} = 0; {c} < {bound}; ++{c})", [], self.level(inner, depth - 1)))
            elif depth > 0 and roll < 0.58:
                out.append(Statement(r.choice(["if (n > 3)", "if ((a[1] & 1) == 0)", "if (group.x == 0)"]), [], self.level(Scope(scope), depth - 1)))
            else:
                out += self.statement(scope, self.most, False, None)
        return out

    def make_body(self):
        scope = Scope()
        for n, t in (("tid", "uint"), ("lid", "uint"), ("n", "uint"), ("x", "int"), ("y", "float"), ("lane", "uint")):
            scope.vars[n] = t
            scope.fixed.add(n)
        out = self.level(scope, 2)
        for _ in range(self.rng.randint(0, 1 + self.most)):
            out += self.statement(scope, self.most, False, "void")
        for k, t in enumerate(self.outs):
            out.append(Statement(f"o{k}[tid] = {{0}};", [self.expr(t, scope)]))
        return out

    # ---- out

    def text(self):
        members = " ".join(f"{t} {n};" for n, t in self.struct)
        lines = ["#include <metal_stdlib>", "using namespace metal;", f"struct S {{ {members} }};"]
        for f in self.functions:
            lines.append(f"{f.result} {f.name}(" + ", ".join([f"{t} {n}" for n, t in f.params] + ([f"thread {f.changes} &r"] if f.changes else [])) + ") {")
            lines += [line for s in f.body for line in s.lines(1)] + ["}"]
        total = 1
        for d in self.threads:
            total *= d
        outs = ", ".join(f"device {t} *o{k} [[buffer({3 + k})]]" for k, t in enumerate(self.outs))
        lines += [f"kernel void k(device const int *a [[buffer(0)]], device const float *f [[buffer(1)]], device atomic_int *u [[buffer(2)]], {outs},",
                  "              constant uint &n [[buffer(6)]], uint3 position [[thread_position_in_grid]], uint3 grid [[threads_per_grid]],",
                  "              uint lid [[thread_index_in_threadgroup]], uint3 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {"]
        if self.shared:
            lines += [f"    threadgroup int si[{total}];", f"    threadgroup float sf[{total}];"]
        lines += ["    uint tid = (position.z * grid.y + position.y) * grid.x + position.x;", "    int x = a[tid];", "    float y = f[tid];"]
        return "\n".join(lines + [line for s in self.body for line in s.lines(1)] + ["}", ""])

    def arrays(self):
        """By buffer: what is given. Six, the size, is a number in the command."""
        g = np.random.default_rng(self.seed)
        whole = g.integers(-50, 50, self.size, dtype=np.int32)
        odd = np.array([0, -1, 1, -2147483648, 2147483647, 255, 65536], dtype=np.int32)
        whole[::5] = g.choice(odd, len(whole[::5]))
        real = g.uniform(-4, 4, self.size).astype(np.float32)
        real[::7] = g.choice(np.array([0, -0.0, 1, np.inf, -np.inf, np.nan, 1e-40, 3e38], dtype=np.float32), len(real[::7]))
        sizes = {"int": "int32", "uint": "uint32", "float": "float32", "short": "int16", "uchar": "uint8", "long": "int64", "half": "float16"}
        outs = [np.zeros(self.size * width(t), dtype=sizes[element(t)]) for t in self.outs]
        return [whole, real, np.zeros(8 * len(ATOMICS), dtype=np.int32)] + outs

    def launch(self):
        pad = lambda d: list(d) + [1] * (3 - len(d))
        threads, groups = pad(self.threads), pad(self.groups)
        comma = lambda d: ",".join(map(str, d))
        if not self.uneven:
            return ["--grid", comma(groups), "--threads", comma(threads)]
        grid = [max(1, g * t - (t // 3 if i == 0 else 0)) for i, (g, t) in enumerate(zip(groups, threads))]
        return ["--dispatch-threads", "--grid", comma(grid), "--threads", comma(threads)]


class Function:
    pass
