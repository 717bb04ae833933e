"""Programs: functions and modules as text for the compiler, with the way back to the user's own lines."""

from __future__ import annotations

import types
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ._capture import Source, plain_source
from ._term import literal

Place = Tuple[str, int, int, str]  # file, line, columns cut off, the line as it stands there


class Text:
    """The text of one program, put together of pieces of files."""

    def __init__(self) -> None:
        self.lines: List[str] = []
        self.places: List[Optional[Place]] = []
        self._defined: Dict[str, Any] = {}
        self._unknown: Dict[str, str] = {}

    def add(self, source: Source) -> None:
        """Adds a function after what it captures."""
        for name, value in source.names.items():
            if name != source.name:
                self._define(name, value)
        for offset, (cut, line) in enumerate(zip(source.dedented(), source.lines)):
            self.lines.append(cut)
            self.places.append((source.filename, source.lineno + offset, len(line) - len(cut), line))

    def _define(self, name: str, value: Any) -> None:
        if name in self._defined and self._defined[name] is value:
            return
        if isinstance(value, Macro):
            self._function(name, value, value.source)
            return
        spelling = getattr(value, "_SCRIPT_IMPORT", None) if isinstance(value, types.ModuleType) else None
        text = literal(value) if spelling is None else None
        if spelling is not None:
            self._line(spelling.format(name))
        elif text is not None:
            self._line(f"{name} = {text}")
        elif isinstance(value, types.FunctionType) and value.__name__ == name:
            try:
                self._function(name, value, plain_source(value))
            except OSError:
                self._unknown[name] = "function"
                return
        else:
            self._unknown[name] = type(value).__name__
            return
        self._defined[name] = value

    def _function(self, name: str, value: Any, source: Source) -> None:
        self._defined[name] = value  # before its own names: it may refer to itself
        self.add(source)

    def _line(self, text: str) -> None:
        self.lines.append(text)
        self.places.append(None)

    def hint(self, message: str) -> str:
        """More about a message that speaks of a name whose value the language has no form for."""
        for name, kind in self._unknown.items():
            if f"'{name}'" in message:
                return f" (in Python '{name}' is of type {kind}, which a program cannot use)"
        return ""

    def place(self, line: int) -> Optional[Place]:
        return self.places[line - 1] if 0 < line <= len(self.places) else None

    def __str__(self) -> str:
        return "\n".join([*self.lines, ""])


class Macro:
    """A macro; only programs call it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.__name__ = source.name

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise TypeError(f"{self.__name__} is a macro: only a program can call it")


class _Program:
    """What can be checked, printed and compiled."""

    def text(self) -> Text:
        raise NotImplementedError

    def check(self) -> None:
        """Reads the program; raises ScriptError where it is wrong."""
        self.script()

    def script(self) -> str:
        """The program as the compiler has read it, printed as TVMScript."""
        from ..compiler import emit  # the compiler knows this module

        return emit(self, "tir")

    def show(self) -> None:
        """Prints `script()`."""
        print(self.script())

    def __str__(self) -> str:
        return self.script()

    def _repr_html_(self) -> str:
        """In notebooks: the program beside its Metal text."""
        from ..notebook import show

        return show(self)._repr_html_()


class PrimFunc(_Program):
    """One function of a program."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.__name__ = source.name
        self._text: Optional[Text] = None  # once it was put together: it stays as it is

    def text(self) -> Text:
        if self._text is None:
            self._text = Text()
            self._text.add(self.source)
        return self._text

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise TypeError(f"{self.__name__} is not compiled: call ingot.compile({self.__name__}) first")

    def __repr__(self) -> str:
        return f"<ingot PrimFunc {self.__name__} at {self.source.filename}:{self.source.lineno}>"


class IRModule(_Program):
    """Functions by name. The symbols are the functions' own."""

    def __init__(self, functions: Optional[Mapping[Any, PrimFunc]] = None, name: str = "Module") -> None:
        self.name = name
        self.functions: Dict[str, PrimFunc] = {}
        self._text: Optional[Tuple[List[PrimFunc], Text]] = None  # of these functions
        for key, function in (functions or {}).items():
            self[str(key)] = function

    def __setitem__(self, key: str, function: PrimFunc) -> None:
        if not isinstance(function, PrimFunc):
            raise TypeError(f"a module holds functions made by T.prim_func, not {type(function).__name__}")
        self.functions[key] = function

    def __getitem__(self, key: str) -> PrimFunc:
        return self.functions[key]

    def __contains__(self, key: object) -> bool:
        return key in self.functions

    def __iter__(self) -> Iterator[str]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)

    def text(self) -> Text:
        functions = list(self.functions.values())
        if self._text is None or self._text[0] != functions:
            text = Text()
            for function in functions:
                text.add(function.source)
            self._text = functions, text
        return self._text[1]

    def __repr__(self) -> str:
        return f"<ingot IRModule {self.name}: {', '.join(self.functions)}>"


class ScriptText(_Program):
    """A program given as text."""

    def __init__(self, text: str, filename: str) -> None:
        self._given, self._filename = text, filename

    def text(self) -> Text:
        text = Text()
        for lineno, line in enumerate(self._given.splitlines(), 1):
            text.lines.append(line)
            text.places.append((self._filename, lineno, 0, line))
        return text


def from_source(text: str, filename: str = "<script>") -> ScriptText:
    """A program given as TVMScript text, imports and all."""
    program = ScriptText(text, filename)
    program.check()
    return program
