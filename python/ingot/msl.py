"""Metal text of your own on the software device, in the manner of torch.mps.compile_shader:

    lib = ingot.msl.library(source)
    lib.add(a, b, out, threads=1024, group_size=64)
"""

from __future__ import annotations

import ctypes as c
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np

from . import _lib, check as _check
from ._lib import (Error, Handle, MetalArgument, MetalConstant, MetalDefine, MetallibBuildOptions, MetalLibraryOptions, lib,
                   take_text)
from ._metal import opened
from ._log import Log, LogMessage, Logging, print_message
from ._profile import Profile, ProfileRow
from ._texture import Sampler, Texture, texture
from ._values import encode
from .dlpack import as_numpy
from .error import SYNTAX, UNSUPPORTED, Diagnostic, NotFound, ScriptError, check
from .runtime import Tensor, as_host_array

__all__ = ["Argument", "Kernel", "Library", "LogMessage", "MetalError", "Profile", "ProfileRow", "Sampler", "Texture", "library", "metallib", "texture"]

Extent = Union[int, Sequence[int]]
Include = Callable[[str, str, bool], Optional[str]]  # (name, from, angled) -> text

DEVICE, CONSTANT, THREADGROUP, TEXTURE, SAMPLER = range(5)
_MATH = {"default": 0, "safe": 1, "relaxed": 2, "fast": 3}
_SEVERITIES = ("error", "warning", "note")


class MetalError(ScriptError):
    """A Metal text is at fault; has SyntaxError's fields and `diagnostics`."""


class Argument:
    """A parameter of a kernel that is bound by a launch."""

    def __init__(self, info: Any) -> None:
        self.kind: int = info.kind
        self.index: int = info.index
        self.count: int = info.count  # of textures or samplers from there on
        self.name: str = info.name.decode("utf-8")
        self.type: str = info.type.decode("utf-8")
        self.size: int = info.size
        self.code, self.bits, self.lanes = info.dtype.code, info.dtype.bits, info.dtype.lanes
        self.is_reference, self.is_read, self.is_written = bool(info.is_reference), bool(info.is_read), bool(info.is_written)

    def __repr__(self) -> str:
        return f"<{self.type} {self.name} at {self.index}>"


def library(source: str, *, file_name: str = "<metal>", version: int = 0, math_mode: str = "default",
            defines: Optional[Mapping[str, Any]] = None, include: Optional[Include] = None) -> "Library":
    """Reads a Metal text. `version` is the language's, 310 for Metal 3.1 (0: any); `math_mode` default, safe, relaxed or fast;
    `defines` macros; `include(name, from, angled)` gives the text of a header that is not Metal's own, or None."""
    return Library(source, file_name, version, math_mode, dict(defines or {}), include)


def metallib(source: str, *, file_name: str = "<metal>", deployment: Optional[str] = None, version: int = 0,
             precise: bool = True) -> bytes:
    """Compiles a Metal text to a metallib, where Ingot's AIR component is installed; without it that is `ingot.error.Unsupported`.
    `deployment` is the least system, "macos11.0" or "ios16.0" (None: macOS 14), `version` the language's, 230 for Metal 2.3;
    without `precise` functions have their fast forms."""
    options = MetallibBuildOptions(c.sizeof(MetallibBuildOptions), file_name.encode("utf-8"),
                                   deployment.encode("utf-8") if deployment else None, version, int(precise), None)
    text, out, error = source.encode("utf-8"), c.c_void_p(), Error()
    check(lib.ingot_metallib_build(text, len(text), c.byref(options), c.byref(out), c.byref(error)), error)
    return take_text(out)


class Library:
    """The kernels of one text, as attributes and by `lib["name"]`."""

    def __init__(self, source: str, file_name: str, version: int, math_mode: str, defines: Dict[str, Any],
                 include: Optional[Include]) -> None:
        if math_mode not in _MATH:
            raise ValueError(f"no math mode {math_mode!r}: {', '.join(_MATH)}")
        self.source = source
        self._keep: List[Any] = []
        self._failed: Optional[BaseException] = None
        diagnostics: List[Diagnostic] = []
        options = MetalLibraryOptions()
        options.struct_size, options.file_name = c.sizeof(MetalLibraryOptions), file_name.encode("utf-8")
        options.version, options.math_mode = version, _MATH[math_mode]
        rows = (MetalDefine * max(len(defines), 1))()
        for row, (name, value) in zip(rows, defines.items()):
            row.name, row.value = name.encode("utf-8"), _macro(value).encode("utf-8")
        options.defines, options.define_count = c.cast(rows, c.c_void_p), len(defines)
        note = _lib.OnDiagnostic(lambda _, d: diagnostics.append(_diagnostic(d.contents, source)))
        options.on_diagnostic = note
        if include is not None:
            options.include = self._find = _lib.OnInclude(self._finder(include))
        text, out, error = source.encode("utf-8"), c.c_void_p(), Error()
        status = lib.ingot_metal_library_create(opened().device, text, len(text), c.byref(options), c.byref(out), c.byref(error))
        if self._failed is not None:
            raise self._failed
        if status in (SYNTAX, UNSUPPORTED) and any(d.severity == "error" for d in diagnostics):
            raise MetalError(diagnostics)
        check(status, error)
        self.warnings = tuple(d for d in diagnostics if d.severity == "warning")
        self._handle = Handle("ingot_metal_library_release", out.value)
        count = lib.ingot_metal_library_function_count(out.value)
        names = [lib.ingot_metal_library_function_name(out.value, i).decode("utf-8") for i in range(count)]
        self.function_names: Tuple[str, ...] = tuple(names)
        self._kernels: Dict[str, Kernel] = {}

    def _finder(self, include: Include) -> Callable[..., int]:
        def find(_user: Any, name: bytes, origin: bytes, angled: int, path: Any, text: Any, size: Any) -> int:
            try:
                found = include(name.decode("utf-8"), origin.decode("utf-8"), bool(angled))
            except BaseException as exception:  # raised again by who called: nothing may unwind through C
                self._failed = exception
                return 0
            if found is None:
                return 0
            held = (c.c_char_p(name), c.c_char_p(found.encode("utf-8")))
            self._keep.append(held)
            path[0], text[0], size[0] = held[0], held[1], len(held[1].value or b"")
            return 1

        return find

    def kernel(self, name: str, constants: Optional[Mapping[Union[str, int], Any]] = None) -> "Kernel":
        """A kernel with values for its function constants, by name or index."""
        if name not in self.function_names:
            raise NotFound(f"the library has no kernel {name!r}; it has: {', '.join(self.function_names) or 'none'}")
        return Kernel(self._handle, name, dict(constants or {}))

    def __getitem__(self, name: str) -> "Kernel":
        if name not in self._kernels:
            self._kernels[name] = self.kernel(name)
        return self._kernels[name]

    def __getattr__(self, name: str) -> "Kernel":
        if name.startswith("_") or name not in self.function_names:
            raise AttributeError(f"the library has no kernel {name!r}")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.function_names)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.function_names]

    def __repr__(self) -> str:
        return f"<ingot.msl Library: {', '.join(self.function_names)}>"


def _macro(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)


def _diagnostic(d: Any, source: str) -> Diagnostic:
    lines = source.splitlines()
    text = lines[d.line - 1] if 0 < d.line <= len(lines) else ""
    file = d.file.decode("utf-8", "replace") if d.file else ""
    return Diagnostic(_SEVERITIES[d.severity], file, d.line, d.column, d.length, d.message.decode("utf-8", "replace"), text)


class Kernel:
    """A kernel, called with an argument for each of its `arguments` in their order: arrays in the host's memory (used where
    they lie), numbers for `constant T &`, bytes or sequences of numbers for constant data, and the bytes to have for
    threadgroup memory. Textures and samplers are `Texture` and `Sampler`, of arrays of them a sequence."""

    def __init__(self, library: Handle, name: str, constants: Dict[Union[str, int], Any]) -> None:
        self.name = name
        keep: List[Any] = []
        rows = (MetalConstant * max(len(constants), 1))()
        for row, (key, value) in zip(rows, constants.items()):
            if isinstance(key, str):
                row.name = key.encode("utf-8")
            else:
                row.index = key
            row.value = encode(value, keep)
        out, error = c.c_void_p(), Error()
        check(lib.ingot_metal_function_create(library.value, name.encode("utf-8"), rows, len(constants), c.byref(out),
                                              c.byref(error)), error)
        self._function = Handle("ingot_metal_function_release", out.value)
        check(lib.ingot_metal_pipeline_create(self._function.value, c.byref(out), c.byref(error)), error)
        self._pipeline = Handle("ingot_metal_pipeline_release", out.value)
        self.max_total_threads: int = lib.ingot_metal_pipeline_max_total_threads_per_threadgroup(out.value)
        self.execution_width: int = lib.ingot_metal_pipeline_thread_execution_width(out.value)
        self.threadgroup_memory: int = lib.ingot_metal_pipeline_static_threadgroup_memory_length(out.value)
        self.arguments: Tuple[Argument, ...] = tuple(self._read_arguments())

    def _read_arguments(self) -> Iterator[Argument]:
        info = MetalArgument()
        for i in range(lib.ingot_metal_function_argument_count(self._function.value)):
            check(lib.ingot_metal_function_argument(self._function.value, i, c.byref(info)), Error())
            yield Argument(info)

    def __call__(self, *args: Any, threads: Optional[Extent] = None, group_size: Optional[Extent] = None,
                 groups: Optional[Extent] = None, check: _check.Checks = None, profile: Optional[Profile] = None,
                 log: Optional[Log] = None) -> None:
        """Runs it over `threads` threads (by default one an element of the first array, or a pixel of a texture that comes
        before), or `groups` threadgroups, of `group_size` threads each. Back when it is done. With `check` ("all",
        "race,bounds", `ingot.check.Options` ...) what is found is raised as `ingot.check.CheckError`; `profile` counts what it
        cost. What the kernel logs (os_log) is given to `log`, a `LogMessage` each, when it has ended; without it, it goes to sys.stderr."""
        if len(args) != len(self.arguments):
            named = ", ".join(f"{a.type} {a.name}" for a in self.arguments)
            raise TypeError(f"kernel {self.name} takes {len(self.arguments)} arguments ({named}), {len(args)} were given")
        launch = _Launch(self)
        for argument, value in zip(self.arguments, args):
            launch.bind(argument, value)
        grid = _extent(threads if threads is not None else groups, "threads") or launch.grid
        group = _extent(group_size, "group_size") or self._default_group(grid)
        report = _check.active()
        own = _check.parse(check)
        mask = _check.mask_of(own) | (report.mask if report is not None else 0)
        checker = _check.Checker(mask, own or (report.options if report is not None else _check.Options())) if mask else None
        logging = Logging(log or print_message)
        findings = launch.run(grid, group, groups is not None, checker, profile, logging)
        if logging.failed is not None:
            raise logging.failed
        if findings and report is not None and not check:
            report.add(findings)
        elif findings:
            raise _check.CheckError(findings)

    def _default_group(self, grid: Tuple[int, int, int]) -> Tuple[int, int, int]:
        x = max(1, min(grid[0], self.max_total_threads))
        y = max(1, min(grid[1], self.max_total_threads // x))
        return x, y, max(1, min(grid[2], self.max_total_threads // (x * y)))

    def __repr__(self) -> str:
        return f"<ingot.msl Kernel {self.name}({', '.join(a.type + ' ' + a.name for a in self.arguments)})>"


def _extent(value: Optional[Extent], what: str) -> Optional[Tuple[int, int, int]]:
    if value is None:
        return None
    sides = [int(value)] if isinstance(value, (int, np.integer)) else [int(side) for side in value]
    if not 1 <= len(sides) <= 3 or any(not 0 <= side < 1 << 32 for side in sides):
        raise ValueError(f"{what} is one to three numbers of threads, not {value!r}")
    x, y, z = (*sides, 1, 1)[:3]
    return x, y, z


class _Launch:
    """One launch: what is bound, and the objects of the C library that last as long."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.grid = (1, 1, 1)  # unless something is said: of the first array or texture
        self._seen_array = False
        self._bound: List[Tuple[str, Tuple[Any, ...]]] = []  # the encoder's functions and their arguments
        self._keep: List[Any] = []
        self._error = Error()

    def bind(self, argument: Argument, value: Any) -> None:
        """Takes the value of one argument."""
        if argument.kind in (TEXTURE, SAMPLER):
            self._bind_resources(argument, value, Texture if argument.kind == TEXTURE else Sampler)
            return
        if argument.kind == THREADGROUP:
            self._bound.append(("set_threadgroup_memory_length", (int(value), argument.index)))
        elif isinstance(value, (np.ndarray, Tensor)) or hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
            self._bind_array(argument, value)
        elif argument.kind == CONSTANT:
            data = _constant_bytes(argument, value)
            self._bound.append(("set_bytes", (data, len(data), argument.index)))
        else:
            raise TypeError(f"argument {argument.name}: device memory is an array, not {type(value).__name__}")

    def _bind_resources(self, argument: Argument, value: Any, kind: Type[Any]) -> None:
        """Textures or samplers, one or as many as the argument's array has."""
        given = list(value) if isinstance(value, (list, tuple)) else [value]
        if len(given) != argument.count or not all(isinstance(one, kind) for one in given):
            number = "one" if argument.count == 1 else f"{argument.count} in a list"
            raise TypeError(f"argument {argument.name}: the kernel takes ingot.msl.{kind.__name__}, {number}")
        for i, one in enumerate(given):
            self._keep.append(one)
            self._bound.append((f"set_{kind.__name__.lower()}", (one.handle.value, argument.index + i)))
        if kind is Texture and not self._seen_array:
            self.grid, self._seen_array = given[0].grid, True

    def _bind_array(self, argument: Argument, value: Any) -> None:
        on_device = isinstance(value, Tensor) and value.array is None
        array = as_numpy(value) if on_device else as_host_array(value)
        _check_elements(argument, array)
        if not array.flags.c_contiguous:
            raise ValueError(f"argument {argument.name}: the array is not contiguous; give np.ascontiguousarray of it")
        if argument.is_written and not array.flags.writeable:
            raise ValueError(f"argument {argument.name}: the array is read-only, and the kernel writes it")
        if not self._seen_array:
            self._seen_array, self.grid = True, (array.size, 1, 1)
        out = c.c_void_p()
        check(lib.ingot_metal_buffer_wrap(opened().device, array.ctypes.data, array.nbytes, None, None, c.byref(out), c.byref(self._error)),
              self._error)
        self._keep.append((array, Handle("ingot_metal_buffer_release", out.value)))
        self._bound.append(("set_buffer", (out.value, 0, argument.index)))

    def run(self, grid: Tuple[int, int, int], group: Tuple[int, int, int], in_groups: bool,
            checker: Optional[_check.Checker], profile: Optional[Profile], logging: Logging) -> List[_check.Finding]:
        """Encodes, runs, waits. What the checks found."""
        if 0 in grid:
            return []
        error, out = self._error, c.c_void_p()
        check(lib.ingot_metal_command_buffer_create(opened().queue, c.byref(out), c.byref(error)), error)
        commands = Handle("ingot_metal_command_buffer_release", out.value)
        if checker is not None:
            check(lib.ingot_metal_command_buffer_check(commands.value, checker.handle, c.byref(error)), error)
        check(lib.ingot_metal_command_buffer_log(commands.value, c.byref(logging.options), c.byref(error)), error)
        if profile is not None:
            check(lib.ingot_metal_command_buffer_profile(commands.value, profile.handle.value, c.byref(error)), error)
        check(lib.ingot_metal_encoder_create(commands.value, c.byref(out), c.byref(error)), error)
        encoder = Handle("ingot_metal_encoder_release", out.value)
        check(lib.ingot_metal_encoder_set_pipeline(encoder.value, self._kernel._pipeline.value, c.byref(error)), error)
        for name, values in self._bound:
            check(getattr(lib, "ingot_metal_encoder_" + name)(encoder.value, *values, c.byref(error)), error)
        sides = (c.c_uint32 * 3)(*grid), (c.c_uint32 * 3)(*group)
        dispatch = "dispatch_threadgroups" if in_groups else "dispatch_threads"
        check(getattr(lib, "ingot_metal_encoder_" + dispatch)(encoder.value, *sides, c.byref(error)), error)
        check(lib.ingot_metal_encoder_end(encoder.value, c.byref(error)), error)
        check(lib.ingot_metal_command_buffer_commit(commands.value, c.byref(error)), error)
        status = lib.ingot_metal_command_buffer_wait(commands.value, c.byref(error))
        findings = checker.take() if checker is not None else []
        if not findings:
            check(status, error)
        return findings


def _scalar_type(argument: Argument) -> "Optional[np.dtype[Any]]":
    """NumPy's type of one scalar of the argument's element; None where it is no scalar or vector, or NumPy has none."""
    kinds = {0: "i", 1: "u", 2: "f", 6: "b"}
    if argument.code not in kinds or argument.bits not in (8, 16, 32, 64):
        return None
    return np.dtype(bool) if argument.code == 6 else np.dtype(f"{kinds[argument.code]}{argument.bits // 8}")


def _check_elements(argument: Argument, array: Any) -> None:
    """The array holds what the kernel takes, where that can be said."""
    wanted = _scalar_type(argument)
    if wanted is None or array.dtype == wanted or array.dtype.kind == "V" or array.dtype.names:
        return
    raise TypeError(f"argument {argument.name}: the kernel takes {argument.type}, the array holds {array.dtype}; "
                    "use array.view(...) where only the bits matter")


def _constant_bytes(argument: Argument, value: Any) -> bytes:
    """What `constant` memory is to hold."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    wanted = _scalar_type(argument)
    if wanted is None:
        raise TypeError(f"argument {argument.name}: {argument.type} is given as bytes or as an array, not {type(value).__name__}")
    array = np.asarray(value)
    if wanted.kind in "iu" and array.dtype.kind not in "iub":
        raise TypeError(f"argument {argument.name}: the kernel takes {argument.type}, not {type(value).__name__}")
    if wanted.kind in "iu" and array.size and not (np.iinfo(wanted).min <= int(array.min()) and int(array.max()) <= np.iinfo(wanted).max):
        raise OverflowError(f"argument {argument.name}: {value!r} does not fit into {argument.type}")
    data = array.astype(wanted).tobytes()
    if argument.lanes == 3 and argument.size == 4 * wanted.itemsize and array.size == 3:
        data += b"\0" * wanted.itemsize  # a three-element vector takes the room of four
    if argument.is_reference and len(data) != argument.size:
        raise TypeError(f"argument {argument.name}: one {argument.type} has {argument.size} bytes, {len(data)} were given")
    return data
