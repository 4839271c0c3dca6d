"""Public functions that are given symbolic tensors become layers of functional models.

Native operations ask `KerasTensor` by themselves. Functions that are composed in Python read shapes
and values on the way, which symbolic tensors do not have. From the first symbolic input on, the
public namespaces therefore hold them in a form that notices symbolic arguments: the function runs
as ever, and where it meets a symbolic tensor, all of it becomes one layer call. Functions inside
the package call each other directly and pay nothing.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.keras.engine.keras_tensor import KerasTensor

# Where functions are looked for, and what precedes their names in configurations.
_NAMESPACES = (
    "math",
    "nn",
    "",
    "linalg",
    "random",
    "strings",
    "image",
    "bitwise",
    "signal",
    "keras.backend",
    "keras.ops",
    "keras.ops.image",
    "keras.ops.linalg",
    "keras.ops.nn",
    "keras.ops.numpy",
    "keras.random",
)
# Found in several namespaces, and called by their shortest names.
_TOP_LEVEL = frozenset(
    "einsum norm tensordot eye cast where argsort sort searchsorted meshgrid identity".split()
)
_CANONICAL = {
    "log_softmax": "nn.log_softmax",
    "matmul": "linalg.matmul",
    "rint": "math.round",
    "softmax": "nn.softmax",
}
# They make or describe tensors, run other functions, or are no functions of tensors.
_LEFT_OUT = frozenset(
    "Variable constant convert_to_tensor is_tensor function custom_gradient py_function "
    "numpy_function as_dtype device control_dependencies print get_static_value group no_op "
    "register_tensor_conversion_function executing_eagerly grad_pass_through recompute_grad "
    "name_scope init_scope set_seed is_symbolic_tensor get_logger gradients hessians".split()
)

# The names by which layers call public functions, by the functions' identities.
_symbols: dict[int, str] = {}
# How many names each namespace had when it was last looked through.
_patched: dict[str, int] = {}
_MAX_FRAMES = 64


class _Diverted(Exception):
    """Ends a function that met a symbolic tensor; its frame makes a layer call of it."""

    _keras_call_info_injected = True  # no error of the layers that it goes through

    def __init__(self, frame: types.FrameType) -> None:
        self.frame = frame


def has_symbolic(values: Any) -> bool:
    """Whether symbolic tensors are among values, or in lists and dictionaries among them."""
    for value in values:
        if isinstance(value, KerasTensor):
            return True
        if isinstance(value, list | tuple | dict) and any(
            isinstance(leaf, KerasTensor) for leaf in nest.flatten(value)
        ):
            return True
    return False


def _noticing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function in the form that notices symbolic arguments."""

    @functools.wraps(function)
    def noticing(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _Diverted as error:
            if error.frame is not sys._getframe():
                raise
        except Exception:
            if not has_symbolic(args) and not has_symbolic(kwargs.values()):
                raise
        from eagerflow.keras.engine.op_layer import apply_function

        return apply_function(function, args, kwargs)

    noticing._noticed = function  # type: ignore[attr-defined]
    return noticing


_CODE = _noticing(has_symbolic).__code__


def plain(function: Any) -> Any:
    """The function itself, for one that notices symbolic arguments."""
    return getattr(function, "_noticed", function)


def divert_from_caller() -> None:
    """Ends the outermost public function under way that was given symbolic tensors, if any."""
    found = None
    frame: types.FrameType | None = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        if frame is None:
            break
        if frame.f_code is _CODE:
            values = frame.f_locals
            if has_symbolic(values["args"]) or has_symbolic(values["kwargs"].values()):
                found = frame
        frame = frame.f_back
    if found is not None:
        raise _Diverted(found)


def notice_loaded() -> None:
    """Makes a namespace that was loaded after symbolic inputs were made notice them."""
    if _patched:
        notice_functions()


def notice_functions() -> None:
    """Makes the public namespaces that are loaded notice symbolic arguments."""
    for prefix in _NAMESPACES:
        module_name = f"eagerflow.{prefix}".rstrip(".")
        module = sys.modules.get(module_name)
        if module is None or _patched.get(module_name) == len(vars(module)):
            continue
        for name, value in list(vars(module).items()):
            noticed = _notice(prefix, name, value)
            if noticed is not value:
                setattr(module, name, noticed)
        if not prefix:
            # The package imports some of its names only when they are asked for.
            vars(module)["_imported"] = _notice_imported
        _patched[module_name] = len(vars(module))


def _notice_imported(name: str, value: Any) -> Any:
    """What a name of the package stands for that has been imported just now."""
    if isinstance(value, types.ModuleType):
        notice_functions()
    return _notice("", name, value)


def _notice(prefix: str, name: str, value: Any) -> Any:
    """A public function in a form that notices symbolic arguments; other values as they are."""
    if name.startswith("_") or name in _LEFT_OUT:
        return value
    native = _is_native(value)
    ours = getattr(value, "__module__", None) or ""
    composed = isinstance(value, types.FunctionType) and ours.startswith("eagerflow.")
    if not native and not composed:
        return value
    function = plain(value)
    symbol = f"{prefix}.{name}".lstrip(".")
    if not prefix.startswith("keras."):
        symbol = _CANONICAL.get(name, name if prefix and name in _TOP_LEVEL else symbol)
    _symbols.setdefault(id(function), symbol)
    return _noticing(value) if composed and function is value else value


def symbol_of(function: Any) -> str | None:
    """The public name of a function, without `tf.`."""
    notice_functions()
    function = plain(function)
    symbol = _symbols.get(id(function))
    if symbol is None or symbol in _TOP_LEVEL or symbol in _CANONICAL.values():
        return symbol
    if symbol.rpartition(".")[0] in ("", "nn"):
        # Names of tf.math go before these, and are loaded later.
        name = symbol.rpartition(".")[2]
        for prefix in _NAMESPACES[:2]:
            module = importlib.import_module(f"eagerflow.{prefix}")
            if plain(getattr(module, name, None)) is function:
                return f"{prefix}.{name}"
    return symbol


def _is_native(value: Any) -> bool:
    return type(value) is type(_core.ops.add)
