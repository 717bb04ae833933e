"""What threads of a group do together in random_program.py: tiles of threadgroup memory filled by all of them, blocks with memory
of their own that is as large as a whole input, exchanges between the lanes of a simdgroup, reductions over some axes and of pairs."""

from random_expressions import BITS, FLOATS, INTS, PLAIN, Buffer, Expr, Stmt


class Threads:
    """Statements for threads that all come to them. `self.k` is the kernel in hand."""

    # ---- Tiles of threadgroup memory

    def tiles(self, threads):
        """A kernel's tiles: two dimensions, in memory of a fixed size or of one that the launch says."""
        r, found = self.r, []
        for i in range(r.choice([0, 0, 1, 2])):
            shape = [r.choice([1, 2, 3, 4, 8]), r.choice([4, 5, 8, 16, 33])]
            found.append(Buffer(self.name("W"), r.choice(PLAIN), shape))
            found[-1].scope = "shared.dyn" if i == 1 and r.random() < 0.5 else "shared"
        return found

    def fill(self, b, value):
        """Each thread stores elements of the tile, a row of the group's threads at a time or some in a row for each."""
        r, (rows, columns), n = self.r, b.shape, self.k.threads
        q, size = self.name("q"), b.shape[0] * b.shape[1]
        rounds = -(-size // n)
        place = f"({q} * {n} + tid)"
        if rounds * n == size and r.random() < 0.5:
            place = f"(tid * {rounds} + {q})"
        if r.random() < 0.3:
            place = f"({size - 1} - {place})"
        at = f"{place} // {columns}, {place} % {columns}"
        self.vars.append((q, "int32", False))
        body = [Stmt(f"{b.name}[{at}] = {{}}", value(), keep=True)]
        self.vars.pop()
        if rounds * n != size:
            body = [Stmt(f"if {q} * {n} + tid < {size}:", body=body, keep=True)]
        return Stmt(f"for {q} in range({rounds}):", body=body, keep=True)

    def tile(self):
        b = self.r.choice(self.k.tiles)
        places, self.places = self.places, [p for p in self.places if p not in self.k.shared + self.k.tiles]
        self.divergent += 1
        stmt = self.fill(b, lambda: self.expr(b.dtype, 3))
        self.divergent -= 1
        self.places = places
        return stmt

    # ---- Memory of a block

    def own_memory(self):
        """A block whose memory has the shape of the whole, of which it touches a part: a thread's own, or the group's."""
        r, n = self.r, self.k.threads
        rows, columns, high, wide = r.choice([8, 20]), r.choice([8, 16]), r.randint(1, 3), r.choice([2, 4])
        dtype, x, a, c = r.choice(PLAIN), self.name("X"), self.name("a"), self.name("c")
        shared = not self.divergent and r.random() < 0.5
        top, left = f"(g % {rows - high + 1})", f"{r.randint(0, columns - wide)}"
        if not shared:
            top = f"((tid + {r.randint(0, 9)}) % {rows - high + 1})"
        scope = "shared" if shared else "local"
        head = Stmt(f'{x} = T.sblock_alloc_buffer(({rows}, {columns}), "{dtype}", scope="{scope}")', keep=True)
        known, places = len(self.vars), self.places
        if shared:
            self.places = [p for p in places if p not in self.k.shared + self.k.tiles]
            size = high * wide
            place = f"({a} * {n} + tid)"
            body = [Stmt(f"if {place} < {size}:", body=[Stmt(f"{x}[{top} + {place} // {wide}, {left} + {place} % {wide}] = {{}}",
                                                             self.expr(dtype, 2), keep=True)], keep=True)]
            first = [Stmt(f"for {a} in range({-(-size // n)}):", body=body, keep=True)]
        else:
            self.vars += [(a, "int32", False), (c, "int32", False)]
            body = [Stmt(f"{x}[{top} + {a}, {left} + {c}] = {{}}", self.expr(dtype, 2), keep=True)]
            first = [Stmt(f"for {a}, {c} in T.grid({high}, {wide}):", body=body, keep=True)]
        del self.vars[known:]
        self.places = places
        v = self.name("v")
        read = Stmt(f"{v}: T.let = {x}[{top} + {{}}, {left} + {{}}]", self.index(high, 2), self.index(wide, 2), keep=True)
        self.vars.append((v, dtype, False))
        self.divergent += 1
        rest = self.scope(2, 0)
        self.divergent -= 1
        del self.vars[known:]
        return Stmt(f'with T.sblock("{self.name("block")}"):', body=[head] + first + [read] + rest)

    # ---- Virtual threads

    def copied(self):
        """A store to threadgroup memory of which each virtual thread has its own, and what another thread put there."""
        r, b, n, v = self.r, self.k.copied, self.k.lanes, self.name("v")
        places, self.places = self.places, [p for p in self.places if p not in self.k.shared + self.k.tiles]
        at = r.choice(["lane", f"{n - 1} - lane", f"(lane + {r.randint(0, 9)}) % {n}"])
        stmts = [Stmt(f"{b.name}[{at}] = {{}}", self.expr(b.dtype, 3), keep=True)]
        self.places = places
        stmts.append(Stmt(f"{v}: T.let = {b.name}[(lane + {r.randint(0, 40)}) % {n}]"))
        self.vars.append((v, b.dtype, False))
        return stmts

    # ---- Lanes of a simdgroup

    def exchange(self):
        """A name for what another lane has, or for what the lanes of the simdgroup vote; all 32 are there."""
        r, v = self.r, self.name("v")
        if r.random() < 0.3:
            form = r.choice(["T.metal.simd_any({})", "T.metal.simd_all({})"])
            stmt = Stmt(f"{v}: T.let = " + form, self.cond(2))
            self.vars.append((v, "bool", False))
            return stmt
        dtype = r.choice([t for t in PLAIN if BITS[t] in (16, 32)])
        lane = r.choice(["_xor(T.uint32(4294967295), {}, %d, 32, 32)" % r.choice([1, 2, 3, 16, 31]),
                         "(T.uint32(4294967295), {}, %d, 32, 32)" % r.randrange(32),
                         "(T.uint32(4294967295), {}, (tid + %d) %% 32, 32, 32)" % r.randrange(40)])
        stmt = Stmt(f"{v}: T.let = T.tvm_warp_shuffle" + lane, self.expr(dtype, 3))
        self.vars.append((v, dtype, False))
        return stmt

    # ---- Reductions

    def across(self):
        """A reduction over all threads of the group, or over one axis of two."""
        k, b = self.k, self.r.choice(self.k.reduced)
        form = self.r.choice(["T.max({n}, {})", "T.min({n}, {})"] + (["{n} + {}"] if b.dtype in INTS else []))
        start = "T.%s(0)" % b.dtype if "+" in form else ("T.min_value" if "max" in form else "T.max_value") + f'("{b.dtype}")'
        head, place, number = self.reduction_axes()
        target = f"{b.name}[{place}]"
        init = Stmt("with T.init():", body=[Stmt(f"{target} = {start}", keep=True)], keep=True)
        self.vars.append((number, "int32", False))
        # Not a constant, which may be folded away together with the reduction.
        value = Expr(b.dtype, f'(T.Cast("{b.dtype}", {number}) + {{}})', self.expr(b.dtype, 2))
        self.vars.pop()
        update = Stmt(f"{target} = " + form.replace("{n}", target), value, keep=True)
        return Stmt(f'with T.sblock("{self.name("block")}"):', body=head + [init, update])

    def reduction_axes(self):
        """The axes of a block that reduces over threadIdx.x: their lines, the element's place, and the thread's number in them."""
        k, vi, vk = self.k, self.name("u"), self.name("u")
        along = "tid" if len(k.axes) == 1 and self.r.random() < 0.4 else "x"
        head = [Stmt(f"{vi} = T.axis.spatial({k.grid}, g)", keep=True), Stmt(f"{vk} = T.axis.reduce({k.axes[0][1]}, {along})", keep=True)]
        place = [vi]
        for axis, extent in k.axes[1:]:
            vo = self.name("u")
            head.append(Stmt(f"{vo} = T.axis.spatial({extent}, {axis})", keep=True))
            place.append(vo)
        return head, ", ".join(place), vk

    def greatest(self):
        """The greatest value and where it is; of equal ones the first."""
        values, where = self.r.choice(self.k.pairs)
        head, place, number = self.reduction_axes()
        t, m, i = values.dtype, f"{values.name}[{place}]", f"{where.name}[{place}]"
        init = Stmt("with T.init():", body=[Stmt(f'{m} = T.min_value("{t}")', keep=True), Stmt(f"{i} = T.int32(2147483647)", keep=True)], keep=True)
        v, w, p = self.name("v"), self.name("v"), self.name("v")
        value = Stmt(f"{p}: T.let = {{}}", self.expr(t, 2), keep=True)
        better = f"({m} > {p} or ({m} == {p} and {i} < {number}))"
        body = [Stmt(f"{v}: T.let = T.Select({better}, {m}, {p})", keep=True), Stmt(f"{w}: T.let = T.Select({better}, {i}, {number})", keep=True),
                Stmt(f"{m} = {v}", keep=True), Stmt(f"{i} = {w}", keep=True)]
        block = Stmt(f'with T.sblock("{self.name("block")}"):', body=head + [init] + body)
        return [value, block]
