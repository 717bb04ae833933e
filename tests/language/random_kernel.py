"""Random kernels in what MSL and C++14 have in common, with one meaning in both.

A program is a namespace with types, tables, functions, templates and `int entry(uint tid, int in0, int in1)`, which ends in a sum of
all its variables. Integers of every width, bool, exact float arithmetic, vectors, arrays, structures (methods, constructors, operators),
references, pointers into arrays, lambdas, enumerations, constants, default arguments; branches, loops, switches, early ends, all of which
differ from thread to thread. What is undefined or left to the compiler is kept out: shifts and divisors are bounded, indices masked,
floats tamed, and no expression has two effects without an order between them. Signed overflow wraps (-fwrapv).
"""

import random

INTEGERS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
SCALARS = ["bool"] + INTEGERS
VECTORS = {"int2": ("int", 2), "int3": ("int", 3), "int4": ("int", 4), "uint4": ("uint", 4), "short4": ("short", 4),
           "uchar4": ("uchar", 4), "long2": ("long", 2)}
EDGES = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 100, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 65536, 2147483647]
TAME = "static float tame(float x) { return x < 1.0e6f && x > -1.0e6f && x * x > 1.0e-8f ? x : 0.0f; }"


class Variable:
    """`shape` is scalar, float, array (of `count`), vector or struct (whose `type` is the Struct). A fixed one is not assigned."""

    def __init__(self, name, type, shape="scalar", count=0, fixed=False):
        self.name, self.type, self.shape, self.count, self.fixed = name, type, shape, count, fixed


class Struct:
    def __init__(self, name):
        self.name, self.fields, self.getters, self.setters, self.constructs, self.operator = name, [], [], [], False, None


class Function:
    def __init__(self, name, parameters, defaults):
        self.name, self.parameters, self.defaults = name, parameters, defaults


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.space = f"n{seed}"
        self.number = self.budget = self.loops = 0
        self.result = None  # of the function at hand; None: no early end
        self.in_lambda = False
        self.scopes, self.lambdas = [{}], [[]]
        self.structs, self.functions, self.templates, self.tables, self.constants, self.overloads, self.out = [], [], [], [], [], [], []

    # ---- Names and choices

    def name(self, start):
        self.number += 1
        return f"{start}{self.number}"

    def pick(self, items):
        return self.random.choice(items)

    def below(self, n):
        return self.random.randrange(n)

    def chance(self, p):
        return self.random.random() < p

    def declare(self, *args, **kwargs):
        v = Variable(*args, **kwargs)
        self.scopes[-1][v.name] = v
        return v

    def known(self, *shapes, free=False):
        return [v for s in self.scopes for v in s.values() if v.shape in shapes and not (free and v.fixed)]

    # ---- Expressions

    def literal(self):
        n = self.pick(EDGES)
        return self.pick([str(n), str(n), f"{n}u", "4294967295u", f"{n}L", f"{1 << self.random.randrange(40, 63)}L", f"{n}UL",
                          f"{self.random.getrandbits(64)}UL", f"0x{self.random.getrandbits(self.pick([4, 8, 16, 31, 32])):X}", "true",
                          "false", f"(-{n})", f"'{self.pick('azAZ09~')}'"])

    def index(self, count):
        if self.chance(0.4):
            return str(self.below(count))
        integers = [v for v in self.known("scalar") if v.type != "bool"]
        e = self.pick(integers).name if integers else self.literal()
        return f"{e} & {count - 1}" if count & (count - 1) == 0 else f"(uint)({e}) % {count}u"

    def part(self, v):
        """A scalar within the variable, which is a place too."""
        if v.shape == "array":
            return f"{v.name}[{self.index(v.count)}]"
        if v.shape == "vector":
            width = VECTORS[v.type][1]
            return f"{v.name}.{'xyzw'[self.below(width)]}" if self.chance(0.7) else f"{v.name}[{self.index(width)}]"
        if v.shape == "struct":
            name, type, count = self.pick(v.type.fields)
            return f"{v.name}.{name}[{self.index(count)}]" if count else f"{v.name}.{name}"
        return v.name

    def leaf(self):
        choices = [self.literal] * 2 + [lambda: self.part(self.pick(self.known("scalar")))] * (6 * bool(self.known("scalar")))
        for shape in ("array", "vector", "struct"):
            if self.known(shape):
                choices += [lambda shape=shape: self.part(self.pick(self.known(shape)))] * 2
        if self.tables:
            choices.append(lambda: "{}[{}]".format(*(lambda t: (t[0], self.index(t[1])))(self.pick(self.tables))))
        if self.constants:
            choices.append(lambda: self.pick(self.constants))
        return self.pick(choices)()

    def expression(self, depth=3):
        """Of any integer type, or bool."""
        if depth <= 0:
            return self.leaf()
        e = lambda: self.expression(depth - 1)  # noqa: E731
        kind = self.below(32)
        if kind < 9:
            return f"({e()} {self.pick('+-*&|^+-')} {e()})"
        if kind < 11:
            return f"({e()} {self.pick(['<<', '>>'])} ({e()} & {self.pick([7, 15, 31])}))"
        if kind < 13:
            return f"({e()} {self.pick('/%')} (({e()} & 15) + 1))"
        if kind < 15:
            return f"({e()} {self.pick(['==', '!=', '<', '>', '<=', '>='])} {e()})"
        if kind < 16:
            return f"({e()} {self.pick(['&&', '||'])} {e()})"
        if kind < 18:
            return f"({self.pick('-~!+')}{e()})"
        if kind < 20:
            return f"({e()} ? {e()} : {e()})"
        if kind < 23:
            # The sign keeps "int(short(N))" from being read as the type of a function.
            return self.pick(["({})({})", "static_cast<{}>({})", "{}(+{})"]).format(self.pick(SCALARS), e())
        if kind < 25:
            return self.call(depth - 1)
        if kind < 26:
            return self.call_template(depth - 1) if self.chance(0.6) else self.call_overloaded(depth - 1)
        if kind < 28:
            return self.builtin(depth - 1)
        if kind < 29:
            return self.call_getter(depth - 1)
        if kind < 30 and self.lambdas[-1] and not self.in_lambda:
            name, count = self.pick(self.lambdas[-1])
            return f"{name}({', '.join(e() for _ in range(count))})"
        if kind < 31 and depth > 1:
            a = self.real(depth - 2)
            return f"(int)({a})" if self.chance(0.5) else f"({a} {self.pick(['<', '>', '<=', '=='])} {self.real(depth - 2)})"
        return self.leaf()

    def real(self, depth):
        """A float of moderate size: what each operation makes is rounded once, and tamed."""
        floats = self.known("float")
        if depth <= 0 or self.chance(0.2):
            if floats and self.chance(0.6):
                return self.pick(floats).name
            return self.pick([f"{self.below(64) / 8}f", f"{self.below(1000) / 100}f", f"(float)((int)({self.expression(1)}) & 1023)"])
        if self.chance(0.15):
            return f"({self.expression(1)} ? {self.real(depth - 1)} : {self.real(depth - 1)})"
        if self.chance(0.1):
            return f"(-({self.real(depth - 1)}))"
        return f"tame({self.real(depth - 1)} {self.pick('+-*/')} {self.real(depth - 1)})"

    def builtin(self, depth):
        e = lambda: self.expression(depth)  # noqa: E731
        t = self.pick(INTEGERS)
        to, of = self.pick([("int", "uint"), ("uint", "int"), ("long", "ulong"), ("ushort", "short")])
        return self.pick([
            lambda: f"{self.pick(['min', 'max'])}(({t}){e()}, ({t}){e()})",
            lambda: f"clamp(({t}){e()}, ({t}){self.below(20)}, ({t}){20 + self.below(100)})",
            lambda: f"popcount(({self.pick(['uint', 'ulong'])}){e()})",
            lambda: f"{self.pick(['clz', 'ctz'])}((uint){e()})",
            lambda: f"abs((int){e()})",
            lambda: f"rotate((uint){e()}, (uint){e()})",
            lambda: "mulhi(({0}){1}, ({0}){2})".format(self.pick(["int", "uint"]), e(), e()),
            lambda: f"{self.pick(['absdiff', 'hadd'])}((int){e()}, (int){e()})",
            lambda: f"rhadd((uint){e()}, (uint){e()})",
            lambda: f"select(({t}){e()}, ({t}){e()}, (bool){e()})",
            lambda: f"as_type<{to}>(({of}){e()})"])()

    def call(self, depth):
        """Of a function that has no effect on variables of the caller."""
        pure = [f for f in self.functions if all(how != "reference" for _, how in f.parameters)]
        if not pure:
            return self.leaf()
        f = self.pick(pure)
        args = []
        for type, how in f.parameters:
            given = [v.name for v in self.known("struct") if v.type.name == type]
            args.append(self.expression(depth) if how == "value" else self.pick(given) if given else f"{type}()")
        if f.defaults and self.chance(0.5):
            args.pop()
        return f"{f.name}({', '.join(args)})"

    def call_template(self, depth):
        if not self.templates:
            return self.leaf()
        kind, name, count = self.pick(self.templates)
        t = self.pick(INTEGERS)
        if kind == "types":
            args = ", ".join(f"({t}){self.expression(depth)}" for _ in range(count))
            return f"{name}({args})" if self.chance(0.5) else f"{name}<{t}>({args})"
        words = str(1 + self.below(6)) if kind == "number" else f"{t}, {1 + self.below(4)}"
        return f"{name}<{words}>({self.expression(depth)})"

    def call_overloaded(self, depth):
        """By an argument of exactly one of the types, or one that is promoted to int, which is among them."""
        if not self.overloads:
            return self.leaf()
        name, types = self.pick(self.overloads)
        return f"{name}(({self.pick(types + ['bool', 'char', 'short', 'uchar', 'ushort'])}){self.expression(depth)})"

    def call_getter(self, depth):
        objects = [v for v in self.known("struct") if v.type.getters]
        if not objects:
            return self.leaf()
        v = self.pick(objects)
        name, count = self.pick(v.type.getters)
        return f"{v.name}.{name}({', '.join(self.expression(depth) for _ in range(count))})"

    def vector(self, type, depth):
        element, width = VECTORS[type]
        same = [v.name for v in self.known("vector") if v.type == type]
        others = [t for t in VECTORS if VECTORS[t][1] == width and t != type]
        if depth <= 0 or self.chance(0.3):
            if same and self.chance(0.7):
                return self.pick(same)
            count = width if self.chance(0.7) else 1
            return f"{type}({', '.join(f'({element}){self.expression(1)}' for _ in range(count))})"
        if others and self.chance(0.2):
            return f"{type}({self.vector(self.pick(others), depth - 1)})"
        return f"({self.vector(type, depth - 1)} {self.pick('+-*&|^')} {self.vector(type, depth - 1)})"

    # ---- Statements, as lists of lines

    def place(self, numbers=False):
        """A scalar that may be assigned, or None; `numbers`: no bool."""
        free = [v for v in self.known("scalar", "array", "vector", "struct", free=True) if not (numbers and v.type == "bool")]
        for _ in range(8 * bool(free)):
            place = self.part(self.pick(free))
            if not (numbers and "flag" in place):
                return place
        return None

    def effect(self):
        place = self.place(numbers=True)
        if place is None:
            return self.expression(2)
        return self.pick([f"{place}++", f"--{place}", f"{place} {self.pick(['=', '+=', '-=', '^=', '|=', '*='])} {self.expression(2)}"])

    def assign(self):
        place = self.place()
        if place is None:
            return ";"
        kind = self.below(11)
        if kind < 4:
            return f"{place} = {self.expression()};"
        if kind == 10:
            a = self.pick(self.known("scalar", free=True) or [None])
            same = [v.name for v in self.known("scalar", free=True) if a and v.type == a.type]
            return f"({self.expression(2)} ? {self.pick(same)} : {self.pick(same)}) {self.pick(['=', '+=', '^='])} {self.expression(2)};" if same else ";"
        if kind < 7:
            return f"{place} {self.pick(['+=', '-=', '^=', '|=', '&=', '*='])} {self.expression()};"
        if kind < 8:
            return f"{place} {self.pick(['<<=', '>>='])} ({self.expression(2)} & 7);"
        if kind < 9:
            return f"{place} {self.pick(['/=', '%='])} (({self.expression(2)} & 7) + 1);"
        return f"{place} = !{place};" if "flag" in place else f"{self.pick(['++', '--'])}{place};"

    def ordered_effects(self):
        a, b = self.effect(), self.effect()
        return self.pick([f"{a}, {b};", f"(void)({self.expression(2)} && ({a}, true));", f"(void)({self.expression(2)} || ({a}, false));",
                          f"{self.expression(2)} ? (void)({a}) : (void)({b});"])

    def block(self, most, least=1):
        """Statements in a scope of their own, indented."""
        self.scopes.append({})
        self.lambdas.append(list(self.lambdas[-1]))
        out = self.statements(self.random.randrange(least, most))
        self.scopes.pop()
        self.lambdas.pop()
        return ["    " + line for line in out]

    def statements(self, count):
        return [line for _ in range(count) for line in self.statement()]

    def statement(self):
        self.budget -= 1
        if self.budget < 0:
            return [self.assign()]
        return self.pick([self.scalar] * 5 + [self.array, self.object, self.object, self.vectors, self.vectors, self.float] +
                         [lambda: [self.assign()]] * 6 + [self.branch] * 4 + [self.loop] * 4 + [self.switch] * 3 + [self.leave] * 2 +
                         [lambda: ["{"] + self.block(4) + ["}"], lambda: [self.ordered_effects()], lambda: [self.ordered_effects()],
                          self.end, self.reference, self.reference, self.pointer, self.make_lambda, self.make_lambda, self.method,
                          self.method, self.call_with_references, self.call_with_references])()

    def scalar(self):
        type = self.pick(SCALARS)
        name, value, fixed = self.name("flag" if type == "bool" else "x"), f"({type}){self.expression()}", self.chance(0.15)
        self.declare(name, type, fixed=fixed)
        const = "const " * fixed
        return [self.pick([f"{const}{type} {name} = {value};", f"{const}{type} {name}({value});", f"{const}auto {name} = {value};"])]

    def float(self):
        floats = self.known("float", free=True)
        if floats and self.chance(0.5):
            return [f"{self.pick(floats).name} = {self.real(2)};"]
        name, value = self.name("r"), self.real(2)
        self.declare(name, "float", "float")
        return [f"float {name} = {value};"]

    def array(self):
        type, count = self.pick(INTEGERS), self.pick([2, 3, 4, 8])
        items = [f"({type}){self.expression(2)}" for _ in range(self.pick([1, count]))]
        name = self.declare(self.name("a"), type, "array", count).name
        return [f"{type} {name}[{count}] = {{{', '.join(items)}}};"]

    def object(self):
        if not self.structs:
            return self.array()
        s, name = self.pick(self.structs), self.name("s")
        same = [v.name for v in self.known("struct") if v.type is s]
        if same and self.chance(0.4):
            text = f"{s.name} {name} = {self.pick(same)};"
        elif self.chance(0.15):
            text = self.pick([f"{s.name} {name} = {s.name}();", f"{s.name} {name}{{}};"])
        elif s.constructs:
            text = f"{s.name} {name}({self.expression(2)});"
        else:
            items = [("{%s}" if count else "%s") % ", ".join(f"({type}){self.expression(1)}" for _ in range(max(count, 1)))
                     for _, type, count in s.fields]
            text = f"{s.name} {name} = {{{', '.join(items)}}};"
        self.declare(name, s, "struct")
        return [text]

    def vectors(self):
        free = self.known("vector", free=True)
        if free and self.chance(0.5):
            v = self.pick(free)
            return [f"{v.name} {self.pick(['=', '+=', '-=', '*=', '^=', '&='])} {self.vector(v.type, 2)};"]
        type = self.pick(list(VECTORS))
        value = self.vector(type, 2)
        name = self.declare(self.name("v"), type, "vector").name
        return [f"{type} {name} = {value};"]

    def branch(self):
        out = [f"if ({self.expression()}) {{"] + self.block(4)
        if self.chance(0.3):
            out += [f"}} else if ({self.expression()}) {{"] + self.block(3)
        if self.chance(0.5):
            out += ["} else {"] + self.block(4)
        return out + ["}"]

    def loop(self):
        if self.loops >= 3:
            return self.branch()
        self.loops += 1
        self.scopes.append({})
        kind, count, outer = self.below(5), 1 + self.below(8), []
        type = self.pick(["int", "uint", "short", "uchar"]) if kind < 3 else "int"
        bound, name = str(count) if self.chance(0.5) else f"({type})(({self.expression(1)} & 7) + 1)", self.name("i")
        condition = self.expression(2)
        self.declare(name, type, fixed=True)
        step = self.pick([f"++{name}", f"{name}++", f"{name} += {1 + self.below(3)}"])
        body = self.block(4)
        self.scopes.pop()
        self.loops -= 1
        if kind < 3:
            return [f"for ({type} {name} = 0; {name} < {bound}; {step}) {{"] + body + ["}"]
        self.declare(name, type, fixed=True)
        outer = [f"int {name} = 0;"]
        if kind == 3:
            return outer + [f"while ({name}++ < {count} && {condition}) {{"] + body + ["}"]
        return outer + ["do {"] + body + [f"}} while (++{name} < {count} && {condition});"]

    def switch(self):
        out = [f"switch ((int)({self.expression(2)} & 7)) {{"]
        labels = [f"case {c}" for c in self.random.sample(range(8), 1 + self.below(4))]
        if self.chance(0.7):
            labels.insert(self.below(len(labels) + 1), "default")
        for label in labels:
            out += [f"{label}: {{"] + self.block(3) + ["}"] + ["    break;"] * self.chance(0.6)
        return out + ["}"]

    def leave(self):
        if self.loops == 0:
            return self.branch()
        return [f"if ({self.expression(2)}) {self.pick(['break', 'continue'])};"]

    def end(self):
        if self.result is None:
            return [self.assign()]
        return [f"if ({self.expression(2)}) return ({self.result}){self.expression(2)};"]

    def reference(self):
        free = self.known("scalar", free=True)
        if not free:
            return [self.assign()]
        arrays = self.known("array", free=True)
        v, name = self.pick(arrays if arrays and self.chance(0.3) else free), self.name("ref")
        name, place = "flag" + name if v.type == "bool" else name, self.part(v)
        self.declare(name, v.type)
        return [f"thread {v.type} &{name} = {place};"]

    def pointer(self):
        free = self.known("array", free=True)
        if not free:
            return [self.assign()]
        v, name = self.pick(free), self.name("p")
        skipped = self.below(v.count)
        self.declare(name, v.type, "array", v.count - skipped)
        return [f"thread {v.type} *{name} = " + self.pick([f"{v.name} + {skipped};", f"&{v.name}[{skipped}];"])]

    def make_lambda(self):
        """One that captures by value is called in expressions; one that captures by reference may have effects, and is called once."""
        if self.in_lambda:
            return [self.assign()]
        by_reference, name, result = self.chance(0.5), self.name("l"), self.pick(["int", "uint", "long", "ulong"])
        parameters = [(self.pick(INTEGERS), self.name("q")) for _ in range(self.below(3))]
        saved = [(v, v.fixed) for v in self.known("scalar", "float", "array", "vector", "struct")]
        for v, fixed in saved:
            v.fixed = fixed or not by_reference
        outer = self.result, self.loops
        self.in_lambda, self.result, self.loops = True, result, 0
        self.scopes.append({n: Variable(n, t, fixed=not by_reference) for t, n in parameters})
        body = self.block(3) if by_reference else []
        body.append(f"    return ({result}){self.expression(2)};")
        self.scopes.pop()
        self.in_lambda, (self.result, self.loops) = False, outer
        for v, fixed in saved:
            v.fixed = fixed
        heading = f"auto {name} = [{'&' if by_reference else '='}]({', '.join(f'{t} {n}' for t, n in parameters)}) {{"
        out = [heading] + body + ["};"]
        places = self.known("scalar", free=True)
        if not by_reference:
            self.lambdas[-1].append((name, len(parameters)))
        elif places:
            out.append(f"{self.pick(places).name} = {name}({', '.join(self.expression(1) for _ in parameters)});")
        return out

    def method(self):
        free = self.known("struct", free=True)
        if not free:
            return self.object()
        v = self.pick(free)
        if v.type.setters:
            name, count = self.pick(v.type.setters)
            return [f"{v.name}.{name}({', '.join(self.expression(1) for _ in range(count))});"]
        a, b = (self.pick([w.name for w in self.known("struct") if w.type is v.type]) for _ in range(2))
        return [f"{v.name} = {a} {v.type.operator} {b};" if v.type.operator else f"{v.name} = {a};"]

    def call_with_references(self):
        taking = [f for f in self.functions if any(how == "reference" for _, how in f.parameters)]
        if not taking:
            return [self.assign()]
        f = self.pick(taking)
        args = []
        for type, how in f.parameters:
            fit = {"reference": [v.name for v in self.known("scalar", free=True) if v.type == type],
                   "struct": [v.name for v in self.known("struct") if v.type.name == type],
                   "value": [v.name for v in self.known("scalar")] + [self.literal()]}[how]
            if not fit:
                return [self.assign()]
            args.append(self.pick(fit))
        return [f"{f.name}({', '.join(args)});"]

    # ---- Definitions

    def begin(self, budget, result):
        self.scopes, self.lambdas, self.budget, self.result, self.loops = [{}], [[]], budget, result, 0

    def parameters(self, most):
        return [(self.pick(SCALARS), self.name("q")) for _ in range(self.below(most))]

    def make_method(self, s, result, const):
        self.begin(5, result)
        for name, type, count in s.fields:
            self.declare(name, type, "array" if count else "scalar", count, fixed=const)
        name, parameters = self.name("get" if const else "set"), self.parameters(3)
        for t, n in parameters:
            self.declare("flag" + n if t == "bool" else n, t)
        words = ", ".join(f"{t} {'flag' + n if t == 'bool' else n}" for t, n in parameters)
        self.scopes.append({})
        body = self.block(3, 0) + ([f"    return ({result}){self.expression()};"] if result else [])
        (s.getters if const else s.setters).append((name, len(parameters)))
        return [f"    {result or 'void'} {name}({words}){' const' * const} {{"] + ["    " + line for line in body] + ["    }"]

    def make_struct(self):
        s = Struct(self.name("S"))
        for _ in range(1 + self.below(4)):
            type = self.pick(SCALARS)
            s.fields.append((self.name("flag" if type == "bool" else "m"), type, 0 if type == "bool" else self.pick([0, 0, 0, 2, 4])))
        lines = [f"    {type} {name}{f'[{count}]' if count else ''};" for name, type, count in s.fields]
        if self.chance(0.3):
            s.constructs = True
            first = ", ".join(f"{name}(({type})(a + {i}))" for i, (name, type, count) in enumerate(s.fields) if not count)
            rest = " ".join(f"for (int i = 0; i < {count}; i++) {name}[i] = ({type})(a * i);" for name, type, count in s.fields if count)
            lines += [f"    {s.name}() = default;", f"    explicit {s.name}(int a){' : ' + first if first else ''} {{ {rest} }}"]
        if self.chance(0.6):
            lines += self.make_method(s, self.pick(INTEGERS), True)
        if self.chance(0.6):
            lines += self.make_method(s, None, False)
        if self.chance(0.4):
            s.operator = self.pick("+-*^|")
            lines += [f"    {s.name} operator{s.operator}({s.name} o) const {{", f"        {s.name} r = o;"]
            for name, type, count in s.fields:
                at, loop = ("[i]", f"for (int i = 0; i < {count}; i++) ") if count else ("", "")
                lines.append(f"        {loop}r.{name}{at} = ({type})({name}{at} {s.operator} o.{name}{at});")
            lines += ["        return r;", "    }"]
        self.structs.append(s)
        self.out += [f"struct {s.name} {{"] + lines + ["};"]

    def make_function(self):
        self.begin(4 + self.below(10), self.pick(SCALARS))
        parameters, words = [], []
        for _ in range(self.below(5)):
            type, kind = self.pick(SCALARS), self.below(10)
            name = self.name("flag" if type == "bool" else "q")
            if kind >= 8 and self.structs:
                s = self.pick(self.structs)
                parameters.append((s.name, "struct"))
                words.append(f"{s.name} {self.declare(self.name('s'), s, 'struct').name}")
                continue
            parameters.append((type, "reference" if kind in (6, 7) else "value"))
            words.append(f"thread {type} &{name}" if kind in (6, 7) else f"{type} {name}")
            self.declare(name, type)
        defaults = bool(parameters) and parameters[-1][1] == "value" and self.chance(0.3)
        if defaults:
            words[-1] += f" = ({parameters[-1][0]}){self.literal()}"
        name, result = self.name("f"), self.result
        body = self.statements(2 + self.below(4))
        self.out += [f"static {result} {name}({', '.join(words)}) {{"] + ["    " + line for line in body]
        self.out += [f"    return ({result}){self.expression()};", "}"]
        self.functions.append(Function(name, parameters, defaults))

    def make_overloads(self):
        name, types = self.name("o"), ["int"] + self.random.sample([t for t in INTEGERS if t != "int"], 1 + self.below(4))
        for type in types:
            self.begin(4, self.pick(INTEGERS))
            q, result = self.declare(self.name("q"), type).name, self.result
            body = ["    " + line for line in self.statements(self.below(3))]
            self.out += [f"static {result} {name}({type} {q}) {{"] + body + [f"    return ({result}){self.expression(2)};", "}"]
        self.overloads.append((name, types))

    def make_template(self):
        kind, name = self.pick(["types", "number", "both"]), self.name("t")
        result, count = "int" if kind == "number" else "T", 1 + self.below(3) if kind == "types" else 1
        self.begin(6, result)
        parameters = [self.declare(self.name("q"), result).name for _ in range(count)]
        if kind != "types":
            self.declare("N", "int", fixed=True)
        words = {"types": "typename T", "number": "int N", "both": "typename T, int N"}[kind]
        self.out.append(f"template <{words}> static {result} {name}({', '.join(f'{result} {q}' for q in parameters)}) {{")
        self.out += ["    " + line for line in self.statements(1 + self.below(3))]
        if kind == "types":
            self.out += [f"    return (T){self.expression()};", "}"]
        else:
            self.out += [f"    {result} sum = 0, part[N];", f"    for (int i = 0; i < N; i++) part[i] = ({result})({parameters[0]} + i);",
                         f"    for (int i = 0; i < N; i++) sum = ({result})(sum * 3 + part[i] + ({result}){self.expression()});",
                         "    return sum;", "}"]
        self.templates.append((kind, name, count))

    def sum_up(self):
        """The end of `entry`: every variable that is in sight counts."""
        parts = []
        for v in self.known("scalar", "float", "array", "vector", "struct"):
            if v.shape == "scalar":
                parts.append(v.name)
            elif v.shape == "float":
                parts.append(f"as_type<uint>({v.name} + 0.0f)")
            elif v.shape == "array":
                parts += [f"{v.name}[{i}]" for i in range(v.count)]
            elif v.shape == "vector":
                parts += [f"{v.name}[{i}]" for i in range(VECTORS[v.type][1])]
            else:
                for name, _, count in v.type.fields:
                    parts += [f"{v.name}.{name}[{i}]" for i in range(count)] if count else [f"{v.name}.{name}"]
        return ["uint h = 17u;"] + [f"h = h * 31u + (uint)({p});" for p in parts] + ["return (int)h;"]

    def program(self):
        self.out = [f"namespace {self.space} {{", TAME]
        if self.chance(0.6):
            type, name, count = self.pick(INTEGERS), self.name("table"), self.pick([2, 4, 8])
            self.out.append(f"constant {type} {name}[{count}] = {{{', '.join(f'({type}){self.below(1100) - 100}' for _ in range(count))}}};")
            self.tables.append((name, count))
        if self.chance(0.5):
            names = [self.name("k") for _ in range(3)]
            self.out.append(f"enum {self.name('E')} {{ {', '.join(f'{n} = {self.below(305) - 5}' for n in names)} }};")
            self.constants += names
        if self.chance(0.4):
            type, name = self.pick(INTEGERS), self.name("c")
            self.out.append(f"constant constexpr {type} {name} = ({type}){self.literal()};")
            self.constants.append(name)
        for _ in range(self.below(3)):
            self.make_struct()
        for _ in range(1 + self.below(5)):
            self.pick([self.make_function] * 5 + [self.make_template] * 2 + [self.make_overloads])()
        self.begin(25, "int")
        for name, type in (("tid", "uint"), ("in0", "int"), ("in1", "int")):
            self.declare(name, type, fixed=True)
        body = self.statements(5 + self.below(7))
        self.out += ["static int entry(uint tid, int in0, int in1) {"] + ["    " + line for line in body + self.sum_up()] + ["}", "}"]
        return self.out
