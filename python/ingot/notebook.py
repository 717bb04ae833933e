"""`%load_ext ingot.notebook`, then a cell that begins with `%%ingot` or `%%ingot NAME`: its TVMScript and the Metal text that it
becomes, side by side. With NAME the compiled module is put under that name."""

from __future__ import annotations

import html
import re
from typing import Any

_STYLE = {"word": "color:#7d2cb5", "number": "color:#0a6b3d", "text": "color:#a3450c", "comment": "color:#6b7280",
          "attribute": "color:#1d5fa8"}
_PYTHON = {"and", "def", "class", "elif", "else", "False", "for", "from", "if", "import", "in", "not", "None", "or", "return", "True",
           "while", "with", "break", "continue", "as", "is", "lambda", "assert"}
_METAL = {"bool", "char", "const", "constant", "device", "else", "false", "float", "for", "half", "if", "include", "int", "kernel",
          "long", "namespace", "return", "short", "struct", "thread", "threadgroup", "true", "uchar", "uint", "ulong", "ushort",
          "using", "void", "while", "bfloat", "volatile", "static", "break", "continue", "inline", "alignas"}
_TOKENS = (r"(?P<text>\"[^\"\n]*\"|'[^'\n]*')|(?P<comment>{comment}[^\n]*)|(?P<attribute>{attribute})"
           r"|(?P<number>\b\d[\w.]*(?:[eE][+-]\d+\w*)?)|(?P<name>[A-Za-z_]\w*)")
_PYTHON_TOKENS = re.compile(_TOKENS.format(comment="#", attribute=r"@[\w.]+"))
_METAL_TOKENS = re.compile(_TOKENS.format(comment="//", attribute=r"\[\[[^\]]*\]\]|\#\w+"))


def highlight(text: str, language: str) -> str:
    """HTML of a text in "python" or "metal"."""
    words, tokens = (_PYTHON, _PYTHON_TOKENS) if language == "python" else (_METAL, _METAL_TOKENS)
    words = words | {name + lanes for name in ("float", "half", "int", "uint", "char", "uchar") for lanes in "234"}

    out, at = [], 0
    for token in tokens.finditer(text):
        out.append(html.escape(text[at : token.start()]))
        kind = token.lastgroup or "name"
        if kind == "name":
            kind = "word" if token.group() in words else ""
        shown = html.escape(token.group())
        out.append(f'<span style="{_STYLE[kind]}">{shown}</span>' if kind else shown)
        at = token.end()
    out.append(html.escape(text[at:]))
    return "".join(out)


def side_by_side(script: str, metal: str) -> str:
    """HTML of the two texts."""
    cells = [f'<td style="vertical-align:top;text-align:left;padding:0 1em 0 0"><b>{title}</b><pre style="text-align:left">'
             f"{highlight(text, language)}</pre></td>"
             for title, text, language in (("TVMScript", script, "python"), ("Metal", metal, "metal"))]
    return f"<table><tr>{''.join(cells)}</tr></table>"


class Display:
    """What a notebook shows; prints as both texts."""

    def __init__(self, script: str, metal: str) -> None:
        self.script, self.metal = script, metal

    def _repr_html_(self) -> str:
        return side_by_side(self.script, self.metal)

    def __repr__(self) -> str:
        return f"{self.script}\n{self.metal}"


def show(program: Any) -> Display:
    """A module or function, or its text, beside what it becomes."""
    from .compiler import emit

    return Display(program if isinstance(program, str) else str(program), emit(program, "metal"))


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext ingot.notebook`."""

    def ingot_cell(line: str, cell: str) -> Display:
        from .compiler import compile
        from .script import from_source

        program = from_source(cell, "<cell>")
        if line.strip():
            shell.user_ns[line.strip()] = compile(program)
        return show(cell)

    shell.register_magic_function(ingot_cell, "cell", "ingot")
