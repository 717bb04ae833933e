"""The process-wide registry of named functions, which C and Python share; with an imported `tvm_ffi`, its registry."""

from __future__ import annotations

import ctypes as c
import itertools
import threading
from typing import Any, Callable, Dict, List, Optional

from . import _lib, _tvm_ffi
from ._lib import Error, lib
from ._lib import registry as table
from ._values import decode, encode, encode_all
from .error import NOT_FOUND, check, keep_raised

_keys = itertools.count(1)
_held: Dict[int, Callable[..., Any]] = {}  # what the C library may call, by the key that it was given
_guard = threading.Lock()


def _invoke(user: Any, args: Any, count: int, result: Any, error: Any) -> int:
    try:
        keep: List[Any] = []
        value = encode(_held[user](*[decode(args[i]) for i in range(count)]), keep)
        return int(lib.ingot_result_set(result, value))
    except BaseException as exception:  # nothing may unwind through C: it is raised again on the other side
        return keep_raised(exception, error)


def _drop(user: Any) -> None:
    with _guard:
        _held.pop(user, None)


def hold(function: Callable[..., Any]) -> int:
    """A key under which the C library can call a Python function by `trampoline`."""
    key = next(_keys)
    with _guard:
        _held[key] = function
    return key


def let_go(key: int) -> None:
    """The C library will not use `key` again."""
    with _guard:
        _held.pop(key, None)


trampoline, _drop_thunk = _lib.Function(_invoke), _lib.Drop(_drop)  # for the life of the process
forward = _lib.Function(("ingot_function_forward", lib))  # calls the looked-up function that it is given


class GlobalFunction:
    """A registered function, callable with None, bool, int, float, str, bytes, targets, and tuples and lists of them."""

    def __init__(self, name: str, handle: int) -> None:
        self.name = name
        self.handle: Optional[int] = handle

    def __call__(self, *args: Any) -> Any:
        keep: List[Any] = []
        values = encode_all(args, keep)
        out, error = c.c_void_p(), Error()
        check(lib.ingot_function_invoke(self.handle, values, len(args), c.byref(out), c.byref(error)), error)
        try:
            return decode(lib.ingot_owned_value(out))
        finally:
            lib.ingot_owned_release(out)

    def __del__(self) -> None:
        if self.handle:
            table.ingot_function_release(self.handle)
            self.handle = None

    def __repr__(self) -> str:
        return f"<ingot global function {self.name!r}>"


def register_global_func(name: Any, f: Optional[Callable[..., Any]] = None, override: bool = False) -> Any:
    """Registers `f` under `name`; without `f`, returns a decorator; `@register_global_func` alone takes the function's
    name. A name that is taken is refused unless `override`. Returns the function."""
    if callable(name):
        return register_global_func(name.__name__, name, override)
    if f is None:
        return lambda function: register_global_func(name, function, override)
    if not callable(f):
        raise TypeError(f"register_global_func takes a callable, not {type(f).__name__}")
    ffi = _tvm_ffi.module()
    if ffi is not None:
        _tvm_ffi.register(ffi, name, f, override)
        return f
    key, error = hold(f), Error()
    status = table.ingot_function_register(name.encode("utf-8"), trampoline, key, _drop_thunk, int(override), c.byref(error))
    if status:
        let_go(key)
    check(status, error)
    return f


def get_global_func(name: str, allow_missing: bool = False) -> Optional[GlobalFunction]:
    """The function registered under `name`. Where there is none: None if `allow_missing`, else an exception."""
    _tvm_ffi.module()
    out, error = c.c_void_p(), Error()
    status = table.ingot_function_get(name.encode("utf-8"), c.byref(out), c.byref(error))
    if status == NOT_FOUND and allow_missing:
        return None
    check(status, error)
    return GlobalFunction(name, int(out.value or 0))


def remove_global_func(name: str) -> None:
    """Removes a name; one that is not registered is an error."""
    error = Error()
    check(table.ingot_function_remove(name.encode("utf-8"), c.byref(error)), error)


def list_global_func_names() -> List[str]:
    """All registered names, in order of registration; those of an imported `tvm_ffi` in its own order."""
    names: List[str] = []
    visit = _lib.OnName(lambda _, name: names.append(name.decode("utf-8")))
    check(table.ingot_function_list(visit, None), Error())
    return names


