"""Objects as dictionaries of plain values, and back."""

from __future__ import annotations

import threading
import types
from types import TracebackType
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TypeSpec
from eagerflow.io.damage import made_by
from eagerflow.keras.saving import reachable, registration
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.util import lazy, own_code
from eagerflow.util.program_warnings import warn

# Imported when it is first used: few programs need it.
function_code = lazy.Module("eagerflow.keras.utils.function_code")
# Few configurations have specs.
spec_config = lazy.Module("eagerflow.keras.saving.spec_config")

_PLAIN = (str, int, float, bool)

# The public modules of the classes of packages.
_PUBLIC_MODULES = {
    "eagerflow.keras.activations": "keras.activations",
    "eagerflow.keras.constraints": "keras.constraints",
    "eagerflow.keras.initializers": "keras.initializers",
    "eagerflow.keras.layers": "keras.layers",
    "eagerflow.keras.engine.functional.input_layer": "keras.layers",
    "eagerflow.keras.losses": "keras.losses",
    "eagerflow.keras.metrics": "keras.metrics",
    "eagerflow.keras.mixed_precision": "keras.mixed_precision",
    "eagerflow.keras.optimizers.schedules": "keras.optimizers.schedules",
    "eagerflow.keras.optimizers.legacy": "keras.optimizers.legacy",
    "eagerflow.keras.optimizers": "keras.optimizers",
    "eagerflow.optimizers": "keras.optimizers",
    "eagerflow.keras.regularizers": "keras.regularizers",
    "eagerflow.keras.engine.sequential": "keras",
    "eagerflow.keras.engine.model": "keras",
}
# The modules of Keras's classes that are not public.
_HIDDEN_MODULES = {
    "eagerflow.ops.init_ops": "tensorflow.python.ops.init_ops_v2",
    "eagerflow.keras.engine.functional.functional": "tf_keras.src.engine.functional",
    "eagerflow.keras.utils.feature_space": "tf_keras.src.utils.feature_space",
    "eagerflow.keras.engine.functional.op_layer": "tf_keras.src.layers.core.tf_op_layer",
}


class _Safety(threading.local):
    mode: bool | None = None


_safety = _Safety()


class SafeModeScope:
    """Decides inside a `with` block whether lambdas may be restored from code."""

    def __init__(self, safe_mode: bool = True) -> None:
        self._mode = safe_mode
        self._before: bool | None = None

    def __enter__(self) -> None:
        self._before, _safety.mode = _safety.mode, self._mode

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _safety.mode = self._before


def in_safe_mode() -> bool | None:
    """The mode of the innermost `SafeModeScope`; None outside of all."""
    return _safety.mode


def enable_unsafe_deserialization() -> None:
    """Lets this thread restore lambdas from code in files that do not say otherwise.

    A file that a program loads afterwards can do anything that the program could do.

    >>> from eagerflow.keras.saving import serialization
    >>> with serialization.SafeModeScope():
    ...     serialization.enable_unsafe_deserialization()
    ...     serialization.in_safe_mode()
    False
    """
    _safety.mode = False


def loading_scope(safe_mode: bool) -> SafeModeScope:
    """The scope in which a file is loaded: a mode that the program is in overrides the argument."""
    return SafeModeScope(safe_mode if _safety.mode is None else _safety.mode)


def check_reference(path: object, owner: str, kind: str = "its vocabulary") -> None:
    """Refuses, in safe mode, a path in a configuration: a file must not name other files to read.

    Args:
        path: a value of the configuration that may be a path.
        owner: the name of the class that it is for.
        kind: the contents of such a file.

    Raises:
        ValueError: if `path` is a string and `in_safe_mode()`.
    """
    if isinstance(path, str | bytes) and in_safe_mode():
        raise ValueError(
            f"The configuration of {owner} names a file of {kind}, {path!r}, which could be "
            "any file that this process may read. Loading it is disallowed by default. If you "
            "trust the source of the saved model, pass `safe_mode=False` to the loading function."
        )


def public_module(cls: type) -> str | None:
    """The public Keras module of a class of this package; None for a program's own classes."""
    module = own_code.public(cls.__module__)
    while module.startswith("eagerflow."):
        if module in _PUBLIC_MODULES:
            return _PUBLIC_MODULES[module]
        module = module.rpartition(".")[0]
    return None


def serialize_keras_object(obj: object) -> Any:
    """An object as plain values, from which `deserialize_keras_object` makes an equal one.

    Args:
        obj: a plain value, a structure of such, a tensor, an array, a dtype, a shape, a function,
            or an object with `get_config`.

    Raises:
        TypeError: for other objects.

    >>> tf.keras.utils.serialize_keras_object(tf.keras.initializers.Zeros())["class_name"]
    'Zeros'
    """
    if obj is None or isinstance(obj, _PLAIN):
        return obj
    if isinstance(obj, list | tuple):
        return (
            type(obj)(serialize_keras_object(item) for item in obj)
            if type(obj) in (list, tuple)
            else [serialize_keras_object(item) for item in obj]
        )
    if isinstance(obj, dict):
        return {key: serialize_keras_object(value) for key, value in obj.items()}
    if isinstance(obj, bytes):
        return {"class_name": "__bytes__", "config": {"value": obj.decode("utf-8")}}
    if isinstance(obj, TensorShape):
        return None if obj.rank is None else obj.as_list()
    if isinstance(obj, _core.Tensor | _core.Variable):
        config = {"value": obj.numpy().tolist(), "dtype": obj.dtype.name}
        return {"class_name": "__tensor__", "config": config}
    if isinstance(obj, np.ndarray) and obj.ndim > 0:
        config = {"value": obj.tolist(), "dtype": obj.dtype.name}
        return {"class_name": "__numpy__", "config": config}
    if isinstance(obj, np.ndarray | np.generic):
        return obj.item()
    if isinstance(obj, dtypes.DType):
        return obj.name
    if isinstance(obj, slice):
        return {
            "class_name": "slice",
            "module": "builtins",
            "registered_name": "slice",
            "config": {"start": obj.start, "stop": obj.stop, "step": obj.step},
        }
    if isinstance(obj, types.FunctionType) and obj.__name__ == "<lambda>":
        return _serialize_lambda(obj)
    if isinstance(obj, TypeSpec):
        return spec_config.encoded(obj)
    return _serialize_object(obj)


def _serialize_lambda(function: types.FunctionType) -> dict[str, Any]:
    warn(
        "The object being serialized includes a `lambda`. This is unsafe. In order to reload the "
        "object, you will have to pass `safe_mode=False` to the loading function. Please avoid "
        "using `lambda` in the future, and use named Python functions instead."
    )
    return {"class_name": "__lambda__", "config": {"value": function_code.dump_function(function)}}


def _serialize_object(obj: Any) -> dict[str, Any]:
    is_function = isinstance(obj, types.FunctionType | types.BuiltinFunctionType) or (
        not hasattr(obj, "get_config") and hasattr(obj, "__name__")
    )
    if is_function:
        return {
            "module": "builtins",
            "class_name": "function",
            "config": registration.get_registered_name(obj),
            "registered_name": "function",
        }
    if not hasattr(obj, "get_config"):
        raise TypeError(
            f"Cannot serialize object {obj} of type {type(obj)}. "
            "To be serializable, a class must implement the `get_config()` method."
        )
    inner = obj.get_config()
    if not isinstance(inner, dict):
        raise TypeError(
            f"The `get_config()` method of {obj} should return a dict. It returned: {inner}"
        )
    cls = type(obj)
    module = public_module(cls)
    registered = None
    if module is None:
        module = _HIDDEN_MODULES.get(cls.__module__, cls.__module__)
        registered = registration.get_registered_name(cls)
        if module == "__main__":
            module = None
    config = {
        "module": module,
        "class_name": cls.__name__,
        "config": serialize_keras_object(inner),
        "registered_name": registered,
    }
    for key in ("build_config", "compile_config"):
        part = getattr(obj, f"get_{key}", lambda: None)()
        if part is not None:
            config[key] = serialize_keras_object(part)
    return config


def without_modules(entry: dict[str, Any]) -> dict[str, Any]:
    """The configuration of a layer in the form of older versions of Keras: with class names alone."""
    kept = {
        key: value
        for key, value in entry.items()
        if key not in ("module", "registered_name", "build_config", "compile_config")
    }
    registered = entry.get("registered_name")
    if registered and ">" in registered:
        kept["class_name"] = registered
    return inner_without_modules(kept)


def inner_without_modules(entry: dict[str, Any]) -> dict[str, Any]:
    """The configuration of a model, with those of its layers in the form of older versions."""
    inner = entry.get("config")
    if not isinstance(inner, dict):
        return entry
    inner = dict(inner)
    if isinstance(inner.get("layers"), list):
        inner["layers"] = [without_modules(item) for item in inner["layers"]]
    return {**entry, "config": inner}


def deserialize_keras_object(
    config: Any, custom_objects: CustomObjects | None = None, safe_mode: bool = True, **kwargs: Any
) -> Any:
    """The object that a configuration describes.

    Args:
        config: what `serialize_keras_object` returned.
        custom_objects: a program's own classes and functions by name.
        safe_mode: whether to refuse lambdas, which are code inside a file.
        **kwargs: `module_objects` (names that `config` may be) and `printable_module_name`.

    Raises:
        TypeError: for an unknown class or function: it is not Keras's, not registered, and not
            among `custom_objects`.
        ValueError: for a lambda in safe mode.

    >>> config = tf.keras.utils.serialize_keras_object(tf.keras.initializers.Constant(2.0))
    >>> tf.keras.utils.deserialize_keras_object(config)([2]).numpy()
    array([2., 2.], dtype=float32)
    """
    module_objects = kwargs.pop("module_objects", None)
    noun = kwargs.pop("printable_module_name", "object")
    if kwargs:
        raise ValueError(f"The following argument(s) are not supported: {list(kwargs)}")
    return _deserialized(config, custom_objects, safe_mode, None, module_objects, noun)


def deserialize_as(
    kind: str,
    config: object,
    custom_objects: CustomObjects | None = None,
    safe_mode: bool = True,
    names: object = None,
) -> Any:
    """The object of one kind that a configuration describes.

    Args:
        kind: which of `reachable.KINDS`.
        config: a dictionary, or a structure of dictionaries; with `names`, it may be a name.
        custom_objects: a program's own classes and functions by name.
        safe_mode: whether to refuse lambdas.
        names: objects by name; by default those of the kind.

    Raises:
        TypeError: for a class or function that the kind does not have.
        ValueError: for an unknown name, and a lambda in safe mode.
    """
    noun = reachable.KINDS[kind].noun
    return _deserialized(config, custom_objects, safe_mode, kind, names, noun)


def _deserialized(
    config: object,
    custom_objects: CustomObjects | None,
    safe_mode: bool,
    kind: str | None,
    objects: object = None,
    noun: str = "object",
) -> Any:
    if _safety.mode is not None:
        safe_mode = _safety.mode
    known = registration.known_objects(custom_objects)
    if config is None:
        return None
    if isinstance(config, str) and known.get(config) is not None:
        return known[config]
    if isinstance(config, list | tuple):
        return [_deserialized(item, custom_objects, safe_mode, kind) for item in config]
    if objects is not None:
        return _from_module(config, objects, known, kind, noun, safe_mode)
    if isinstance(config, _PLAIN):
        return config
    if not isinstance(config, dict):
        raise TypeError(f"Could not parse config: {config}")
    if "class_name" not in config or "config" not in config:
        return {
            key: _deserialized(value, custom_objects, safe_mode, kind)
            for key, value in config.items()
        }
    return _from_class(config, known, kind, safe_mode)


def _from_module(
    config: object,
    objects: Any,
    known: dict[str, object],
    kind: str | None,
    noun: str,
    safe_mode: bool,
) -> Any:
    """An object that is named by a string, or by a dictionary with its class's name."""
    if isinstance(config, str):
        target = objects.get(config)
        if target is None:
            raise ValueError(unknown_name(noun, config, objects))
        return target() if isinstance(target, type) else target
    if not isinstance(config, dict) or "class_name" not in config:
        raise ValueError(f"Unknown `config` as a `dict`, config={config}")
    name = config["class_name"]
    inner = config.get("config")
    if name == "function":
        name = str(inner)
        target = known.get(name) or objects.get(name)
        if target is None:
            raise ValueError(unknown_name(noun, name, objects))
        return target
    if name in known or config.get("registered_name") in known or name not in objects:
        is_known = name in known or config.get("registered_name") in known
        if "module" not in config and not is_known:
            raise ValueError(unknown_name(noun, name, objects))
        return _from_class(config, known, kind, safe_mode)
    target = objects[name]
    if not isinstance(target, type):
        return target
    with registration.CustomObjectScope(known), SafeModeScope(safe_mode), made_by(target):
        # The oldest files have a list of layers as a Sequential model's configuration.
        inner = list(inner) if isinstance(inner, list) else dict(inner or {})
        return target.from_config(inner)  # type: ignore[attr-defined]


def unknown_name(kind: str, name: str | None, objects: dict[str, object]) -> str:
    """The message for an unknown name, with the most similar known names."""
    import difflib

    near = difflib.get_close_matches(str(name), list(objects), n=3)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return (
        f"Unknown {kind}: '{name}'.{hint} Please ensure you are using a "
        "`keras.utils.custom_object_scope` and that this object is included in the scope. See "
        "https://www.tensorflow.org/guide/keras/save_and_serialize#registering_the_custom_object "
        "for details."
    )


def _from_class(config: Config, known: dict[str, object], kind: str | None, safe_mode: bool) -> Any:
    name = config["class_name"]
    inner = config["config"] if config["config"] is not None else {}
    if name == "__typespec__":
        return spec_config.decoded(config)
    if name == "__tensor__":
        return _core.convert(inner["value"], dtypes.as_dtype(inner["dtype"]), None)
    if name == "__numpy__":
        return _array(inner["value"], inner["dtype"])
    if name == "__bytes__":
        return inner["value"].encode("utf-8")
    if name == "slice" and config.get("module") == "builtins":
        return slice(inner["start"], inner["stop"], inner["step"])
    if name == "__lambda__":
        if safe_mode:
            raise ValueError(
                "Requested the deserialization of a `lambda` object. This carries a potential "
                "risk of arbitrary code execution and thus it is disallowed by default. If you "
                "trust the source of the saved model, you can pass `safe_mode=False` to the "
                "loading function in order to allow `lambda` loading."
            )
        return function_code.load_function(inner["value"])
    if name == "function":
        return _function(str(inner), config, known, kind)
    cls = registration.get_registered_object(config.get("registered_name") or name, known)
    if cls is None:
        cls = registration.get_registered_object(name, known)
    if cls is None:
        cls = reachable.find_class(name, config.get("module"), kind)
    if cls is None:
        raise _not_located("class", name, config)
    if not isinstance(cls, type):
        return cls
    if not hasattr(cls, "from_config"):
        raise TypeError(
            f"Unable to reconstruct an instance of '{name}' because the class is missing a "
            f"`from_config()` method. Full object config: {config}"
        )
    with registration.CustomObjectScope(known), SafeModeScope(safe_mode), made_by(cls):
        instance = cls.from_config(inner)
        if config.get("build_config") and hasattr(instance, "build_from_config"):
            instance.build_from_config(config["build_config"])
        if config.get("compile_config") and hasattr(instance, "compile_from_config"):
            instance.compile_from_config(config["compile_config"])
    return instance


def _array(value: object, name: str) -> np.ndarray:
    """Converts values to a dtype with elements that are not larger than the values.

    Raises:
        ValueError: for larger dtypes such as "U1000000000".
    """
    dtype, array = np.dtype(name), np.array(value)
    if dtype.itemsize > max(array.dtype.itemsize, np.dtype(complex).itemsize):
        raise ValueError(f"The elements of an array of dtype {name} would be larger than theirs.")
    return array.astype(dtype)


def _function(name: str, config: Config, known: dict[str, object], kind: str | None) -> Any:
    """A registered function with this name, or Keras's for this kind of entry."""
    registered = config.get("registered_name") or name
    function = registration.get_registered_object(registered, known)
    if function is None:
        function = registration.get_registered_object(name, known)
    if function is None:
        function = reachable.find_function(name, kind)
    if function is None:
        raise _not_located("function", name, config)
    return function


def _not_located(what: str, name: str, config: Config) -> TypeError:
    return TypeError(
        f"Could not locate {what} '{name}'. Make sure custom classes and functions are decorated with "
        "`@keras.saving.register_keras_serializable()`, or pass them in `custom_objects`: a "
        "configuration can name what Keras has for its position, and what the program knows. Full "
        f"object config: {config}"
    )
