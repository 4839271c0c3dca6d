"""Which of this package's namespaces answer for which of TensorFlow's import paths."""

from __future__ import annotations

_V1 = "eagerflow.compat.v1"
_V2 = "eagerflow"
_INTERNALS = "eagerflow.compat.internals"

# What programs import from below `tensorflow.python`. A path that is not listed is answered by
# what stands for its longest listed beginning, and by the public names.
_PYTHON: dict[str, tuple[str, ...]] = {
    "client.device_lib": (f"{_INTERNALS}.device_lib",),
    "client.session": (_V1,),
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
    "framework.random_seed": (f"{_INTERNALS}.random_seed", _V1),
    "framework.tensor_shape": ("eagerflow.shapes",),
    "framework.tensor_util": (f"{_INTERNALS}.tensor_util", _V2),
    "keras": ("eagerflow.keras",),
    "layers": (f"{_V1}.layers",),
    "lib.io.file_io": ("eagerflow.io.gfile",),
    "lib.io.tf_record": (f"{_V1}.python_io", "eagerflow.io"),
    "ops.array_ops": (_V1, _V2),
    "ops.clip_ops": (_V1, _V2),
    "ops.control_flow_ops": (_V1, _V2),
    "ops.custom_gradient": (_V2,),
    "ops.distributions": (f"{_V1}.distributions",),
    "ops.image_ops": ("eagerflow.image",),
    "ops.init_ops": (f"{_V1}.initializers", _V1),
    "ops.init_ops_v2": ("eagerflow.initializers", _V2),
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
    "ops.parallel_for": (_V2,),
    "ops.random_ops": (f"{_V1}.random", _V1),
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
    "summary": (f"{_V1}.summary", "eagerflow.summary"),
    "tools": (_V1,),
    "training": (f"{_V1}.train", "eagerflow.train"),
    "util.compat": ("eagerflow.compat",),
    "util.nest": ("eagerflow.nest",),
    "util.tf_decorator": (f"{_INTERNALS}.decorators",),
    "util.tf_export": (f"{_INTERNALS}.decorators",),
    "util.tf_inspect": ("inspect",),
    "util.deprecation": (f"{_INTERNALS}.decorators",),
}


def internal_targets(path: str) -> tuple[str, ...] | None:
    """The namespaces for a path below `tensorflow.python`; None if nothing is known of it.

    >>> from eagerflow.dropin.paths import internal_targets
    >>> internal_targets("keras.layers")[0]
    'eagerflow.keras.layers'
    """
    parts = path.split(".") if path else []
    for length in range(len(parts), 0, -1):
        found = _PYTHON.get(".".join(parts[:length]))
        if found:
            rest = parts[length:]
            deeper = tuple(".".join([target, *rest]) for target in found) if rest else ()
            return (*deeper, *found)
    # A folder on the way to listed modules, such as `tensorflow.python.framework`.
    inside = f"{path}." if path else ""
    if any(listed.startswith(inside) for listed in _PYTHON):
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
    return (f"{root}.{path}",) if path else (root,)
