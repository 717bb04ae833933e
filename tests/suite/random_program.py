"""Random tensor programs for generate.py: one seed, one program, as a tree of statements that can be made smaller.

A program is a function with one to three kernels and host code between them. What it may hold: buffers of one and two
dimensions, with constant and symbolic shapes, scalars of every type, local and threadgroup memory (also bfloat16 and
float8), blocks with init, reduction and where, reductions over threads, loops of all kinds with break and continue,
while, branches, explicit barriers, helper functions, int64 indices, guarded reads; vectors of 2, 3, 4 and 8 lanes read and
stored as slices; inputs seen as bfloat16 and float8, with strides and offsets, through a block's views; atomic operations whose
order does not matter; assertions that hold; virtual threads, threads that end early, tiles of threadgroup memory (also sized at the
launch), blocks with memory of their own, shuffles and votes, reductions over some axes and of pairs. All memory holds something before it
is read; the index of an access is within its buffer; loops end. Exact arithmetic goes to buffers named B..., R..., and
what comes from a transcendental function, which two witnesses need not round alike, to buffers named F... that nothing
reads.
"""

import numpy as np

from random_expressions import ANY, ATOMICS, DEPTH, FLOATS, FUNCTIONS, INTS, PLAIN, SMALL_FLOATS, STORAGE, Buffer, Expr, Expressions, Stmt, limits
from random_threads import Threads


class Kernel:
    """What one kernel is launched with and writes to."""

    def __init__(self, r, number):
        self.grid = r.choice([1, 1, 2, 3, 4])
        self.axes = [("x", r.choice([1, 3, 8, 32, 37, 64]))] + ([("y", r.choice([1, 2, 3]))] if r.random() < 0.4 else [])
        if len(self.axes) == 2 and r.random() < 0.3:
            self.axes.append(("z", 2))
        self.lanes = int(np.prod([n for _, n in self.axes]))
        self.virtual = 2 if r.random() < 0.15 else 1  # virtual threads of each
        self.threads = self.lanes * self.virtual
        self.slots = r.choice([4, 8])
        self.symbolic = r.random() < 0.25
        self.rows = self.grid * self.threads - (r.randrange(self.threads) if self.symbolic else 0)
        rows = f"rows{number}" if self.symbolic else str(self.rows)
        self.two_dims = self.symbolic or r.random() < 0.5
        self.outputs, self.rough, self.reduced, self.counts, self.pairs = [], [], [], [], []
        for i in range(r.randint(1, 2)):
            self.outputs.append(self.output(f"B{number}{i}", r.choice(ANY), rows))
        if r.random() < 0.5:
            self.rough.append(self.output(f"F{number}", r.choice(FLOATS), rows))
        if not self.symbolic and self.virtual == 1 and r.random() < 0.4:
            over = [self.grid] + [n for _, n in self.axes[1:]]
            self.reduced.append(Buffer(f"R{number}", r.choice(INTS + ["float32"]), over))
            if r.random() < 0.4:
                self.pairs.append((Buffer(f"R{number}v", r.choice(INTS), over), Buffer(f"R{number}i", "int32", over)))
        if r.random() < 0.3:
            self.counts.append((Buffer(f"C{number}", r.choice(["int32", "uint32"]), [r.choice([1, 4, 16])]), r.choice(ATOMICS)))
        self.shared = [Buffer(f"S{number}{i}", r.choice(ANY + SMALL_FLOATS), [self.threads])
                       for i in range(0 if self.symbolic else r.randint(0, 3))]
        self.tiles = []
        self.locals = [Buffer(f"L{number}{i}", r.choice(ANY + SMALL_FLOATS), [r.choice([2, 5])]) for i in range(r.randint(0, 2))]

    def output(self, name, dtype, rows):
        if self.two_dims:
            return Buffer(name, dtype, [self.rows, self.slots], [rows, str(self.slots)])
        return Buffer(name, dtype, [self.rows * self.slots])

    def row(self):
        return f"(g * {self.threads} + tid)"

    def place(self, slot):
        """The index of this thread's slot."""
        return f"{self.row()}, {slot}" if self.two_dims else f"{self.row()} * {self.slots} + {slot}"


class Generator(Threads, Expressions):
    """One program, from one seed."""

    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        self.inputs = []
        for i in range(r.randint(1, 3)):
            shape = [r.choice([7, 16, 64])] if r.random() < 0.6 else [r.choice([3, 8]), r.choice([5, 16])]
            shape += [r.choice([2, 3])] if len(shape) == 2 and r.random() < 0.3 else []
            dims = [f"n{i}{k}" if r.random() < 0.25 else str(n) for k, n in enumerate(shape)]
            self.inputs.append(Buffer(f"A{i}", r.choice(ANY), shape, dims))
            self.inputs[-1].sliced = len(dims) == 1 and dims[0].isdigit() and self.inputs[-1].dtype != "bool"
        self.views = []
        self.small = None
        if r.random() < 0.4:
            dtype, n = r.choice(SMALL_FLOATS), r.choice([5, 16, 30])
            self.small = Buffer("H", STORAGE[dtype], [n])
            self.inputs.append(self.small)
            self.views.append((Buffer("Hv", dtype, [n]), f'T.decl_buffer(({n},), "{dtype}", data=H.data)'))
        for b in list(self.inputs):
            if b.sliced and b.shape[0] >= 16 and r.random() < 0.4:
                step, begin = r.choice([2, 3]), r.randint(0, 3)
                n = (b.shape[0] - begin) // step
                text = f'T.decl_buffer(({n},), "{b.dtype}", data={b.name}.data, strides=({step},), elem_offset={begin})'
                self.views.append((Buffer(b.name + "v", b.dtype, [n]), text))
        self.scalars = [(f"p{i}", r.choice(ANY)) for i in range(r.randint(0, 3))]
        self.kernels = [Kernel(r, i) for i in range(r.choice([1, 1, 1, 2, 3]))]
        for k in self.kernels:
            k.tiles = [] if k.symbolic else self.tiles(k.threads)
            own = k.virtual > 1 and not k.symbolic and r.random() < 0.6
            k.copied = Buffer(self.name("V"), r.choice(PLAIN), [k.lanes]) if own else None
        self.functions = [self.helper(f"f{i}") for i in range(r.choice([0, 0, 1, 2]))]
        self.known = [(n, t, False) for n, t in self.scalars]
        self.known += [(d, "int32", False) for b in self.inputs for d in b.dims if not d.isdigit()]
        self.divergent = self.jumps = self.blocks = 0
        self.body = self.host()

    # ---- Helper functions

    def helper(self, name):
        """A function of scalars, called from kernels; known to later ones too."""
        r = self.r
        self.on_host = True  # which may call it too
        takes = [r.choice(PLAIN) for _ in range(r.randint(1, 3))]
        gives = r.choice(PLAIN)
        self.vars = [(f"x{i}", t, False) for i, t in enumerate(takes)]
        body = [Stmt("return {}", self.expr(gives, 3), keep=True)]
        self.helpers.append((name, gives, takes))
        self.on_host = False
        params = ", ".join(f"x{i}: T.{t}" for i, t in enumerate(takes))
        return Stmt(f"def {name}({params}) -> T.{gives}:", body=body, keep=True)

    # ---- Statements

    def store(self):
        b = self.r.choice(self.k.outputs)
        return Stmt(f"{b.name}[" + self.k.place("{}") + "] = {}", self.index(self.k.slots, 2), self.expr(b.dtype))

    def rough(self):
        """A transcendental function of an exact, moderate argument."""
        r, b = self.r, self.r.choice(self.k.rough)
        t = b.dtype
        one = lambda: Expr(t, f"T.{r.choice(FUNCTIONS)}(T.max(T.min({{}}, T.{t}(8.0)), T.{t}(-8.0)))", self.expr(t, 3))
        form = r.choice(["{}", "{}", "(-{})", "({} * T.%s(2.0))" % t, "T.fabs({})", "T.max({}, T.%s(0.5))" % t])
        value = Expr(t, form, one())
        if r.random() < 0.2:
            value = Expr(t, r.choice(["T.Select({}, {}, {})", "T.if_then_else({}, {}, {})"]), self.cond(2), one(), one())
        return Stmt(f"{b.name}[" + self.k.place("{}") + "] = {}", self.index(self.k.slots, 2), value)

    def vector(self):
        """A vectorized loop over the slots, or some of them."""
        b = self.r.choice(self.k.outputs)
        lanes, v = self.r.choice([2, 3, 4, self.k.slots]), self.name("v")
        lanes = min(lanes, self.k.slots)
        begin = self.r.randint(0, self.k.slots - lanes)
        self.vars.append((v, "int32", False))
        body = [Stmt(f"{b.name}[" + self.k.place(f"{begin} + {v}") + "] = {}", self.expr(b.dtype, 3))]
        if self.r.random() < 0.3:
            body = [Stmt("if {}:", self.guard(v, lanes), body=body)]
        self.vars.pop()
        return Stmt(f"for {v} in T.vectorized({lanes}):", body=body)

    def slice(self):
        """Some slots as a vector."""
        b = self.r.choice([x for x in self.k.outputs if x.dtype != "bool"])
        lanes = self.r.choice([n for n in (2, 3, 4, 8) if n <= self.k.slots])
        begin = self.r.randint(0, self.k.slots - lanes)
        place = self.k.place(f"{begin}:{begin + lanes}")
        if not self.k.two_dims:
            start = self.k.place(str(begin))
            place = f"T.ramp({start}, 1, {lanes})"
        return Stmt(f"{b.name}[{place}] = {{}}", self.vector_of(b.dtype, lanes, 2))

    def count(self):
        """An atomic operation; each buffer knows one, so that no order matters."""
        b, name = self.r.choice(self.k.counts)
        return Stmt(f"T.atomic_{name}({b.name}[{{}}], {{}})", self.index(b.shape[0], 2), self.expr(b.dtype, 2))

    def through_view(self):
        """A block that sees a row of an input."""
        r = self.r
        a = r.choice([x for x in self.inputs if len(x.dims) == 2 and all(d.isdigit() for d in x.dims)])
        i, v, w, s = self.name("i"), self.name("u"), self.name("W"), self.name("s")
        rows, columns = a.shape
        head = [Stmt(f"{v} = T.axis.spatial({rows}, {i})", keep=True),
                Stmt(f'{w} = T.match_buffer({a.name}[{v}, 0:{columns}], ({columns},), "{a.dtype}", strides=["{s}"], offset_factor=1)', keep=True)]
        known = len(self.vars)
        self.vars += [(i, "int32", False), (v, "int32", False)]
        self.places.append(Buffer(w, a.dtype, [columns]))
        self.divergent += 1
        body = [Stmt(f'with T.sblock("{self.name("block")}"):', body=head + self.scope(2, 0), keep=True)]
        self.divergent -= 1
        self.places.pop()
        del self.vars[known:]
        return Stmt(f"for {i} in range({r.randint(1, rows)}):", body=body)

    def guard(self, v, extent):
        """A comparison that cuts a loop's end or beginning off."""
        form = self.r.choice([f"{v} * {{}} + {{}} < {{}}", f"{v} + {{}} >= {{}}", f"{{}} - {v} > {{}}"])
        parts = [Expr("int32", str(self.r.randint(1, 2 * extent))) for _ in range(form.count("{}"))]
        if self.r.random() < 0.5:
            parts[-1] = self.leaf("int32")
        if self.r.random() < 0.3:
            parts[0] = self.index(4, 1)
        return Expr("bool", form, *parts)

    def scope(self, count, depth):
        """Statements whose names end with them."""
        known = len(self.vars)
        body = [s for _ in range(count) for s in self.statement(depth)]
        del self.vars[known:]
        return body

    def varying_scope(self, count, depth, jumps=0):
        """The same where not all threads need be."""
        outer, self.jumps = self.jumps, jumps
        self.divergent += 1
        body = self.scope(count, depth)
        self.divergent -= 1
        self.jumps = outer
        return body

    def loop(self, depth):
        r, i = self.r, self.name("i")
        kind, high = r.choice(["serial", "unroll", "varying", "wide", "jumpy", "guarded"]), r.randint(0, 4)
        dtype, low = "int64" if kind == "wide" else "int32", r.randint(-1, 2)
        bound = self.index(4, 2)
        self.vars.append((i, dtype, False))
        if kind == "varying":
            stmt = Stmt(f"for {i} in range({{}}):", bound, body=self.varying_scope(2, depth - 1))
        elif kind == "jumpy":
            stmt = Stmt(f"for {i} in range({low}, {low + high}):", body=self.varying_scope(3, depth - 1, 1))
        elif kind == "guarded":
            extent = r.choice([5, 9, 16])
            body = [Stmt("if {}:", self.guard(i, extent), body=self.varying_scope(2, depth - 1))]
            stmt = Stmt(f"for {i} in range({extent}):", body=body + self.scope(1, depth - 1))
        elif kind == "wide":
            stmt = Stmt(f"for {i} in range(T.int64({high})):", body=self.scope(2, depth - 1))
        else:
            call = "T.unroll" if kind == "unroll" else "range"
            stmt = Stmt(f"for {i} in {call}({low}, {low + high}):", body=self.scope(2, depth - 1))
        self.vars.pop()
        return stmt

    def while_loop(self, depth):
        w = self.name("w")
        first = Stmt(f"{w}: T.int32 = {{}}", self.index(4, 2), keep=True)
        body = self.varying_scope(2, depth - 1, 1)
        return [first, Stmt(f"while {w} > 0:", body=[Stmt(f"{w} = {w} - 1", keep=True)] + body)]

    def branch(self, depth):
        jumps = self.jumps
        body = [Stmt("if {}:", self.cond(3), body=self.varying_scope(2, depth - 1, jumps))]
        if self.r.random() < 0.4:
            body.append(Stmt("else:", body=self.varying_scope(2, depth - 1, jumps)))
        return body

    def share(self):
        """An element of threadgroup memory for each thread, from what it does not read there."""
        b = self.r.choice(self.k.shared)
        places, self.places = self.places, [p for p in self.places if p not in self.k.shared + self.k.tiles]
        at = self.r.choice(["tid", "tid", f"{self.k.threads - 1} - tid", f"(tid + {self.r.randint(0, 40)}) % {self.k.threads}"])
        stmts = [Stmt(f"{b.name}[{at}] = {b.stored()}", self.expr(b.value_type))]
        self.places = places
        if self.r.random() < 0.3:
            stmts.append(Stmt('T.tvm_storage_sync("shared")'))
        return stmts

    def block(self, depth):
        """A block over a loop: stores under a condition, or a reduction with its init."""
        r, i, k = self.r, self.name("i"), self.name("k")
        a, b = r.randint(1, 4), r.randint(1, 4)
        vi, vk, known = self.name("u"), self.name("u"), len(self.vars)
        reduces = [x for x in self.k.locals if x.dtype in PLAIN] if r.random() < 0.7 else []
        label = f'with T.sblock("{self.name("block")}"):'
        self.vars += [(i, "int32", False)]
        if reduces:
            x = r.choice(reduces)
            a = min(a, x.shape[0])
            self.vars += [(k, "int32", False)]
            head = [Stmt(f"{vi} = T.axis.spatial({a}, {i})", keep=True), Stmt(f"{vk} = T.axis.reduce({b}, {k})", keep=True)]
            head += self.where(f"{i} + {k}", a + b)
            self.vars += [(vi, "int32", False), (vk, "int32", False)]
            init = Stmt("with T.init():", body=[Stmt(f"{x.name}[{vi}] = {{}}", self.constant(x.dtype), keep=True)], keep=True)
            form = r.choice(["{n} + {}", "T.max({n}, {})", "T.min({n}, {})"]).replace("{n}", f"{x.name}[{vi}]")
            update = Stmt(f"{x.name}[{vi}] = " + form, self.expr(x.dtype, 2), keep=True)
            body = [Stmt(label, body=head + [init, update], keep=True)]
            stmt = Stmt(f"for {i}, {k} in T.grid({a}, {b}):", body=body)
        else:
            head = [Stmt(f"{vi} = T.axis.spatial({a}, {i})", keep=True)] + self.where(i, a)
            self.vars += [(vi, "int32", False)]
            self.divergent += 1
            body = [Stmt(label, body=head + self.scope(2, 0))]
            self.divergent -= 1
            stmt = Stmt(f"for {i} in range({a}):", body=body)
        del self.vars[known:]
        return stmt

    def where(self, text, most):
        if self.r.random() < 0.5:
            return []
        return [Stmt(f"T.where({text} < {self.r.randint(1, most)})")]

    def statement(self, depth):
        r = self.r
        kind = r.randrange(20)
        if kind < 2:
            return [self.store()]
        if kind == 16 and any(b.dtype != "bool" for b in self.k.outputs):
            return [self.slice()]
        if kind == 17 and self.k.counts:
            return [self.count()]
        if kind == 18 and depth > 0 and any(len(b.dims) == 2 and all(d.isdigit() for d in b.dims) for b in self.inputs):
            return [self.through_view()]
        if kind == 19 and r.random() < 0.15 and not self.divergent:
            return [Stmt(f'assert tid < {self.k.threads}, "a thread too many"')]
        if kind < 4:
            dtype, v = r.choice(ANY), self.name("v")
            stmt = Stmt(f"{v}: T.{'let' if r.random() < 0.4 else dtype} = {{}}", self.expr(dtype))
            self.vars.append((v, dtype, "let" not in stmt.form))
            return [stmt]
        mutable = [v for v in self.vars if v[2]]
        if kind == 4 and mutable:
            v = r.choice(mutable)
            return [Stmt(v[0] + " = {}", self.expr(v[1]))]
        if kind == 5 and self.k.locals:
            b = r.choice(self.k.locals)
            return [Stmt(f"{b.name}[{{}}] = {b.stored()}", self.index(b.shape[0], 2), self.expr(b.value_type))]
        if kind in (6, 7) and self.k.copied and not self.divergent and r.random() < 0.5:
            return self.copied()
        if kind in (6, 7) and self.k.tiles and not self.divergent and r.random() < 0.5:
            return [self.tile()]
        if kind in (6, 7) and self.k.shared and not self.divergent:
            return self.share()
        if kind == 8:
            return [self.vector()]
        if kind == 9 and self.jumps:
            return [Stmt("if {}:", self.cond(2), body=[Stmt(r.choice(["break", "continue"]))])]
        if kind == 10 and self.k.rough:
            return [self.rough()]
        if depth > 0 and kind == 11:
            return [self.loop(depth)]
        if depth > 0 and kind == 12:
            return self.branch(depth)
        if depth > 0 and kind == 13 and r.random() < 0.5:
            return self.while_loop(depth)
        if depth > 0 and kind in (14, 15):
            if self.k.reduced and not self.divergent and r.random() < 0.5:
                return self.greatest() if self.k.pairs and r.random() < 0.5 else [self.across()]
            return [self.own_memory()] if r.random() < 0.25 else [self.block(depth)]
        if kind == 19 and self.k.lanes % 32 == 0 and self.k.virtual == 1 and not self.divergent and not self.k.symbolic:
            return [self.exchange()]
        return [self.store()]

    # ---- Kernels and the host

    def thread_code(self, k):
        """The statements of one thread, with what fills its memory in front."""
        fills = []
        for b in k.locals:
            value = f"(f % 2 == 0)" if b.dtype == "bool" else f'T.Cast("{b.dtype}", f + 3)'
            fills.append(Stmt(f'{b.name} = T.alloc_buffer(({b.shape[0]},), "{b.dtype}", scope="local")', keep=True))
            fills.append(Stmt(f"for f in range({b.shape[0]}):", body=[Stmt(f"{b.name}[f] = {value}", keep=True)], keep=True))
        for b in k.shared:
            value = "(tid % 3 == 0)" if b.dtype == "bool" else f'T.Cast("{b.dtype}", tid)'
            fills.append(Stmt(f"{b.name}[tid] = {value}", keep=True))
        if k.copied:
            b = k.copied
            fills.append(Stmt(f'{b.name} = T.alloc_buffer(({k.lanes},), "{b.dtype}", scope="shared")', keep=True))
            fills.append(Stmt(f'{b.name}[lane] = T.Cast("{b.dtype}", tid)', keep=True))
        for b in k.tiles:
            fills.append(self.fill(b, lambda: Expr(b.dtype, f'T.Cast("{b.dtype}", tid)')))
        if not k.symbolic:
            return fills + self.scope(self.r.randint(3, 8), 2) + self.ending(k)
        body = self.varying_scope(self.r.randint(3, 8), 2)
        return fills + [Stmt(f"if g * {k.threads} + tid < {k.outputs[0].dims[0]}:", body=body, keep=True)]

    def ending(self, k):
        """Threads that end early, before the last statements, in which they do not meet."""
        if k.virtual > 1 or self.r.random() > 0.15:
            return []
        ends = Stmt("if {}:", self.cond(2), body=[Stmt("T.thread_return()")])
        return [ends] + self.varying_scope(2, 1)

    def kernel(self, k, visible):
        self.k = k
        written = k.outputs + k.rough + k.reduced + [b for pair in k.pairs for b in pair]
        self.places = [b for b in visible if b not in written and b is not self.small] + k.locals + k.shared + k.tiles
        self.places += [b for b, _ in self.views]
        self.vars = list(self.known) + [("tid", "int32", False), ("g", "int32", False)]
        self.vars += [(axis, "int32", False) for axis, _ in k.axes]
        if k.symbolic:
            self.vars.append((k.outputs[0].dims[0], "int32", False))
        tid, step = [], 1
        for axis, extent in k.axes:
            tid.append(f"{axis} * {step}")
            step *= extent
        head = []
        if k.virtual > 1:
            head = [Stmt("lane: T.let = " + " + ".join(tid), keep=True)]
            tid = ["lane", f"vt * {k.lanes}"]
        shared = [Stmt(f'{b.name} = T.alloc_buffer(({k.threads},), "{b.dtype}", scope="shared")', keep=True) for b in k.shared]
        shared += [Stmt(f'{b.name} = T.alloc_buffer(({b.shape[0]}, {b.shape[1]}), "{b.dtype}", scope="{b.scope}")', keep=True) for b in k.tiles]
        head.append(Stmt("tid: T.let = " + " + ".join(tid), keep=True))
        if k.virtual == 1 and self.r.random() < 0.5:  # below the threads' axes and names, which share it all the same
            head, shared = head + shared, []
        stmts = head + self.thread_code(k)
        if k.virtual > 1:
            stmts = [Stmt(f'for vt in T.thread_binding({k.virtual}, thread="vthread"):', body=stmts, keep=True)]
        for axis, extent in k.axes:
            stmts = [self.axis(axis, extent, f"threadIdx.{axis}", stmts)]
        grid = str(k.grid)
        if k.symbolic:
            grid = f"({k.outputs[0].dims[0]} + {k.threads - 1}) // {k.threads}"
        if not k.symbolic and k.grid % 2 == 0 and self.r.random() < 0.5:
            stmts = [Stmt(f"g: T.let = gy * {k.grid // 2} + gx", keep=True)] + shared + stmts
            return self.axis("gy", 2, "blockIdx.y", [self.axis("gx", k.grid // 2, "blockIdx.x", stmts)])
        return self.axis("g", grid, "blockIdx.x", shared + stmts)

    def axis(self, name, extent, tag, body):
        """A thread axis, as a loop or as a launch."""
        keep = not tag.startswith("blockIdx")
        if self.r.random() < 0.2:
            return Stmt(f'with T.launch_thread("{tag}", {extent}) as {name}:', body=body, keep=keep)
        return Stmt(f'for {name} in T.thread_binding({extent}, thread="{tag}"):', body=body, keep=keep)

    def host(self):
        """The kernels in order, some of them in loops and branches of the host, scalars computed between them."""
        r, body, visible = self.r, [], list(self.inputs)
        for k in self.kernels:
            self.vars, self.on_host = list(self.known), True
            while r.random() < 0.3:
                dtype, v = r.choice(["int32", "int64", "int32", "float32", "bool"]), self.name("h")
                body.append(Stmt(f"{v}: T.let = {{}}", self.expr(dtype, 3)))
                self.known.append((v, dtype, False))
                self.vars.append((v, dtype, False))
            cond, h = self.cond(2), self.name("h")
            self.on_host = False
            kind = r.randrange(6)
            if kind == 0:
                self.known.append((h, "int32", False))
                body.append(Stmt(f"for {h} in range({r.randint(0, 3)}):", body=[self.kernel(k, visible)]))
                self.known.pop()
            elif kind == 1:
                body.append(Stmt("if {}:", cond, body=[self.kernel(k, visible)]))
            else:
                body.append(self.kernel(k, visible))
            visible += [b for b in k.outputs + k.reduced]
        return body

    # ---- Text and values

    @property
    def outputs(self):
        return [b for k in self.kernels for b in k.outputs + k.rough + k.reduced + [c for c, _ in k.counts] + [b for pair in k.pairs for b in pair]]

    def text(self):
        params = [b.parameter() for b in self.inputs + self.outputs] + [f"{n}: T.{t}" for n, t in self.scalars]
        dims = list(dict.fromkeys(d for b in self.inputs + self.outputs for d in b.dims if not d.isdigit()))
        lines = ["from tvm.script import ir as I", "from tvm.script import tirx as T", "", "", "@I.ir_module", "class Module:"]
        lines += ["    @T.prim_func", "    def main(" + ", ".join(params) + "):"]
        lines += [f"        {d} = T.int32()" for d in dims]
        lines += [f"        {b.name} = {text}" for b, text in self.views]
        for stmt in self.body or [Stmt("T.evaluate(0)")]:
            lines += stmt.lines(2)
        for function in self.functions:
            lines += ["", "    @T.prim_func(private=True)"] + list(function.lines(1))
        return "\n".join(lines) + "\n"

    def arrays(self):
        rng = np.random.default_rng(self.r.randrange(2**32))
        for b in self.inputs:
            if b is self.small:
                # Finite values of the format that it is seen as, of either sign.
                bits = rng.integers(0x3d00, 0x4100, b.shape) if b.dtype == "uint16" else rng.integers(0x20, 0x48, b.shape)
                top = 0x8000 if b.dtype == "uint16" else 0x80
                yield b.name, (bits | top * rng.integers(0, 2, b.shape)).astype(b.dtype)
            elif b.dtype == "bool":
                yield b.name, rng.integers(0, 2, b.shape).astype(bool)
            elif b.dtype in FLOATS:
                yield b.name, rng.uniform(-8, 8, b.shape).astype(b.dtype)
            else:
                low, high = limits(b.dtype)
                yield b.name, np.where(rng.random(b.shape) < 0.5, rng.integers(low, high, b.shape, dtype=b.dtype, endpoint=True),
                                       rng.integers(0, 9, b.shape).astype(b.dtype)).astype(b.dtype)

    def values(self):
        for name, dtype in self.scalars:
            if dtype == "bool":
                yield name, self.r.choice([True, False])
                continue
            low, high = (-9, 9) if dtype in FLOATS else limits(dtype)
            yield name, self.r.randint(max(low, -(2**53)), min(high, 2**53))
