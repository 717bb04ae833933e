"""`tvm_ffi` where there is none: the registry, over Ingot's own."""

from ingot import Device, device, load_module
from ingot.runtime import as_host_array as from_dlpack

from . import registry
from .registry import get_global_func, register_global_func, remove_global_func

__all__ = [
    "Device",
    "device",
    "from_dlpack",
    "get_global_func",
    "load_module",
    "register_global_func",
    "registry",
    "remove_global_func",
]
