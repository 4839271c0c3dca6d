"""The names that a configuration may hold: classes of Keras by kind, and functions of tensors.

Configurations come in files from untrusted sources. They may name only these objects and those that
the program has registered. With any arguments, none of these reads or writes files, uses a network,
starts a program or changes settings. `tests/keras/reachable.txt` lists them.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.ragged.factories import FACTORIES
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.util import lazy, own_code

# Imported when it is first used: it imports this module.
activations = lazy.Module("eagerflow.keras.activations")
# Imported when it is first used: few programs need it.
legacy = lazy.Module("eagerflow.keras.optimizers.legacy")

_ops = _core.ops


class Kind(NamedTuple):
    """The objects that one kind of entry in a configuration may name.

    Attributes:
        noun: the kind's name in messages.
        base: the module and name of the common base class, if there is one.
        namespaces: the parts of Keras whose names in a configuration mean this kind.
        objects: returns the classes and functions by name.
    """

    noun: str
    base: tuple[str, str] | None
    namespaces: tuple[str, ...]
    objects: Callable[[], Mapping[str, Any]]


def _from_stub(package: str, *left_out: str) -> dict[str, tuple[str, str]]:
    """The modules of the names in a package's stub."""
    names = lazy.origins(f"eagerflow.keras.{package}")
    return {name: origin for name, origin in names.items() if name not in left_out}


# Layers that `tf.keras.layers` does not show.
_OTHER_LAYERS = {
    "engine.functional.add_layers": "AddLoss AddMetric",
    "engine.functional.functional": "Functional",
    "engine.model": "Model",
    "engine.functional.op_layer": "InstanceMethod InstanceProperty MaskOf SlicingOpLambda TFOpLambda",
    "engine.sequential": "Sequential",
    "experimental": "LinearModel SequenceFeatures WideDeepModel",
    "experimental.sharpness": "SharpnessAwareMinimization",
    "applications.convnext": "LayerScale StochasticDepth",
    "applications.inception_resnet_v2": "CustomScaleLayer",
    "layers.random_fourier_features": "RandomFourierFeatures",
    "utils.feature_space": "FeatureSpace",
}


@functools.cache
def _layers() -> lazy.Objects:
    listed = {
        name: origin
        for name, origin in _from_stub("layers", "Input", "InputSpec", "TFSMLayer").items()
        if name[0].isupper()
    }
    for module, names in _OTHER_LAYERS.items():
        listed |= {name: (f"eagerflow.keras.{module}", name) for name in names.split()}
    return lazy.Objects(listed)


@functools.cache
def _losses() -> lazy.Objects:
    return lazy.Objects(_from_stub("losses", "get", "serialize", "deserialize", "Reduction"))


@functools.cache
def _metrics() -> lazy.Objects:
    return lazy.Objects(_from_stub("metrics", "get", "serialize", "deserialize", "experimental"))


def _named_in(module: str) -> Callable[[], Mapping[str, Any]]:
    """The objects that a module lists for configurations."""
    return lambda: importlib.import_module(f"eagerflow.keras.{module}")._NAMES


@functools.cache
def _activations() -> lazy.Objects:
    names = [*activations._NAMES, *activations._LATER]
    return lazy.Objects({name: ("eagerflow.keras.activations", name) for name in names})


@functools.cache
def _optimizers() -> lazy.Objects:
    listed = {
        name: origin
        for name, origin in _from_stub("optimizers", "Optimizer").items()
        if name[0].isupper()
    }
    return lazy.Objects(listed)


@functools.cache
def _legacy_optimizers() -> lazy.Objects:
    names = [name for name in legacy.__all__ if name != "Optimizer"]
    return lazy.Objects({name: (legacy.__name__, name) for name in names})


@functools.cache
def _schedules() -> lazy.Objects:
    listed = {
        name: origin
        for name, origin in _from_stub("optimizers.schedules", "LearningRateSchedule").items()
        if name[0].isupper()
    }
    return lazy.Objects(listed)


def _policies() -> lazy.Objects:
    policy = ("eagerflow.keras.mixed_precision.policy", "Policy")
    return lazy.Objects(dict.fromkeys(("Policy", "PolicyV1", "DTypePolicy"), policy))


def _older_initializers() -> lazy.Objects:
    names = (
        "Constant GlorotNormal GlorotUniform Identity Ones Orthogonal RandomNormal RandomUniform "
        "TruncatedNormal VarianceScaling Zeros"
    )
    module = "eagerflow.keras.legacy_initializers"
    return lazy.Objects({name: (module, name) for name in names.split()})


def _features() -> lazy.Objects:
    module = "eagerflow.keras.utils.feature_space"
    return lazy.Objects({name: (module, name) for name in ("Cross", "Feature")})


KINDS = {
    "layer": Kind(
        "layer",
        ("eagerflow.keras.engine.layer", "Layer"),
        ("", "applications", "engine", "experimental", "layers", "models", "premade_models")
        + ("utils", "__internal__"),
        _layers,
    ),
    "loss": Kind("loss function", ("eagerflow.keras.losses.loss", "Loss"), ("losses",), _losses),
    "metric": Kind(
        "metric function", ("eagerflow.keras.metrics.metric", "Metric"), ("metrics",), _metrics
    ),
    "optimizer": Kind(
        "optimizer",
        ("eagerflow.keras.optimizers.optimizer", "Optimizer"),
        ("optimizers", "mixed_precision"),
        _optimizers,
    ),
    "legacy optimizer": Kind(
        "optimizer",
        ("eagerflow.keras.optimizers.optimizer", "Optimizer"),
        ("optimizers.legacy",),
        _legacy_optimizers,
    ),
    "schedule": Kind(
        "decay",
        ("eagerflow.keras.optimizers.schedules.schedule", "LearningRateSchedule"),
        ("optimizers.schedules", "experimental"),
        _schedules,
    ),
    "initializer": Kind(
        "initializer",
        ("eagerflow.keras.initializers", "Initializer"),
        ("initializers",),
        _named_in("initializers"),
    ),
    "initializer of version 1": Kind("initializer", None, (), _older_initializers),
    "regularizer": Kind(
        "regularizer",
        ("eagerflow.keras.regularizers", "Regularizer"),
        ("regularizers",),
        _named_in("regularizers"),
    ),
    "constraint": Kind(
        "constraint",
        ("eagerflow.keras.constraints", "Constraint"),
        ("constraints",),
        _named_in("constraints"),
    ),
    "activation": Kind("activation function", None, ("activations",), _activations),
    "policy": Kind(
        "dtype policy",
        ("eagerflow.keras.mixed_precision.policy", "Policy"),
        ("mixed_precision", "dtype_policies"),
        _policies,
    ),
    "feature": Kind("feature", None, ("utils",), _features),
}
# The kinds that a function may have if its configuration does not state one.
_FUNCTIONS = ("activation", "loss", "metric")


def find_function(name: str, kind: str | None = None) -> Any:
    """The function of a name, or None.

    Args:
        name: the name of an activation, or of a loss's or metric's function.
        kind: the kind of the position that it is for.
    """
    for each in _FUNCTIONS if kind is None else (kind,):
        function = KINDS[each].objects().get(name)
        if function is not None and not isinstance(function, type):
            return function
    return None


def find_class(name: str, module: str | None, kind: str | None = None) -> type | None:
    """The class of a name in the module that a configuration names, or None.

    Args:
        name: the class's name.
        module: a module of Keras, wherever its class is in this package; another module for a
            class of the program's; None if the configuration is silent.
        kind: the kind of the entry; by default it follows from the module.
    """
    namespace = _namespace(module)
    if namespace is None:
        return _class_of_program(name, str(module), kind)
    for each in _kinds(namespace) if kind is None else _of_kind(kind, namespace):
        cls = KINDS[each].objects().get(name)
        if isinstance(cls, type):
            return cls
    return None


def _namespace(module: str | None) -> str | None:
    """The part of Keras that a module belongs to: "layers" for "keras.src.layers.core.dense"."""
    if module is None or module == "builtins":
        return ""
    first, _, rest = module.removeprefix("eagerflow.").partition(".")
    return rest.removeprefix("src.") if first in ("keras", "tf_keras") else None


def _kinds(namespace: str) -> list[str]:
    """The kinds of objects in a part of Keras, the most specific first."""
    if not namespace:
        return list(KINDS)
    parts = namespace.split(".")
    return [
        kind
        for length in range(len(parts), 0, -1)
        for kind, each in KINDS.items()
        if ".".join(parts[:length]) in each.namespaces
    ]


def _of_kind(kind: str, namespace: str) -> tuple[str, ...]:
    if kind != "optimizer":
        return (kind,)
    both = ("optimizer", "legacy optimizer")
    return both[::-1] if ".legacy" in f".{namespace}" else both


def _class_of_program(name: str, module: str, kind: str | None) -> type | None:
    """A class that the program has not registered, in a module that it has imported itself.

    A file must not make this process import a module, nor create objects of classes that are not
    meant for configurations. Classes that extend Keras's classes are.
    """
    loaded = sys.modules.get(module)
    cls = getattr(loaded, "__dict__", {}).get(name)
    if not isinstance(cls, type) or cls.__module__ != module or own_code.is_own(module):
        return None
    bases = {each.base for each in (KINDS.values() if kind is None else (KINDS[kind],))}
    for base in bases - {None}:
        defined_in, base_name = base  # type: ignore[misc]
        # A program that subclasses a class has loaded its module.
        its_module = sys.modules.get(defined_in)
        if its_module is not None and issubclass(cls, getattr(its_module, base_name)):
            return cls
    return None


# The namespaces of the operations that layers of one operation may name.
_NAMESPACES = frozenset(
    """
    audio bitwise debugging dtypes image keras.activations keras.backend keras.ops keras.ops.image
    keras.ops.linalg keras.ops.nn keras.ops.numpy keras.random linalg math nn quantization ragged
    random sets signal sparse strings
    """.split()
) | {""}
# The modules and packages that define their functions.
_HOMES = tuple(
    own_code.home(f"eagerflow.{name}") + "."
    for name in "audio bitwise debugging image keras.activations keras.backend keras.ops "
    "keras.random ops quantization ragged sets signal sparse strings".split()
)
# Their functions that are not operations on tensors: they have effects, read files, accept other
# functions, or describe the process.
_NO_OPERATIONS = frozenset(
    """
    broadcast_dynamic_shape broadcast_static_shape case cond constant control_dependencies
    custom_gradient foldl foldr function get_static_value grad_pass_through gradients group hessians
    init_scope make_ndarray make_tensor_proto map_fn no_gradient no_op
    nondifferentiable_batch_function numpy_function print py_function recompute_grad
    register_tensor_conversion_function scan switch_case timestamp vectorized_map while_loop

    debugging.disable_check_numerics debugging.disable_traceback_filtering
    debugging.enable_check_numerics debugging.enable_traceback_filtering
    debugging.get_log_device_placement debugging.is_traceback_filtering_enabled
    debugging.set_log_device_placement

    keras.activations.deserialize keras.activations.get keras.activations.serialize

    keras.backend.backend keras.backend.batch_get_value keras.backend.batch_set_value
    keras.backend.clear_session keras.backend.eval keras.backend.foldl keras.backend.foldr
    keras.backend.function keras.backend.get_value keras.backend.gradients
    keras.backend.learning_phase_scope keras.backend.manual_variable_initialization
    keras.backend.map_fn
    keras.backend.moving_average_update keras.backend.placeholder keras.backend.print_tensor
    keras.backend.random_normal_variable keras.backend.random_uniform_variable keras.backend.rnn
    keras.backend.set_value keras.backend.update keras.backend.update_add keras.backend.update_sub
    keras.backend.variable

    keras.ops.associative_scan keras.ops.cond keras.ops.convert_to_numpy keras.ops.fori_loop
    keras.ops.map keras.ops.numpy.vectorize keras.ops.scan keras.ops.switch keras.ops.vectorize
    keras.ops.jvp keras.ops.linalg.jvp keras.ops.nn.vectorized_map keras.ops.vectorized_map
    keras.ops.while_loop keras.ops.custom_gradient

    nn.fixed_unigram_candidate_sampler ragged.map_flat_values sparse.map_values
    random.create_rng_state random.fixed_unigram_candidate_sampler random.get_global_generator
    random.set_global_generator
    """.split()
)


_FUNCTION_TYPES = (types.FunctionType, _core.OpFunction)


# Version 1's names of operations that have another name now.
_RENAMED = {
    "floor_div": "math.floordiv",
    "nn.softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
}


def find_operation(symbol: str) -> Any:
    """The operation on tensors of a name such as "math.reduce_mean", or None.

    Args:
        symbol: a name below `tf.`, or "raw." and the name of a native operation.
    """
    symbol = symbol.removeprefix("compat.v1.")
    namespace, _, name = _RENAMED.get(symbol, symbol).rpartition(".")
    operation = None
    if namespace == "RaggedTensor" and name in FACTORIES:
        return getattr(RaggedTensor, name)
    if namespace in _NAMESPACES and f"{namespace}.{name}".lstrip(".") not in _NO_OPERATIONS:
        operation = _operation_in(namespace, name)
    if operation is None:
        operation = getattr(_ops, name, None)
    return operation if isinstance(operation, _FUNCTION_TYPES) else None


def _operation_in(namespace: str, name: str) -> Any:
    module = importlib.import_module(f"eagerflow.{namespace}".rstrip("."))
    if name.startswith("_"):
        return None
    operation = getattr(module, name, None)
    if hasattr(operation, "op_name"):
        return operation
    if not isinstance(operation, _FUNCTION_TYPES) or not f"{operation.__module__}.".startswith(
        _HOMES
    ):
        return None
    # Modules also hold helpers that they import.
    public = getattr(module, "__all__", None)
    is_public = operation.__module__ == module.__name__ if public is None else name in public
    return operation if is_public else None


def operations() -> dict[str, Any]:
    """All operations on tensors that configurations can name."""
    names = [f"raw.{name}" for name in dir(_ops)]
    names += [f"RaggedTensor.{name}" for name in FACTORIES]
    for namespace in _NAMESPACES:
        module = importlib.import_module(f"eagerflow.{namespace}".rstrip("."))
        public = getattr(module, "__all__", None) or dir(module)
        names += [f"{namespace}.{name}".lstrip(".") for name in public]
    resolved = {name: find_operation(name) for name in sorted(names)}
    return {name: operation for name, operation in resolved.items() if operation is not None}
