"""The source text of a function, and the values that it takes from its surroundings."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import types
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Set, Tuple


@dataclass
class Source:
    """Lines of one function as they stand in a file, and what the free names in them mean."""

    name: str
    filename: str
    lineno: int  # of the first line
    lines: List[str]  # without line ends
    names: Dict[str, Any] = field(default_factory=dict)

    @property
    def indent(self) -> int:
        return len(self.lines[0]) - len(self.lines[0].lstrip(" \t"))

    def dedented(self) -> List[str]:
        """The lines without the indentation of the first; a line that has less of it loses what it has."""
        prefix = self.lines[0][: self.indent]
        return [line[len(prefix) :] if line.startswith(prefix) else line.lstrip(" \t") for line in self.lines]


def source_of(function: Callable[..., Any], frame: Any) -> Source:
    """The source of a function that is being decorated; `frame` is where that happens."""
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"a program's function must be a Python function, not {type(function).__name__}")
    try:
        lines, lineno = _quick_lines(function) or inspect.getsourcelines(function)
    except (OSError, TypeError) as reason:
        raise OSError(
            f"the source text of {function.__qualname__} cannot be found (code run from a string has none): "
            "put it into a file, or use ingot.script.from_source"
        ) from reason
    filename = inspect.getsourcefile(function) or function.__code__.co_filename
    source = Source(function.__name__, filename, max(lineno, 1), [line.rstrip("\r\n") for line in lines])
    source.names = _captured(function, source, frame)
    return source


_BRACKETS = re.compile(r"#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()\[\]{}]|\\\n")
_WORDS = re.compile(r"[^\W\d]\w*")
_ANNOTATED = re.compile(r"\s*\w+\s*:(?!=)")
_DEFINITION = re.compile(r"\s*(@|def\s|async\s)")


def _last_line(code: types.CodeType) -> int:
    """The last line that some instruction comes from."""
    last = max((line for _, _, line in code.co_lines() if line), default=code.co_firstlineno)
    return max([last, *(_last_line(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))])


def _quick_lines(function: types.FunctionType) -> Optional[Tuple[List[str], int]]:
    """The lines of a function by indentation, which is much faster than to tokenize them; None where it does not suffice:
    strings over several lines, brackets or a line that goes on at the end, what looks like no definition."""
    code = function.__code__
    if not hasattr(code, "co_lines"):  # before Python 3.10
        return None
    whole = linecache.getlines(code.co_filename, function.__globals__)
    first, last = code.co_firstlineno - 1, _last_line(code)
    if not 0 <= first < last <= len(whole) or not _DEFINITION.match(whole[first]):
        return None
    indent = len(whole[first]) - len(whole[first].lstrip(" \t"))
    end = last
    for at in range(last, len(whole)):
        stripped = whole[at].strip()
        if stripped and not stripped.startswith("#"):
            if len(whole[at]) - len(whole[at].lstrip(" \t")) <= indent:
                break
            end = at + 1
    lines = whole[first:end]
    text = "".join(lines)
    marks = [mark for mark in _BRACKETS.findall(text) if mark[0] in "()[]{}\\"]
    opened = sum(mark in "([{" for mark in marks)
    if '"' * 3 in text or "'" * 3 in text or opened * 2 != len(marks):
        return None
    return lines, first + 1


def _captured(function: types.FunctionType, source: Source, frame: Any) -> Dict[str, Any]:
    scopes = list(_scopes(function, frame))
    found: Dict[str, Any] = {}
    names, head = _free_names(function.__code__), _head(source.dedented())
    # Only where a word of the head means something outside does it take the tree to know which words are names there.
    words = set(_WORDS.findall("\n".join(head))) - names - {source.name}
    if any(word in scope for scope in scopes for word in words):
        names |= _outer_names(head)
    for line in source.lines[len(head) :]:
        # Python does not evaluate the annotations of local variables, so that the code object lacks their names.
        if _ANNOTATED.match(line):
            names.update(_WORDS.findall(line.partition(":")[2].partition("=")[0]))
    for name in sorted(names):
        for scope in scopes:
            if name in scope:
                found[name] = scope[name]
                break
    return found


def _scopes(function: types.FunctionType, frame: Any) -> Iterator[Mapping[str, Any]]:
    """Where a name is looked for, innermost first."""
    cells: Dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    yield cells
    # A class body is no scope for the functions in it, but for their annotations; what surrounds it waits below it.
    while frame is not None and frame.f_code.co_name != "<module>":
        yield frame.f_locals
        frame = _surrounding(frame) if frame.f_code.co_flags & inspect.CO_OPTIMIZED else frame.f_back
    yield function.__globals__


def _surrounding(frame: Any) -> Any:
    """The call, among those that wait, of the function that this one's text stands in: annotations that are kept as text make
    no closure of its names."""
    code = frame.f_code
    while frame is not None and code not in frame.f_code.co_consts:
        frame = frame.f_back
    return frame


def _free_names(code: types.CodeType) -> Set[str]:
    """The names that a body takes from outside (and names of attributes, which do no harm)."""
    names = set(code.co_freevars) | set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _free_names(constant)
    return names


def _outer_names(head: List[str]) -> Set[str]:
    """The names in decorators and annotations, which Python evaluates outside of the function."""
    for text in ("\n".join([*head, "    pass"]), "\n".join(head)):  # the body may stand in the last line of the head
        try:
            (node,) = ast.parse(text).body
        except (SyntaxError, ValueError):  # e.g. a text whose strings do not bear the dedent
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outer: Tuple[Any, ...] = (*node.decorator_list, node.args, *([node.returns] if node.returns else []))
            return {n.id for part in outer for n in ast.walk(part) if isinstance(n, ast.Name)}
    return set()


def _head(lines: List[str]) -> List[str]:
    """Decorators and signature: the lines up to the one that closes what follows `def`."""
    depth, defined = 0, False
    for i, line in enumerate(lines):
        marks = _BRACKETS.findall(line)
        depth += sum(mark in "([{" for mark in marks) - sum(mark in ")]}" for mark in marks)
        defined = defined or line.startswith(("def ", "async "))
        if defined and depth <= 0:
            return lines[: i + 1]
    return lines


def plain_source(function: types.FunctionType) -> Source:
    """The source of an undecorated function that a program calls while it is read."""
    return source_of(function, None)
