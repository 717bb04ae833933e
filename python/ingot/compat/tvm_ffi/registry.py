"""`tvm_ffi.registry`."""

from ingot import get_global_func, list_global_func_names, register_global_func, remove_global_func

__all__ = ["get_global_func", "list_global_func_names", "register_global_func", "remove_global_func"]
