"""docs/reference.md is what the package's signatures and docstrings say. UPDATE=1 writes it anew."""

import importlib
import inspect
import os
import re
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "reference.md"
MODULES = ("ingot", "ingot.runtime", "ingot.script", "ingot.msl", "ingot.check", "ingot.error", "ingot.testing", "ingot.notebook",
           "ingot.pytest_plugin", "ingot.tvm_ffi")
HEAD = """# The Python package, name by name

Made from the package's own signatures and texts. [python.md](python.md) is the guide. C has its reference in the headers,
`include/ingot/`.
"""


def summary(thing):
    own = getattr(thing, "__doc__", None)  # and not what it inherits
    return inspect.cleandoc(own) if own else ""


def signature(name, thing):
    try:
        found = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    found = re.sub(r"(: |-> )'([^']*)'", r"\1\2", found)  # annotations are strings
    return name + found.replace("(self, ", "(").replace("(self)", "()")


def is_own(thing, module):
    return (inspect.isclass(thing) or inspect.isfunction(thing)) and thing.__module__.startswith("ingot") and (
        thing.__module__ == module.__name__ or hasattr(module, "__all__"))


def members(cls):
    """Methods and properties of its own, with what stands for calls and indexing."""
    for name, value in vars(cls).items():
        if name.startswith("_") and name not in ("__call__", "__getitem__"):
            continue
        if isinstance(value, property) and summary(value):
            yield name, name, summary(value)
        elif inspect.isfunction(value) and summary(value):
            yield name, signature(name, value), summary(value)


def one_line(text):
    return " ".join(text.split())


def describe(module):
    lines = [f"\n## {module.__name__}\n", summary(module).split("\n\n")[0], ""]
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    seen = set()
    for name in sorted(names, key=str.lower):
        thing = getattr(module, name)
        if not is_own(thing, module) or thing in seen:
            continue
        seen.add(thing)
        lines += [f"### `{signature(name, thing) if inspect.isfunction(thing) else name}`\n", summary(thing), ""]
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            rows = [f"- `{shown}`: {one_line(text)}" for _, shown, text in members(thing)]
            lines += [*rows, ""] if rows else []
    return lines


def page():
    lines = [HEAD]
    for name in MODULES:
        lines += describe(importlib.import_module(name))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).rstrip("\n") + "\n"


class Reference(unittest.TestCase):
    def test_page(self):
        if os.environ.get("UPDATE"):
            PAGE.write_text(page(), encoding="utf-8")
        self.assertEqual(PAGE.read_text(encoding="utf-8"), page(), "run it again with UPDATE=1, and read what it wrote")

    def test_every_public_name_is_described(self):
        import ingot

        missing = []
        for name in ingot.__all__:
            thing = getattr(ingot, name)
            if (inspect.isclass(thing) or inspect.isfunction(thing)) and not summary(thing):
                missing.append(name)
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
