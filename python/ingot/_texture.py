"""Textures and samplers for `ingot.msl`."""

from __future__ import annotations

import ctypes as c
import re
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._lib import Error, Handle, SamplerDescriptor, TextureDescriptor, lib
from ._metal import opened
from .dlpack import Array
from .error import check
from .runtime import as_host_array

# Metal's numbers; how many sides an array of such a texture has before its channels.
_TYPES = {"1d": (0, 1), "1d_array": (1, 2), "2d": (2, 2), "2d_array": (3, 3), "cube": (5, 3), "cube_array": (6, 3), "3d": (7, 3),
          "buffer": (9, 1)}
_FORMAT = re.compile(r"(rgba|bgra|rg|r|depth)(8|16|32)(unorm|snorm|uint|sint|float)(_srgb)?")
_KINDS = {"unorm": "u", "uint": "u", "snorm": "i", "sint": "i", "float": "f"}
_CHANNELS = {"r": 1, "depth": 1, "rg": 2, "rgba": 4, "bgra": 4}
_GUESSED = {"uint8": "8unorm", "float16": "16float", "float32": "32float", "uint16": "16uint", "uint32": "32uint", "int8": "8sint",
            "int16": "16sint", "int32": "32sint"}


def _layout(name: str) -> Tuple["np.dtype[Any]", int]:
    """NumPy's type of what a pixel is made of, and how many there are; a packed format is one word."""
    found = _FORMAT.fullmatch(name)
    if found:
        return np.dtype(f"{_KINDS[found[3]]}{int(found[2]) // 8}"), _CHANNELS[found[1]]
    size = lib.ingot_metal_pixel_bytes(lib.ingot_metal_pixel_format(name.encode("ascii", "replace")))
    return np.dtype(f"u{size}" if size in (1, 2, 4, 8) else f"V{size}"), 1


class Texture:
    """Pixels on the software device. `shape` is that of an array of them: (height, width) for "2d", (layers, height, width) for
    "2d_array", (depth, height, width) for "3d", (width,) for "1d" and "buffer". `format` is a name of Metal's without
    "MTLPixelFormat", in small letters: "rgba8unorm", "r32float"."""

    def __init__(self, shape: Sequence[int], format: str, type: str = "2d", levels: int = 1) -> None:
        if type not in _TYPES:
            raise ValueError(f"no texture type {type!r}: {', '.join(_TYPES)}")
        number, sides = _TYPES[type]
        self.shape: Tuple[int, ...] = tuple(int(n) for n in shape)
        self.format, self.type, self.levels = format, type, int(levels)
        if len(self.shape) != sides or any(not 1 <= n < 1 << 32 for n in self.shape):
            raise ValueError(f"a {type} texture has {sides} sides of at least one pixel, not {self.shape}")
        if type.startswith("cube") and (self.shape[0] % 6 or (type == "cube" and self.shape[0] != 6)):
            raise ValueError(f"a {type} texture has 6 faces a cube, not {self.shape[0]}")
        code = lib.ingot_metal_pixel_format(format.encode("ascii", "replace"))
        if not code:
            raise ValueError(f"no pixel format {format!r} on this device")
        width, height, depth, layers = self._sides()
        descriptor = TextureDescriptor(c.sizeof(TextureDescriptor), number, code, width, height, depth, layers, self.levels)
        out, error = c.c_void_p(), Error()
        check(lib.ingot_metal_texture_create(opened().device, c.byref(descriptor), c.byref(out), c.byref(error)), error)
        self.handle = Handle("ingot_metal_texture_release", out.value)
        self.dtype, self.channels = _layout(format)

    def _sides(self) -> Tuple[int, int, int, int]:
        """Width, height, depth, layers."""
        width = self.shape[-1]
        if self.type in ("1d", "buffer", "1d_array"):
            return width, 1, 1, self.shape[0] if self.type == "1d_array" else 1
        slices = self.shape[0] if len(self.shape) == 3 else 1
        if self.type.startswith("cube"):
            slices //= 6
        return width, self.shape[-2], slices if self.type == "3d" else 1, 1 if self.type == "3d" else slices

    @property
    def grid(self) -> Tuple[int, int, int]:
        """A thread for each pixel."""
        width, height, depth, layers = self._sides()
        return width, height, depth * layers * (6 if self.type.startswith("cube") else 1)

    def _level_shape(self, level: int) -> Tuple[int, ...]:
        shrunk = 1 if self.type == "1d_array" else 2 if len(self.shape) == 3 and self.type != "3d" else len(self.shape)
        sides = [n if i < len(self.shape) - shrunk else max(n >> level, 1) for i, n in enumerate(self.shape)]
        return (*sides, self.channels) if self.channels > 1 else tuple(sides)

    def write(self, pixels: Any, level: int = 0) -> "Texture":
        """Copies a whole level here; returns the texture."""
        array = as_host_array(pixels)
        if array.dtype != self.dtype or array.shape != self._level_shape(level):
            raise ValueError(f"level {level} of this {self.format} texture is {self.dtype}{self._level_shape(level)}, "
                             f"not {array.dtype}{array.shape}")
        data, error = np.ascontiguousarray(array), Error()
        check(lib.ingot_metal_texture_write(self.handle.value, level, data.ctypes.data, data.nbytes, c.byref(error)), error)
        return self

    def numpy(self, level: int = 0) -> Array:
        """A copy of a level."""
        out, error = np.empty(self._level_shape(level), self.dtype), Error()
        check(lib.ingot_metal_texture_read(self.handle.value, level, out.ctypes.data, out.nbytes, c.byref(error)), error)
        return out

    def __repr__(self) -> str:
        return f"<ingot.msl Texture {self.type} {self.format}{self.shape}>"


def texture(pixels: Any, format: Optional[str] = None, type: str = "2d") -> Texture:
    """A texture with these pixels, the last axis their channels where there are several. Without `format` they are normalised
    where they are uint8, else what they are."""
    array = as_host_array(pixels)
    if type not in _TYPES:
        raise ValueError(f"no texture type {type!r}: {', '.join(_TYPES)}")
    sides = _TYPES[type][1]
    if format is None:
        channels = array.shape[sides] if array.ndim == sides + 1 else 1
        letters = {1: "r", 2: "rg", 4: "rgba"}.get(channels)
        if array.dtype.name not in _GUESSED or letters is None:
            raise ValueError(f"no pixel format for {channels} channels of {array.dtype}; give one")
        format = letters + _GUESSED[array.dtype.name]
        array = array.reshape(array.shape[:sides] + ((channels,) if channels > 1 else ()))
    return Texture(array.shape[:sides], format, type).write(array)


_FILTERS = ("nearest", "linear")
_MIPS = (None, "nearest", "linear")
_ADDRESSES = ("clamp_to_edge", "mirror_clamp_to_edge", "repeat", "mirrored_repeat", "clamp_to_zero", "clamp_to_border")
_BORDERS = ("transparent_black", "opaque_black", "opaque_white")
_COMPARES = ("never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always")


def _number(value: Any, names: Sequence[Any], what: str) -> int:
    if value not in names:
        raise ValueError(f"no {what} {value!r}: {', '.join(str(name) for name in names)}")
    return names.index(value)


class Sampler:
    """How a texture is sampled, in Metal's words. `address` is one for all coordinates or one for each."""

    def __init__(self, *, min_filter: str = "nearest", mag_filter: str = "nearest", mip_filter: Optional[str] = None,
                 address: Union[str, Sequence[str]] = "clamp_to_edge", normalized: bool = True, border: str = "transparent_black",
                 compare: str = "never", lod: Tuple[float, float] = (0.0, 3.4e38)) -> None:
        modes: List[str] = [address] * 3 if isinstance(address, str) else list(address)
        if len(modes) != 3:
            raise ValueError("one address mode, or three")
        numbers = (c.c_int * 3)(*[_number(mode, _ADDRESSES, "address mode") for mode in modes])
        descriptor = SamplerDescriptor(c.sizeof(SamplerDescriptor), _number(min_filter, _FILTERS, "filter"),
                                       _number(mag_filter, _FILTERS, "filter"), _number(mip_filter, _MIPS, "filter of levels"), numbers,
                                       int(normalized), _number(border, _BORDERS, "border colour"),
                                       _number(compare, _COMPARES, "comparison"), lod[0], lod[1])
        out, error = c.c_void_p(), Error()
        check(lib.ingot_metal_sampler_create(opened().device, c.byref(descriptor), c.byref(out), c.byref(error)), error)
        self.handle = Handle("ingot_metal_sampler_release", out.value)
