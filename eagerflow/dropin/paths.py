"""Which of this package's namespaces answer for which of TensorFlow's import paths."""

from __future__ import annotations

_V1 = "eagerflow.compat.v1"
_V2 = "eagerflow"
_INTERNALS = "eagerflow.compat.internals"

# What programs import from below `tensorflow.python`. A path that is not listed is answered by
# what stands for its longest listed beginning, and by the public names.
_PYTHON: dict[str, tuple[str, ...]] = {
    "client.device_lib": ("eagerflow.config.device_attributes",),
    "client.session": (_V1,),
    "checkpoint": ("eagerflow.train",),
    "data": ("eagerflow.data",),
    "data.experimental": ("eagerflow.data.experimental",),
    "data.ops.dataset_ops": ("eagerflow.data",),
    "data.ops.iterator_ops": ("eagerflow.data",),
    "debug": ("eagerflow.debugging",),
    "distribute": ("eagerflow.distribute",),
    "eager.backprop": (f"{_INTERNALS}.backprop", _V2),
    "eager.context": (f"{_INTERNALS}.context", _V2),
    "eager.def_function": (_V2,),
    "eager.forwardprop": ("eagerflow.autodiff",),
    "eager.tape": (_V2,),
    "framework.config": ("eagerflow.config", "eagerflow.config.experimental"),
    "framework.dtypes": ("eagerflow.dtypes", _V1),
    "framework.errors": ("eagerflow.errors",),
    "framework.errors_impl": ("eagerflow.errors",),
    "framework.ops": (f"{_INTERNALS}.ops", _V1, _V2),
    "framework.indexed_slices": (_V2,),
    "framework.random_seed": (f"{_INTERNALS}.random_seed", _V1),
    "framework.sparse_tensor": (_V2,),
    "framework.tensor": (_V2,),
    "framework.tensor_shape": ("eagerflow.framework.shapes",),
    "framework.tensor_util": (f"{_INTERNALS}.tensor_util", _V2),
    "layers": (f"{_V1}.layers",),
    "lib.io.file_io": ("eagerflow.io.gfile",),
    "lib.io.tf_record": (f"{_V1}.python_io", "eagerflow.io"),
    "ops.array_ops": (_V1, _V2),
    "ops.clip_ops": (_V1, _V2),
    "ops.control_flow_ops": (_V1, _V2),
    "ops.custom_gradient": (_V2,),
    "ops.distributions": (f"{_V1}.distributions",),
    "ops.functional_ops": (_V1, _V2),
    "ops.gen_array_ops": (_V1, _V2),
    "ops.gen_math_ops": (f"{_V1}.math", _V1),
    "ops.gradients_impl": (_V1, _V2),
    "ops.gradients": (_V1, _V2),
    "ops.image_ops": ("eagerflow.image",),
    "ops.init_ops": (f"{_V1}.initializers", _V1),
    "ops.init_ops_v2": ("eagerflow.initializers", _V2),
    "ops.linalg.linalg": ("eagerflow.linalg",),
    "ops.linalg_ops": ("eagerflow.linalg", _V1),
    "ops.losses": (f"{_V1}.losses",),
    "ops.losses.losses": (f"{_V1}.losses",),
    "ops.losses.losses_impl": (f"{_V1}.losses",),
    "ops.math_ops": (f"{_V1}.math", _V1, "eagerflow.math"),
    "ops.metrics": (f"{_V1}.metrics",),
    "ops.metrics_impl": (f"{_V1}.metrics",),
    "ops.nn": (f"{_V1}.nn", "eagerflow.nn"),
    "ops.nn_impl": (f"{_V1}.nn", "eagerflow.nn"),
    "ops.nn_ops": (f"{_V1}.nn", "eagerflow.nn"),
    "ops.numpy_ops": ("eagerflow.experimental.numpy",),
    "ops.numpy_ops.np_config": (f"{_INTERNALS}.np_config",),
    "ops.parallel_for": (_V2,),
    "ops.random_ops": (f"{_V1}.random", _V1),
    "ops.ragged": ("eagerflow.ragged", _V2),
    "ops.resource_variable_ops": (f"{_INTERNALS}.variables", _V1),
    "ops.rnn_cell": (f"{_V1}.nn.rnn_cell",),
    "ops.rnn_cell_impl": (f"{_V1}.nn.rnn_cell",),
    "ops.string_ops": ("eagerflow.strings", _V1),
    "ops.summary_ops_v2": ("eagerflow.summary",),
    "ops.variable_scope": (_V1,),
    "ops.variables": (_V1, _V2),
    "platform.app": (f"{_V1}.app",),
    "platform.flags": (f"{_V1}.flags",),
    "platform.gfile": (f"{_V1}.gfile",),
    "platform.test": (f"{_V1}.test", "eagerflow.test"),
    "platform.tf_logging": (f"{_V1}.logging",),
    "profiler.profiler_v2": ("eagerflow.profiler.experimental",),
    "summary": (f"{_V1}.summary", "eagerflow.summary"),
    "summary.summary_iterator": (f"{_V1}.train",),
    "tools": (_V1,),
    "training": (f"{_V1}.train", "eagerflow.train"),
    "util.compat": ("eagerflow.compat",),
    "util.nest": ("eagerflow.nest",),
    "util.tf_decorator": (f"{_INTERNALS}.decorators",),
    "util.tf_export": (f"{_INTERNALS}.decorators",),
    "util.tf_inspect": ("inspect",),
    "util.deprecation": (f"{_INTERNALS}.decorators",),
}


# Where Keras's classes were, by version, and the public namespaces that have them.
_KERAS: dict[str, tuple[str, ...]] = {
    "backend.tensorflow_backend": ("backend",),
    "callbacks.callbacks": ("callbacks",),
    "engine": ("", "layers", "models", "utils"),
    "initializers.initializers_v2": ("initializers",),
    **{
        f"layers.{name}": ("layers",)
        for name in (
            "advanced_activations",
            "attention",
            "convolutional",
            "convolutional_recurrent",
            "core",
            "cudnn_recurrent",
            "dense_attention",
            "embeddings",
            "local",
            "merge",
            "merging",
            "noise",
            "normalization",
            "normalization_v2",
            "pooling",
            "preprocessing",
            "recurrent",
            "recurrent_v2",
            "regularization",
            "reshaping",
            "rnn",
            "wrappers",
        )
    },
    "objectives": ("losses",),
    "optimizer_v1": ("optimizers",),
    "optimizer_v2": ("optimizers", "optimizers.schedules"),
    "saving": ("models", "utils"),
    **{
        f"utils.{name}": ("utils", "models", "backend")
        for name in (
            "conv_utils",
            "data_utils",
            "generic_utils",
            "io_utils",
            "layer_utils",
            "losses_utils",
            "np_utils",
            "tf_utils",
            "vis_utils",
        )
    },
}
# Folders before the public names.
_KERAS_ROOTS = ("src", "api", "api._v2.keras", "api._v1.keras", "_tf_keras.keras", "python.keras")


def keras_targets(root: str, path: str) -> tuple[str, ...]:
    """The namespaces that answer for `keras.<path>`, best first, those of earlier versions among them.

    >>> from eagerflow.dropin.paths import keras_targets
    >>> keras_targets("eagerflow.keras", "layers.core")
    ('eagerflow.keras.layers.core', 'eagerflow.keras.layers')
    """
    for prefix in sorted(_KERAS_ROOTS, key=len, reverse=True):
        if path == prefix or path.startswith(f"{prefix}."):
            return keras_targets(root, path[len(prefix) + 1 :])
    namespaces = [f"{root}.{path}" if path else root]
    parts = path.split(".") if path else []
    for length in range(len(parts), 0, -1):
        former = _KERAS.get(".".join(parts[:length]))
        if former is not None:
            namespaces += [f"{root}.{name}" if name else root for name in former]
            break
    return tuple(namespaces)


def internal_targets(path: str) -> tuple[str, ...] | None:
    """The namespaces for a path below `tensorflow.python`; None for an unknown path.

    >>> from eagerflow.dropin.paths import internal_targets
    >>> internal_targets("keras.layers")
    ('eagerflow.keras.layers',)
    """
    parts = path.split(".") if path else []
    if parts and parts[0] == "keras":
        return keras_targets("eagerflow.keras", ".".join(parts[1:]))
    for length in range(len(parts), 0, -1):
        listed = _PYTHON.get(".".join(parts[:length]))
        if listed:
            rest = parts[length:]
            deeper = tuple(".".join([target, *rest]) for target in listed) if rest else ()
            return (*deeper, *listed)
    # A folder on the way to listed modules, such as `tensorflow.python.framework`.
    inside = f"{path}." if path else ""
    if any(module.startswith(inside) for module in _PYTHON):
        return (_V1, _V2)
    return None


def targets(path: str, first_generation: bool) -> tuple[str, ...] | None:
    """The namespaces that may answer for `tensorflow.<path>`, best first.

    >>> from eagerflow.dropin.paths import targets
    >>> targets("math", False), targets("compat.v1.train", False)
    (('eagerflow.math',), ('eagerflow.compat.v1.train',))
    """
    root = _V1 if first_generation else _V2
    head, _, rest = path.partition(".")
    if head == "python":
        return internal_targets(rest)
    if head == "examples":  # tensorflow.examples.tutorials.mnist.input_data
        inner = "tutorials.mnist.input_data"
        if rest == inner:
            return ("eagerflow.v1.input_data",)
        return ("eagerflow.v1",) if rest == "" or inner.startswith(f"{rest}.") else None
    if head == "contrib":
        return (f"eagerflow.{path}",) if first_generation else None
    if path.startswith("compat.v2"):
        return (f"eagerflow{path[len('compat.v2') :]}",)
    if path.startswith("compat.v1"):
        return (f"eagerflow.{path}",)
    if head == "_api":  # tensorflow._api.v1.math, tensorflow._api.v2.math
        version, _, inner = rest.partition(".")
        return targets(inner, version == "v1") if version in ("v1", "v2") else (root,)
    if head == "keras":
        return keras_targets(f"{root}.keras", rest)
    return (f"{root}.{path}",) if path else (root,)
