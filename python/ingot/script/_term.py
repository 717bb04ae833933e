"""Terms: what `T.name` is to Python. A term knows its own text and nothing else."""

from __future__ import annotations

from typing import Any, Optional


class Term:
    """A piece of program text, such as `T.float32` or `T.int64(3)`. Python evaluates annotations, and constants that
    surround a program; the compiler reads their text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, *args: Any, **named: Any) -> "Term":
        parts = [_part(value) for value in args] + [f"{name}={_part(value)}" for name, value in named.items()]
        return Term(f"{self._text}({', '.join(parts)})")

    def __getitem__(self, index: Any) -> "Term":
        return Term(f"{self._text}[{_part(index)}]")

    def __getattr__(self, name: str) -> "Term":
        if name.startswith("__"):
            raise AttributeError(name)
        return Term(f"{self._text}.{name}")

    def __repr__(self) -> str:
        return self._text

    def __bool__(self) -> bool:
        raise TypeError(f"{self._text} has no value in Python: it is part of a program")


def _part(value: Any) -> str:
    text = literal(value)
    return repr(value) if text is None else text


def namespace(prefix: str, name: str) -> Term:
    """What a namespace module answers for a name that it does not define itself."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Term(f"{prefix}.{name}")


def literal(value: Any) -> Optional[str]:
    """A value as an expression of the language; None where it has none."""
    if isinstance(value, Term):
        return value._text
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        text = repr(float(value))
        return text if text[-1].isdigit() else f'float("{text}")'  # inf and nan
    if isinstance(value, str):
        return None if "\0" in value else ascii(str(value))
    if isinstance(value, (tuple, list)):
        return _sequence(value)
    if isinstance(value, dict):
        keys, items = [literal(key) for key in value], [literal(item) for item in value.values()]
        if None in keys or None in items:
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in zip(keys, items)) + "}"
    return _foreign(value)


def _sequence(value: Any) -> Optional[str]:
    parts = [literal(item) for item in value]
    if None in parts:
        return None
    inner = ", ".join(str(part) for part in parts)
    if isinstance(value, list):
        return f"[{inner}]"
    return f"({inner},)" if len(parts) == 1 else f"({inner})"


def _foreign(value: Any) -> Optional[str]:
    """NumPy's scalars and dtypes, without importing NumPy for it."""
    module = type(value).__module__.split(".")[0]
    if module in ("numpy", "ml_dtypes") and hasattr(value, "item") and getattr(value, "shape", None) == ():
        return literal(value.item())
    if any(base.__name__ == "dtype" for base in type(value).__mro__):
        return literal(str(getattr(value, "name", value)))
    if isinstance(value, type) and value.__module__ in ("numpy", "ml_dtypes"):
        return literal(value.__name__.rstrip("_"))
    return None
