"""The C library: where it is found, and the declarations of ingot.h that the package uses."""

from __future__ import annotations

import ctypes as c
import os
import sys
from pathlib import Path
from typing import Iterator, Optional

_FILE = "libingot.dylib" if sys.platform == "darwin" else "libingot.so"


def _candidates() -> Iterator[str]:
    """Beside the package (a wheel), what INGOT_LIBRARY names, the build folder of a clone, the system's."""
    here = Path(__file__).resolve().parent
    beside = here / _FILE
    if beside.exists():
        yield str(beside)
        return
    named = os.environ.get("INGOT_LIBRARY")
    if named:
        yield named
        return
    built = here.parent.parent / "build" / _FILE
    if built.exists():
        yield str(built)
        return
    yield _FILE
    yield _FILE + ".0" if sys.platform != "darwin" else "libingot.0.dylib"


def _open() -> c.CDLL:
    tried = []
    for path in _candidates():
        try:
            return c.CDLL(path)
        except OSError as reason:
            tried.append(f"{path}: {reason}")
    raise ImportError("Ingot's C library was not found; build it (make) or set INGOT_LIBRARY\n  " + "\n  ".join(tried))


# ---- Structs ---------------------------------------------------------------------------------------


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("line", c.c_uint32), ("column", c.c_uint32), ("message", c.c_char * 1012)]


class Value(c.Structure):
    """ingot_value. Its union is two words here: ctypes does not pass unions by value."""

    _fields_ = [("kind", c.c_int), ("padding", c.c_int), ("a", c.c_uint64), ("b", c.c_uint64)]


NONE, BOOL, INT, FLOAT, STR, BYTES, TENSOR, TUPLE, TARGET, OTHER = range(10)  # kinds of a value


class DataType(c.Structure):
    _fields_ = [("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16)]


class DLTensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("device_type", c.c_int32),
        ("device_id", c.c_int32),
        ("ndim", c.c_int32),
        ("dtype", DataType),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("byte_offset", c.c_uint64),
    ]


class Diagnostic(c.Structure):
    _fields_ = [
        ("severity", c.c_int),
        ("file", c.c_char_p),
        ("line", c.c_uint32),
        ("column", c.c_uint32),
        ("length", c.c_uint32),
        ("message", c.c_char_p),
        ("text", c.c_char_p),
    ]


Function = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Value), c.c_size_t, c.c_void_p, c.POINTER(Error))
Drop = c.CFUNCTYPE(None, c.c_void_p)
OnDiagnostic = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(Diagnostic))
OnPass = c.CFUNCTYPE(None, c.c_void_p, c.c_uint, c.c_char_p, c.c_void_p, c.c_size_t)
OnName = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)
OnLaunch = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.POINTER(c.c_uint32), c.POINTER(c.c_uint32), c.c_size_t)


class CompileOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("file_name", c.c_char_p),
        ("target", c.c_char_p),
        ("definitions", c.c_void_p),
        ("definition_count", c.c_size_t),
        ("allocator", c.c_void_p),
        ("compile_kernel", Function),
        ("compile_kernel_user", c.c_void_p),
        ("ignore_callback", c.c_int),
        ("force_fallback", c.c_int),
        ("on_diagnostic", OnDiagnostic),
        ("on_pass", OnPass),
        ("user", c.c_void_p),
        ("colour", c.c_int),
        ("verify", c.c_int),
        ("module_name", c.c_char_p),
    ]


class KernelInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("source", c.c_void_p),
        ("source_size", c.c_size_t),
        ("payload", c.c_void_p),
        ("payload_size", c.c_size_t),
        ("arg_types", c.POINTER(DataType)),
        ("arg_count", c.c_size_t),
        ("arg_names", c.POINTER(c.c_char_p)),
        ("launch_tags", c.POINTER(c.c_char_p)),
        ("launch_tag_count", c.c_size_t),
    ]


class ParamInfo(c.Structure):
    _fields_ = [
        ("kind", c.c_int),
        ("name", c.c_char_p),
        ("dtype", DataType),
        ("ndim", c.c_size_t),
        ("shape", c.POINTER(c.c_char_p)),
        ("is_read", c.c_int),
        ("is_written", c.c_int),
    ]


class MetalDefine(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_char_p)]


OnInclude = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p, c.c_char_p, c.c_int, c.POINTER(c.c_char_p), c.POINTER(c.c_char_p),
                        c.POINTER(c.c_size_t))


class MetalLibraryOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("file_name", c.c_char_p),
        ("version", c.c_uint),
        ("math_mode", c.c_int),
        ("defines", c.c_void_p),
        ("define_count", c.c_size_t),
        ("include", OnInclude),
        ("include_user", c.c_void_p),
        ("on_diagnostic", OnDiagnostic),
        ("user", c.c_void_p),
        ("colour", c.c_int),
    ]


class MetalLogMessage(c.Structure):
    _fields_ = [
        ("level", c.c_int),
        ("subsystem", c.c_char_p),
        ("category", c.c_char_p),
        ("text", c.c_char_p),
        ("kernel", c.c_char_p),
        ("file", c.c_char_p),
        ("line", c.c_uint32),
        ("column", c.c_uint32),
        ("thread", c.c_uint32 * 3),
        ("threadgroup", c.c_uint32 * 3),
    ]


OnLog = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(MetalLogMessage))
OnLogFull = c.CFUNCTYPE(None, c.c_void_p)


class MetalLogOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("level", c.c_int),
        ("buffer_size", c.c_size_t),
        ("on_message", OnLog),
        ("on_full", OnLogFull),
        ("user", c.c_void_p),
    ]


class MetallibBuildOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("file_name", c.c_char_p),
        ("deployment", c.c_char_p),
        ("language", c.c_uint),
        ("precise", c.c_int),
        ("allocator", c.c_void_p),
    ]


class MetalConstant(c.Structure):
    _fields_ = [("name", c.c_char_p), ("index", c.c_uint32), ("value", Value)]


class MetalArgument(c.Structure):
    _fields_ = [
        ("kind", c.c_int),
        ("index", c.c_uint32),
        ("count", c.c_uint32),
        ("name", c.c_char_p),
        ("type", c.c_char_p),
        ("size", c.c_size_t),
        ("alignment", c.c_size_t),
        ("dtype", DataType),
        ("is_reference", c.c_int),
        ("is_const", c.c_int),
        ("is_read", c.c_int),
        ("is_written", c.c_int),
        ("file", c.c_char_p),
        ("line", c.c_uint32),
        ("column", c.c_uint32),
    ]


class TextureDescriptor(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("type", c.c_int),
        ("pixel_format", c.c_uint),
        ("width", c.c_uint32),
        ("height", c.c_uint32),
        ("depth", c.c_uint32),
        ("array_length", c.c_uint32),
        ("mipmap_levels", c.c_uint32),
    ]


class SamplerDescriptor(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("min_filter", c.c_int),
        ("mag_filter", c.c_int),
        ("mip_filter", c.c_int),
        ("address_modes", c.c_int * 3),
        ("normalized", c.c_int),
        ("border_colour", c.c_int),
        ("compare_function", c.c_int),
        ("lod_min", c.c_float),
        ("lod_max", c.c_float),
    ]


class ProfileRowInfo(c.Structure):
    _fields_ = [
        ("file", c.c_char_p),
        ("line", c.c_uint32),
        ("column", c.c_uint32),
        ("instructions", c.c_uint64),
        ("threads", c.c_uint64),
        ("accesses", c.c_uint64),
        ("device_bytes", c.c_uint64),
        ("threadgroup_bytes", c.c_uint64),
        ("lines", c.c_uint64),
        ("least_lines", c.c_uint64),
        ("conflicts", c.c_uint64),
        ("branches", c.c_uint64),
        ("divergent", c.c_uint64),
        ("barriers", c.c_uint64),
        ("memory", c.c_char_p),
        ("is_threadgroup", c.c_int),
        ("is_write", c.c_int),
        ("active", c.c_uint32),
        ("bytes", c.c_uint32),
        ("offset", c.c_int64 * 32),
        ("touched", c.c_uint32),
        ("turns", c.c_uint32),
    ]


class CheckerOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("checks", c.c_uint),
        ("max_findings", c.c_size_t),
        ("stop", c.c_int),
        ("target", c.c_char_p),
        ("seed", c.c_uint64),
        ("budget", c.c_uint64),
        ("milliseconds", c.c_uint32),
        ("cancel", c.c_void_p),
    ]


class PlaceInfo(c.Structure):
    _fields_ = [
        ("file", c.c_char_p),
        ("text", c.c_char_p),
        ("line", c.c_uint32),
        ("column", c.c_uint32),
        ("end_column", c.c_uint32),
        ("has_thread", c.c_int),
        ("thread", c.c_uint32 * 3),
        ("threadgroup", c.c_uint32 * 3),
        ("index", c.c_uint32),
        ("simdgroup", c.c_uint32),
        ("lane", c.c_uint32),
    ]


class FindingInfo(c.Structure):
    _fields_ = [
        ("check", c.c_int),
        ("rule", c.c_char_p),
        ("kernel", c.c_char_p),
        ("message", c.c_char_p),
        ("fix", c.c_char_p),
        ("first", PlaceInfo),
        ("second", PlaceInfo),
        ("memory", c.c_int),
        ("buffer", c.c_char_p),
        ("index", c.c_uint32),
        ("byte", c.c_int64),
        ("element", c.c_int64),
        ("size", c.c_uint32),
        ("memory_size", c.c_uint64),
        ("distance", c.c_int64),
        ("times", c.c_uint64),
    ]


# ---- Functions -------------------------------------------------------------------------------------

_handle, _out, _err = c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(Error)
_text, _size, _int = c.c_char_p, c.c_size_t, c.c_int

# name: (result, arguments)
_FUNCTIONS = {
    "ingot_version": (_text, []),
    "ingot_status_text": (_text, [_int]),
    "ingot_result_set": (_int, [_handle, Value]),
    "ingot_function_register": (_int, [_text, Function, _handle, Drop, _int, _err]),
    "ingot_function_remove": (_int, [_text, _err]),
    "ingot_function_get": (_int, [_text, _out, _err]),
    "ingot_function_release": (None, [_handle]),
    "ingot_function_invoke": (_int, [_handle, c.POINTER(Value), _size, _out, _err]),
    "ingot_function_list": (_int, [OnName, _handle]),
    "ingot_owned_value": (Value, [_handle]),
    "ingot_owned_release": (None, [_handle]),
    "ingot_target_parse": (_int, [_text, _out, _err]),
    "ingot_target_release": (None, [_handle]),
    "ingot_target_text": (_text, [_handle]),
    "ingot_target_kind": (_text, [_handle]),
    "ingot_compile": (_int, [_text, _size, c.POINTER(CompileOptions), _out, _err]),
    "ingot_compile_emit": (_int, [_text, _size, _int, c.POINTER(CompileOptions), _out, _err]),
    "ingot_text_data": (_handle, [_handle]),
    "ingot_text_size": (_size, [_handle]),
    "ingot_text_release": (None, [_handle]),
    "ingot_module_release": (None, [_handle]),
    "ingot_module_save": (_int, [_handle, _out, _err]),
    "ingot_module_save_file": (_int, [_handle, _text, _err]),
    "ingot_module_load": (_int, [_text, _size, _handle, _out, _err]),
    "ingot_module_load_file": (_int, [_text, _handle, _out, _err]),
    "ingot_module_device_save": (_int, [_handle, _out, _err]),
    "ingot_module_device_load": (_int, [_text, _size, _handle, _out, _err]),
    "ingot_module_format": (_text, [_handle]),
    "ingot_module_is_fallback": (_int, [_handle]),
    "ingot_module_kernel_count": (_size, [_handle]),
    "ingot_module_kernel": (_int, [_handle, _size, c.POINTER(KernelInfo)]),
    "ingot_module_source": (_int, [_handle, _out, _err]),
    "ingot_module_function_count": (_size, [_handle]),
    "ingot_module_function_name": (_text, [_handle, _size]),
    "ingot_module_param_count": (_size, [_handle, _text]),
    "ingot_module_param": (_int, [_handle, _text, _size, c.POINTER(ParamInfo)]),
    "ingot_device_open": (_int, [_text, _int, c.c_uint, _handle, _out, _err]),
    "ingot_device_release": (None, [_handle]),
    "ingot_device_name": (_text, [_handle]),
    "ingot_buffer_create": (_int, [_handle, _size, _out, _err]),
    "ingot_buffer_release": (None, [_handle]),
    "ingot_buffer_handle": (_handle, [_handle]),
    "ingot_buffer_contents": (_handle, [_handle]),
    "ingot_buffer_export": (_int, [_handle, c.POINTER(DLTensor), _int, _out, _err]),
    "ingot_device_shared": (_int, [_out, _err]),
    "ingot_exported_open": (_int, [_text, _size, _out, _err]),
    "ingot_exported_open_kernels": (_int, [_text, _size, _out, _err]),
    "ingot_exported_call": (_int, [_handle, _text, _handle, c.c_int32, _handle]),
    "ingot_stream_create": (_int, [_handle, _out, _err]),
    "ingot_stream_release": (None, [_handle]),
    "ingot_stream_sync": (_int, [_handle, _err]),
    "ingot_buffer_write": (_int, [_handle, _size, _handle, _size, _handle, _err]),
    "ingot_buffer_read": (_int, [_handle, _size, _handle, _size, _handle, _err]),
    "ingot_program_load": (_int, [_handle, _handle, _out, _err]),
    "ingot_program_release": (None, [_handle]),
    "ingot_program_call": (_int, [_handle, _text, c.POINTER(Value), _size, _handle, c.POINTER(Value), _err]),
    "ingot_program_run": (_int, [_handle, _text, c.POINTER(Value), _size, _handle, c.POINTER(Value), _err]),
    "ingot_module_export_tvm": (_int, [_handle, _out, _err]),
    "ingot_metallib_build": (_int, [_text, _size, c.POINTER(MetallibBuildOptions), _out, _err]),
    "ingot_module_export_metallib": (_int, [_handle, _out, _err]),
    "ingot_module_export": (_int, [_handle, _int, _out, _err]),
    "ingot_check_name": (_text, [_int]),
    "ingot_check_parse": (_int, [_text, c.POINTER(c.c_uint), _err]),
    "ingot_checker_create": (_int, [c.POINTER(CheckerOptions), _handle, _out, _err]),
    "ingot_checker_release": (None, [_handle]),
    "ingot_checker_count": (_size, [_handle]),
    "ingot_checker_finding": (_int, [_handle, _size, c.POINTER(FindingInfo)]),
    "ingot_checker_clear": (None, [_handle]),
    "ingot_finding_format": (_int, [c.POINTER(FindingInfo), _int, _out, _err]),
    "ingot_device_engine": (_int, [_handle, c.c_char_p, _err]),
    "ingot_stream_check": (_int, [_handle, _handle, _err]),
    "ingot_metal_device_create": (_int, [c.c_uint, _handle, _out, _err]),
    "ingot_metal_queue_create": (_int, [_handle, _out, _err]),
    "ingot_metal_library_create": (_int, [_handle, _text, _size, c.POINTER(MetalLibraryOptions), _out, _err]),
    "ingot_metal_library_release": (None, [_handle]),
    "ingot_metal_library_function_count": (_size, [_handle]),
    "ingot_metal_library_function_name": (_text, [_handle, _size]),
    "ingot_metal_function_create": (_int, [_handle, _text, c.POINTER(MetalConstant), _size, _out, _err]),
    "ingot_metal_function_release": (None, [_handle]),
    "ingot_metal_function_argument_count": (_size, [_handle]),
    "ingot_metal_function_argument": (_int, [_handle, _size, c.POINTER(MetalArgument)]),
    "ingot_metal_pipeline_create": (_int, [_handle, _out, _err]),
    "ingot_metal_pipeline_release": (None, [_handle]),
    "ingot_metal_pipeline_max_total_threads_per_threadgroup": (c.c_uint32, [_handle]),
    "ingot_metal_pipeline_thread_execution_width": (c.c_uint32, [_handle]),
    "ingot_metal_pipeline_static_threadgroup_memory_length": (_size, [_handle]),
    "ingot_metal_buffer_wrap": (_int, [_handle, _handle, _size, _handle, _handle, _out, _err]),
    "ingot_metal_buffer_release": (None, [_handle]),
    "ingot_metal_pixel_format": (c.c_uint, [_text]),
    "ingot_metal_pixel_bytes": (_size, [c.c_uint]),
    "ingot_metal_texture_create": (_int, [_handle, c.POINTER(TextureDescriptor), _out, _err]),
    "ingot_metal_texture_release": (None, [_handle]),
    "ingot_metal_texture_write": (_int, [_handle, c.c_uint32, _handle, _size, _err]),
    "ingot_metal_texture_read": (_int, [_handle, c.c_uint32, _handle, _size, _err]),
    "ingot_metal_sampler_create": (_int, [_handle, c.POINTER(SamplerDescriptor), _out, _err]),
    "ingot_metal_sampler_release": (None, [_handle]),
    "ingot_metal_encoder_set_texture": (_int, [_handle, _handle, c.c_uint32, _err]),
    "ingot_metal_encoder_set_sampler": (_int, [_handle, _handle, c.c_uint32, _err]),
    "ingot_profile_create": (_int, [_handle, _out, _err]),
    "ingot_profile_release": (None, [_handle]),
    "ingot_profile_count": (_size, [_handle]),
    "ingot_profile_row_at": (_int, [_handle, _size, c.POINTER(ProfileRowInfo)]),
    "ingot_metal_command_buffer_log": (_int, [_handle, c.POINTER(MetalLogOptions), _err]),
    "ingot_metal_command_buffer_profile": (_int, [_handle, _handle, _err]),
    "ingot_metal_command_buffer_create": (_int, [_handle, _out, _err]),
    "ingot_metal_command_buffer_release": (None, [_handle]),
    "ingot_metal_command_buffer_check": (_int, [_handle, _handle, _err]),
    "ingot_metal_command_buffer_commit": (_int, [_handle, _err]),
    "ingot_metal_command_buffer_wait": (_int, [_handle, _err]),
    "ingot_metal_encoder_create": (_int, [_handle, _out, _err]),
    "ingot_metal_encoder_release": (None, [_handle]),
    "ingot_metal_encoder_set_pipeline": (_int, [_handle, _handle, _err]),
    "ingot_metal_encoder_set_buffer": (_int, [_handle, _handle, _size, c.c_uint32, _err]),
    "ingot_metal_encoder_set_bytes": (_int, [_handle, _text, _size, c.c_uint32, _err]),
    "ingot_metal_encoder_set_threadgroup_memory_length": (_int, [_handle, _size, c.c_uint32, _err]),
    "ingot_metal_encoder_dispatch_threadgroups": (_int, [_handle, c.c_uint32 * 3, c.c_uint32 * 3, _err]),
    "ingot_metal_encoder_dispatch_threads": (_int, [_handle, c.c_uint32 * 3, c.c_uint32 * 3, _err]),
    "ingot_metal_encoder_end": (_int, [_handle, _err]),
    "ingot_dtype_parse": (_int, [_text, c.POINTER(DataType)]),
    "ingot_dtype_print": (_size, [DataType, _text]),
}


def _declare(library: c.CDLL) -> c.CDLL:
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _declare(_open())


class Handle:
    """An object of the C library that is released with this one."""

    def __init__(self, release: str, handle: Optional[int]) -> None:
        self._release, self.value = release, handle

    def __del__(self) -> None:
        if self.value:
            getattr(lib, self._release)(self.value)
            self.value = None


def _held(library: c.CDLL) -> c.PyDLL:
    """The functions of the registry, called with the GIL held: tvm-ffi's registry, which may lie behind it, has no lock."""
    held = c.PyDLL(library._name, handle=library._handle)
    for name in _FUNCTIONS:
        if name.startswith("ingot_function_") and name != "ingot_function_invoke":
            getattr(held, name).restype, getattr(held, name).argtypes = _FUNCTIONS[name]
    return held


registry = _held(lib)


def dtype_name(dtype: DataType) -> str:
    """A type's name: "float32", "bfloat16", "float8_e4m3fn"."""
    text = c.create_string_buffer(64)
    lib.ingot_dtype_print(dtype, text)
    return text.value.decode("ascii")


def take_text(text: c.c_void_p) -> bytes:
    """The bytes of an ingot_text, which is given back."""
    data = c.string_at(lib.ingot_text_data(text), lib.ingot_text_size(text))
    lib.ingot_text_release(text)
    return data
