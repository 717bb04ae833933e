"""`tvm.error`."""

from ingot.error import IngotError, ScriptError

TVMError = IngotError
InternalError = IngotError
DiagnosticError = ScriptError
