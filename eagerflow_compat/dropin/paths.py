"""Which of this package's namespaces answer for which of TensorFlow's import paths."""

from __future__ import annotations

import functools
from pathlib import Path

from eagerflow.util import unavailable
from eagerflow_compat.dropin import estimators, packages, private_names
from eagerflow_compat.dropin.facade import resolve

_V1 = "eagerflow.compat.v1"
_V2 = "eagerflow"
_INTERNALS = "eagerflow_compat.internals"

# The namespaces whose names private modules have, best first: modules that have what is not public, and
# those whose names mean something else elsewhere. `private_names` finds all other names. A path that
# is not listed has the namespaces of its longest listed beginning.
_PYTHON: dict[str, tuple[str, ...]] = {
    "autograph": ("eagerflow.autograph", "eagerflow.autograph.experimental"),
    "autograph.impl.api": (f"{_INTERNALS}.source_maps", "eagerflow.autograph"),
    "autograph.pyct": ("malt.pyct",),
    "checkpoint": (f"{_INTERNALS}.tracking",),
    "checkpoint.saveable_compat": (f"{_INTERNALS}.saveables",),
    "client.device_lib": ("eagerflow.config.device_attributes",),
    "client.session": (_V1,),
    "compat.compat": (_V1, "eagerflow.compat"),
    "data.experimental": ("eagerflow.data.experimental",),
    **{
        f"data.ops.{name}_op": (f"{_INTERNALS}.dataset_sources",)
        for name in (
            "from_generator",
            "from_sparse_tensor_slices",
            "from_tensor_slices",
            "from_tensors",
            "range",
        )
    },
    "data.ops.iterator_ops": ("eagerflow.data.iterator",),
    "data.util.nest": ("eagerflow.nest",),
    "data.util.convert": (f"{_INTERNALS}.dataset_parameters",),
    "data.util.structure": (f"{_INTERNALS}.structure",),
    "distribute": ("eagerflow.distribute",),
    "distribute.estimator_training": (f"{_INTERNALS}.estimator_training",),
    "distribute.distribute_utils": (f"{_INTERNALS}.distribution",),
    "distribute.coordinator.cluster_coordinator": ("eagerflow.distribute.coordinator",),
    "distribute.coordinator.coordinator_context": (f"{_INTERNALS}.coordination",),
    "distribute.distribute_lib": (f"{_INTERNALS}.coordination", "eagerflow.distribute"),
    "distribute.input_ops": (f"{_INTERNALS}.distribution",),
    "distribute.ps_values": (f"{_INTERNALS}.distributed_values",),
    "distribute.combinations": (f"{_INTERNALS}.distribute_combinations",),
    "distribute.strategy_combinations": (
        f"{_INTERNALS}.combinations",
        f"{_INTERNALS}.distribute_combinations",
    ),
    "distribute.values": (f"{_INTERNALS}.distributed_values", "eagerflow.distribute"),
    "dlpack.dlpack": ("eagerflow.experimental.dlpack",),
    "eager.backprop": (f"{_INTERNALS}.backprop",),
    "eager.context": (f"{_INTERNALS}.context",),
    "eager.def_function": (f"{_INTERNALS}.functions",),
    "eager.function": (f"{_INTERNALS}.functions",),
    "eager.lift_to_graph": ("eagerflow.functions.variable_creation",),
    "eager.monitoring": (f"{_INTERNALS}.monitoring",),
    "eager.polymorphic_function": (f"{_INTERNALS}.functions",),
    "eager.record": (f"{_INTERNALS}.backprop",),
    "eager.tape": (f"{_INTERNALS}.backprop",),
    "eager.test": (f"{_INTERNALS}.eager_test", "eagerflow.test"),
    "eager.wrap_function": (f"{_INTERNALS}.functions", "eagerflow_compat.v1.wrap_function"),
    "feature_column.utils": (f"{_INTERNALS}.sequences",),
    "feature_column": (f"{_INTERNALS}.feature_columns", "eagerflow.feature_column"),
    "framework.c_api_util": (f"{_INTERNALS}.op_declarations",),
    "framework.combinations": (f"{_INTERNALS}.combinations",),
    "framework.composite_tensor": (f"{_INTERNALS}.composites",),
    "framework.constant_op": (f"{_INTERNALS}.shapes",),
    "framework.config": (
        "eagerflow.config",
        "eagerflow.config.experimental",
        "eagerflow.config.settings",
    ),
    "framework.convert_to_constants": (
        "eagerflow.graphdef.freezing",
        f"{_INTERNALS}.graph_tools",
    ),
    "framework.dtypes": ("eagerflow.dtypes", f"{_INTERNALS}.reference_dtypes"),
    "framework.errors": ("eagerflow.errors",),
    "framework.errors_impl": ("eagerflow.errors",),
    "framework.func_graph": (f"{_INTERNALS}.functions",),
    "framework.function_def_to_graph": ("eagerflow.graphdef.function_graphs",),
    "framework.importer": (f"{_INTERNALS}.graph_tools", _V1),
    "framework.indexed_slices": (f"{_INTERNALS}.composites",),
    "framework.op_def_registry": (f"{_INTERNALS}.op_declarations",),
    "framework.ops": (f"{_INTERNALS}.ops", f"{_INTERNALS}.op_registries"),
    "framework.random_seed": (f"{_INTERNALS}.random_seed",),
    "framework.smart_cond": (f"{_INTERNALS}.conditions",),
    "framework.sparse_tensor": (f"{_INTERNALS}.composites",),
    "framework.tensor_shape": ("eagerflow.framework.shapes", f"{_INTERNALS}.shapes"),
    "framework.test_combinations": (f"{_INTERNALS}.combinations",),
    "framework.tensor_util": (f"{_INTERNALS}.tensor_util",),
    "framework.test_util": (f"{_INTERNALS}.test_util",),
    "framework.tensor_spec": (f"{_INTERNALS}.composites",),
    "framework.type_spec": (f"{_INTERNALS}.composites",),
    "framework.type_spec_registry": (f"{_INTERNALS}.composites",),
    "layers": (f"{_INTERNALS}.layer_names", f"{_V1}.layers"),
    "layers.utils": (f"{_INTERNALS}.layer_sizes", f"{_INTERNALS}.layer_names"),
    "lib.io.file_io": (f"{_INTERNALS}.file_io", "eagerflow.io.gfile"),
    "lib.io.tf_record": ("eagerflow.io", f"{_V1}.io"),
    "ops.clustering_ops": (f"{_INTERNALS}.clustering",),
    "grappler": (f"{_INTERNALS}.grappler",),
    "ops.array_ops": (f"{_INTERNALS}.array_ops", f"{_INTERNALS}.shapes"),
    "ops.confusion_matrix": (f"{_INTERNALS}.metrics_impl", f"{_V1}.math"),
    "ops.control_flow_case": (f"{_INTERNALS}.conditions",),
    "ops.control_flow_ops": (f"{_INTERNALS}.conditions",),
    "ops.control_flow_util": (f"{_INTERNALS}.conditions",),
    "ops.distributions": (f"{_V1}.distributions",),
    "ops.gradient_checker": (f"{_V1}.test",),
    "ops.image_ops": ("eagerflow.image",),
    "ops.init_ops": (f"{_INTERNALS}.initializers", f"{_V1}.initializers", _V1),
    "ops.init_ops_v2": (
        "eagerflow.ops.init_ops",
        f"{_INTERNALS}.initializers_v2",
        "eagerflow",
        f"{_INTERNALS}.initializers",
    ),
    "ops.linalg.linear_operator": (f"{_INTERNALS}.linear_operator",),
    "ops.linalg.linear_operator_addition": (f"{_INTERNALS}.linear_operator",),
    "ops.linalg": ("eagerflow.linalg",),
    "ops.linalg.sparse": (f"{_INTERNALS}.csr_matrices",),
    "ops.linalg_ops": ("eagerflow.linalg",),
    "ops.lookup_ops": (
        f"{_INTERNALS}.tables",
        f"{_INTERNALS}.text_tables",
        f"{_INTERNALS}.numbered_words",
    ),
    "ops.inplace_ops": (f"{_INTERNALS}.inplace_ops",),
    "ops.op_selector": (f"{_INTERNALS}.op_selector",),
    "ops.script_ops": (f"{_INTERNALS}.python_functions",),
    "ops.summary_op_util": (f"{_INTERNALS}.summary_collections",),
    "ops.losses": (f"{_V1}.losses",),
    "ops.metrics": (f"{_V1}.metrics",),
    "ops.metrics_impl": (f"{_INTERNALS}.metrics_impl", f"{_V1}.metrics"),
    "ops.nn": (f"{_V1}.nn", "eagerflow.nn"),
    "ops.nn_ops": (f"{_INTERNALS}.convolutions",),
    "ops.numpy_ops": ("eagerflow.experimental.numpy",),
    "ops.numpy_ops.np_config": (f"{_INTERNALS}.np_config",),
    "ops.numpy_ops.np_dtypes": (f"{_INTERNALS}.np_dtypes",),
    "ops.numpy_ops.np_random": ("eagerflow.experimental.numpy.random",),
    "ops.parallel_for": (f"{_INTERNALS}.functions",),
    "ops.ragged": (f"{_INTERNALS}.ragged", "eagerflow.ragged"),
    "ops.random_ops": (f"{_INTERNALS}.random_ops",),
    "ops.variable_scope": (f"{_INTERNALS}.variable_scopes", _V1),
    "ops.variables": ("eagerflow.graph.partitioned", _V1),
    "ops.while_v2": (f"{_INTERNALS}.control_flow",),
    "ops.weights_broadcast_ops": (f"{_INTERNALS}.variables",),
    "ops.ref_variable": (f"{_INTERNALS}.variables",),
    "ops.resource_variable_ops": (f"{_INTERNALS}.variables",),
    "ops.resources": (f"{_INTERNALS}.resources",),
    "ops.rnn": (f"{_INTERNALS}.rnn",),
    "ops.rnn_cell_impl": (f"{_V1}.nn.rnn_cell", f"{_INTERNALS}.rnn"),
    "ops.rnn_cell": (f"{_V1}.nn.rnn_cell",),
    "ops.tensor_getitem_override": (f"{_INTERNALS}.array_ops",),
    "ops.signal": ("eagerflow.signal",),
    "ops.stateless_random_ops": ("eagerflow.random",),
    "ops.string_ops": ("eagerflow.strings",),
    "ops.summary_ops_v2": (f"{_INTERNALS}.summaries", "eagerflow.summary"),
    "platform.app": (f"{_V1}.app",),
    "platform.build_info": (f"{_INTERNALS}.root",),
    "platform.flags": (f"{_V1}.flags",),
    "platform.gfile": (f"{_V1}.gfile",),
    "platform.resource_loader": (f"{_V1}.resource_loader",),
    "platform.sysconfig": ("eagerflow.sysconfig",),
    "platform.test": ("eagerflow.test", f"{_V1}.test"),
    "platform.tf_logging": ("eagerflow.framework.logging",),
    "profiler": ("eagerflow.profiler.experimental",),
    "profiler.option_builder": (f"{_V1}.profiler",),
    "pywrap_tfe": (f"{_INTERNALS}.pywrap_tfe",),
    "saved_model": (f"{_V1}.saved_model", "eagerflow.saved_model"),
    "saved_model.constants": ("eagerflow.saved_model.constants",),
    "saved_model.load": (f"{_INTERNALS}.partial_loading", f"{_INTERNALS}.revived"),
    "saved_model.loader_impl": (f"{_INTERNALS}.partial_loading",),
    "saved_model.save": (f"{_INTERNALS}.saving",),
    "saved_model.nested_structure_coder": (f"{_INTERNALS}.structure_messages",),
    "saved_model.load_context": (f"{_INTERNALS}.registrations",),
    "saved_model.model_utils": (f"{_INTERNALS}.export_utils",),
    "saved_model.model_utils.export_output": (f"{_INTERNALS}.export_output",),
    "saved_model.model_utils.mode_keys": (f"{_INTERNALS}.mode_keys",),
    "saved_model.path_helpers": (f"{_INTERNALS}.saved_model_paths",),
    "saved_model.signature_constants": ("eagerflow.saved_model.constants",),
    "saved_model.tag_constants": ("eagerflow.saved_model.constants",),
    "summary": (f"{_V1}.summary", "eagerflow.summary"),
    "summary.summary_iterator": (f"{_V1}.train",),
    "summary.summary_test_util": ("eagerflow.contrib.summary.summary_test_util",),
    "trackable": (f"{_INTERNALS}.tracking",),
    "tf2": (f"{_INTERNALS}.root",),
    "tpu.tensor_tracer": (f"{_INTERNALS}.tensor_tracer",),
    "tools.freeze_graph": (f"{_INTERNALS}.graph_tools",),
    "tools.inspect_checkpoint": (f"{_INTERNALS}.graph_tools",),
    "tools.optimize_for_inference_lib": (f"{_INTERNALS}.graph_tools",),
    "tools.saved_model_utils": (f"{_INTERNALS}.saved_model_utils",),
    "training": (f"{_V1}.train", "eagerflow.train"),
    "training.device_setter": (f"{_INTERNALS}.training_util", f"{_V1}.train"),
    "training.evaluation": (f"{_INTERNALS}.evaluation",),
    "training.saver": (f"{_INTERNALS}.saveables", f"{_V1}.train"),
    "training.moving_averages": (f"{_INTERNALS}.moving_averages", f"{_V1}.train"),
    "training.tracking": (f"{_INTERNALS}.tracking",),
    "training.slot_creator": (f"{_INTERNALS}.slots",),
    "training.summary_io": (f"{_INTERNALS}.summary_collections", f"{_V1}.summary"),
    "training.training_util": (f"{_INTERNALS}.training_util", f"{_V1}.train"),
    "types": (f"{_INTERNALS}.composites", "eagerflow.types.experimental"),
    "types.core": (f"{_INTERNALS}.types_core",),
    "util.all_util": (f"{_INTERNALS}.exported",),
    "util.compat": ("eagerflow.compat",),
    "util.deprecation": (f"{_INTERNALS}.decorators",),
    "util.dispatch": (f"{_INTERNALS}.dispatch",),
    "util.function_utils": (f"{_INTERNALS}.function_utils",),
    "util.module_wrapper": (f"{_INTERNALS}.modules",),
    "util.nest": (f"{_INTERNALS}.nest", "eagerflow.nest"),
    "util.object_identity": (f"{_INTERNALS}.object_identity",),
    "util.protobuf.compare": (f"{_INTERNALS}.proto_comparisons",),
    "util.serialization": (f"{_INTERNALS}.serialization",),
    "util.tf_contextlib": ("contextlib",),
    "util.tf_decorator": (f"{_INTERNALS}.decorators",),
    "util.tf_export": (f"{_INTERNALS}.decorators",),
    "util.tf_inspect": (f"{_INTERNALS}.inspection",),
    "util.variable_utils": (f"{_INTERNALS}.composites",),
}
# Private modules that are not below `tensorflow.python`.
_ELSEWHERE = {
    "tools.docs.doc_controls": (f"{_INTERNALS}.doc_controls",),
    "compiler.tf2xla.python.xla": (f"{_INTERNALS}.xla",),
}
# `tf.__internal__`, which Keras and others use.
_INTERNAL_NAMESPACES: dict[str, tuple[str, ...]] = {
    "": (f"{_INTERNALS}.root", f"{_INTERNALS}.registrations"),
    "autograph": (f"{_INTERNALS}.autograph", "eagerflow.autograph"),
    "decorator": (f"{_INTERNALS}.decorators",),
    "dispatch": (f"{_INTERNALS}.dispatch",),
    "distribute": (f"{_INTERNALS}.distribution",),
    "distribute.combinations": (f"{_INTERNALS}.distribute_combinations",),
    "distribute.multi_process_runner": (f"{_INTERNALS}.distribute_combinations",),
    "distribute.interim": (f"{_INTERNALS}.distribution",),
    "eager_context": (f"{_INTERNALS}.context",),
    "feature_column": (f"{_INTERNALS}.columns", "eagerflow.feature_column"),
    "function": (f"{_INTERNALS}.functions",),
    "mixed_precision": (f"{_INTERNALS}.registrations",),
    "monitoring": (f"{_INTERNALS}.monitoring",),
    "nest": (f"{_INTERNALS}.nest", "eagerflow.nest"),
    "ops": (f"{_INTERNALS}.variables",),
    "saved_model": ("eagerflow.saved_model", f"{_INTERNALS}.partial_loading"),
    "saved_model.load": (f"{_INTERNALS}.revived",),
    "smart_cond": (f"{_INTERNALS}.conditions",),
    "tf2": (f"{_INTERNALS}.root",),
    "test": (f"{_INTERNALS}.combinations",),
    "test.combinations": (f"{_INTERNALS}.combinations",),
    "tracking": (f"{_INTERNALS}.tracking", f"{_INTERNALS}.registrations"),
    "train": (
        f"{_INTERNALS}.root",
        f"{_INTERNALS}.registrations",
        "eagerflow_compat.v1.checkpoint_state",
    ),
    "types": (f"{_INTERNALS}.types_core", f"{_INTERNALS}.composites"),
    "types.data": ("eagerflow.data",),
}
# Modules that TensorFlow had once, and that programs still import where they find them.
_FORMER_MODULES = (
    "distribute.estimator_training",
    "layers.base",
    "ops.rnn_cell",
    "ops.gen_logging_ops",
    "tpu.session_support",
    "tpu.tpu_embedding",
    "tpu.tpu_embedding_gradient",
    "summary.summary_test_util",
    "tools",
    "tools.freeze_graph",
    "tools.inspect_checkpoint",
    "tools.optimize_for_inference_lib",
    "tools.saved_model_utils",
    "training.checkpointable",
    "training.tracking",
    "training.tracking.base",
    "training.tracking.data_structures",
    "training.tracking.tracking",
    "training.tracking.util",
)


# Where Keras's classes were, by version, and the public namespaces that have them.
_KERAS: dict[str, tuple[str, ...]] = {
    "callbacks.callbacks": ("callbacks",),
    "engine": ("", "layers", "models", "utils"),
    "initializers.initializers_v2": ("initializers",),
    "legacy": ("",),
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
    "saving": ("models", "utils"),
    **{
        f"utils.{name}": ("utils", "models", "backend")
        for name in (
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
_KERAS_ROOTS = (
    "__internal__",
    "src",
    "api",
    "api._v2",
    "api._v2.keras",
    "api._v1",
    "api._v1.keras",
    "api.keras",
    "_impl.keras",
    "_tf_keras.keras",
    "python",
    "python.keras",
)


# Where Keras has the optimizers that are legacy ones by now.
_LEGACY_OPTIMIZERS = ("optimizer_v2", "optimizers.legacy.", "optimizers.optimizer_v2")
# Where Keras has the layers of operations of functional models.
_LAYERS_OF_OPERATIONS = ("layers.core", "layers.core.tf_op_layer")


@functools.cache
def _keras_modules() -> frozenset[str]:
    """The modules that releases of Keras have had, without the folders before the public names."""
    lines = Path(__file__).with_name("keras_modules.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def keras_root(first_generation: bool) -> str:
    """The namespace that is Keras for programs of a generation."""
    return f"{_V1 if first_generation else _V2}.keras"


def _without_folders(path: str) -> str:
    """The path of a module of Keras without the folders before the public names."""
    for folder in sorted(_KERAS_ROOTS, key=len, reverse=True):
        if path == folder or path.startswith(f"{folder}."):
            return _without_folders(path[len(folder) + 1 :])
    return path


def keras_targets(root: str, path: str) -> tuple[str, ...]:
    """The namespaces that answer for `keras.<path>`, best first, those of earlier versions among them.

    There are none for a module that no release of Keras has had.

    >>> from eagerflow_compat.dropin.paths import keras_targets
    >>> keras_targets("eagerflow.keras", "layers.core")
    ('eagerflow.keras.layers', 'eagerflow.keras.engine.functional.op_layer')
    >>> keras_targets("eagerflow.keras", "layers.no_such_module")
    ()
    """
    public = _without_folders(path)
    if public and public not in _keras_modules() and resolve(f"{root}.{public}") is None:
        return ()
    if public == "backend.tensorflow_backend":  # of Keras 2.3, with sessions
        return (f"{root}.backend", f"{_V1}.keras.backend")
    if public in _LAYERS_OF_OPERATIONS or path == "src.layers":
        return (f"{root}.layers", "eagerflow.keras.engine.functional.op_layer")
    if path in ("__internal__.models", "__internal__.backend"):
        return (f"{_INTERNALS}.keras_models", f"{root}.{path.rpartition('.')[2]}")
    if path == "__internal__.optimizers":
        return (f"{_INTERNALS}.keras_optimizers", f"{root}.optimizers")
    if path == "__internal__.losses":
        return ("eagerflow.keras.losses.weighting", f"{root}.losses")
    if path == "__internal__":
        return (root, f"{_INTERNALS}.keras_backend", f"{root}.config")
    if path == "engine.base_layer":
        return (f"{_INTERNALS}.keras_backend", root, f"{root}.layers")
    if public.startswith(("layers.convolutional", "layers.merg", "layers.pooling")):
        return (f"{root}.layers", f"{_INTERNALS}.layer_bases")
    if public in ("backend_config", "engine.backend_config"):
        return (f"{root}.backend",)
    if public.startswith(_LEGACY_OPTIMIZERS):
        inside = ("legacy", "schedules")
        found = (f"{_INTERNALS}.keras_optimizers", *(f"{root}.optimizers.{n}" for n in inside))
        return (*found, f"{root}.optimizers")
    if path == "estimator":
        return ("eagerflow_compat.dropin.keras_estimators", f"{root}.estimator")
    if path == "__internal__.utils":
        return (f"{_INTERNALS}.keras_utils", f"{root}.utils")
    if path.endswith("saved_model.load_context"):
        return (f"{_INTERNALS}.registrations",)
    if path.endswith(("testing_utils", "testing_infra", "testing_infra.test_utils")):
        return (f"{_INTERNALS}.keras_testing",)
    if path.startswith("src.backend") or path.endswith(("legacy_h5_format", "models.functional")):
        public = path.removeprefix("src.").split(".")[0]
        return (f"{_INTERNALS}.keras_backend", f"{root}.{public}")
    if path.endswith("conv_utils"):
        return (f"{_INTERNALS}.layer_sizes", f"{root}.utils")
    if path.endswith("kernelized_utils"):
        return (f"{_INTERNALS}.kernelized",)
    if path.endswith("serialization_lib"):
        return ("eagerflow.keras.saving.serialization", f"{root}.saving", f"{root}.models")
    if path.endswith("saving_utils"):
        return (f"{_INTERNALS}.keras_utils",)
    if public == "legacy.backend":
        return (f"{root}.backend", f"{_INTERNALS}.keras_backend")
    if public == "combinations":
        return (f"{_INTERNALS}.combinations",)
    if path.endswith(("utils.tf_utils", "utils.losses_utils", "utils.generic_utils")):
        own = (f"{_INTERNALS}.keras_utils", f"{_INTERNALS}.keras_arguments")
        weighting = ("eagerflow.keras.losses.weighting",) if path.endswith("losses_utils") else ()
        return (*own, *weighting, f"{root}.utils", f"{root}.backend", f"{root}.models")
    if path == "engine.compile_utils":
        return ("eagerflow.keras.engine.training.losses_and_metrics", root)
    if path == "engine.training_utils":
        return (f"{_INTERNALS}.keras_training",)
    if path == "engine.data_adapter":
        return (f"{_INTERNALS}.keras_utils", f"{root}.utils")
    if public != path:
        found = keras_targets(root, public)
        # Keras 3 defines the names of a namespace in modules that have other names.
        return (*found, f"{root}.{path.split('.')[1]}") if path.startswith("src.") else found
    namespaces = [f"{root}.{path}" if path else root]
    parts = path.split(".") if path else []
    for length in range(len(parts), 0, -1):
        former = _KERAS.get(".".join(parts[:length]))
        if former is not None:
            namespaces += [f"{root}.{name}" if name else root for name in former]
            break
    else:  # a module of a release, which has some of the names of its folder
        if len(parts) > 1 and path in _keras_modules():
            namespaces.append(f"{root}.{parts[0]}")
    return tuple(namespaces)


def internal_targets(path: str, first_generation: bool = False) -> tuple[str, ...]:
    """The namespaces of a module below `tensorflow.python`, which may be none.

    >>> from eagerflow_compat.dropin.paths import internal_targets
    >>> internal_targets("keras.layers"), internal_targets("framework")
    (('eagerflow.keras.layers',), ())
    """
    parts = path.split(".") if path else []
    if parts and parts[0] == "keras":
        found = keras_targets(keras_root(first_generation), ".".join(parts[1:]))
        return (*found, f"{_INTERNALS}.keras_backend") if parts[1:] == ["backend"] else found
    if parts and parts[0] == "estimator":
        return (f"{estimators.PACKAGE}.python.{path}",)
    if path == "ops.variables" and not first_generation:
        return ("eagerflow", *_PYTHON[path])  # `Variable` is the class of the generation
    for length in range(len(parts), 0, -1):
        listed = _PYTHON.get(".".join(parts[:length]))
        if listed:
            rest = parts[length:]
            deeper = tuple(".".join([target, *rest]) for target in listed) if rest else ()
            return (*deeper, *listed)
    return ()


# Modules whose functions programs replace: ours, and not a facade.
REPLACEABLE = {"python.platform.tf_logging": "eagerflow.framework.logging"}


def is_private(path: str) -> bool:
    """Whether TensorFlow has, or once had, a private module with this path below `tensorflow`.

    >>> from eagerflow_compat.dropin.paths import is_private
    >>> is_private("python.framework.ops"), is_private("python.no_such_module"), is_private("math")
    (True, False, False)
    """
    head, _, inside = path.partition(".")
    if head not in ("python", "core", "compiler", "tools", "dtensor"):
        return False
    # The list is read when the first private module is imported.
    return (
        path in private_names.modules()
        or inside in _FORMER_MODULES
        or bool(internal_targets(inside))
        and inside.split(".")[0] in ("estimator", "keras")
    )


def second(path: str) -> str:
    """The path below `tensorflow` of what version 2 has under a path.

    >>> from eagerflow_compat.dropin.paths import second
    >>> second("compat.v2.math"), second("math")
    ('math', 'math')
    """
    return path.removeprefix("compat.v2").lstrip(".")


def submodules(path: str, first_generation: bool) -> list[str]:
    """The modules directly below `tensorflow.<path>` that its namespaces have no names for.

    >>> from eagerflow_compat.dropin.paths import submodules
    >>> "lite" in submodules("", False), submodules("__internal__.types", False)
    (True, ['data'])
    """
    if first_generation and not path:
        return ["contrib", *submodules("", False)]
    if path == "contrib":
        return packages.names(path)
    path = second(path)
    if path in ("keras", "compat.v1.keras"):
        return ["__internal__"]
    head, _, inside = path.partition(".")
    start = f"{path}." if path else ""
    if head == "__internal__":
        start = f"{inside}." if inside else ""
        return sorted(
            {n[len(start) :].split(".")[0] for n in _INTERNAL_NAMESPACES if n.startswith(start)}
            - {""}
        )
    below = [name for name in unavailable.names(path) if unavailable.is_namespace(start + name)]
    found = [name for name in below if resolve(f"{_V2}.{start}{name}") is None]
    if not path:
        found += ["__internal__", "__operators__"]
    if path in ("", "compat.v1") and estimators.is_installed():
        found.append("estimator")
    return found


# Modules inside of packages of `tf.contrib` that are called otherwise here.
_CONTRIB = {"contrib.eager.python.metrics_impl": "eagerflow_compat.contrib.eager.metrics"}


# Where names of versions before 1.0 are.
_ZERO = {
    "": "eagerflow_compat.v1.zero.root",
    "nn": "eagerflow_compat.v1.zero.nn",
    "train": "eagerflow_compat.v1.zero.train",
}


def _contrib_targets(path: str) -> tuple[str, ...]:
    """The namespaces of a module of `tf.contrib`: a package answers for the modules inside of it."""
    whole, inner, inside = path.partition(".python")
    paths = [path]
    if inner:  # contrib.layers.python.layers.initializers
        parts = inside.split(".")[1:]
        paths += [".".join([whole, *parts[k:]]) for k in range(len(parts) + 1)]
    return tuple(
        target
        for one in paths
        for target in (*packages.modules(one), _CONTRIB.get(one, f"eagerflow.{one}"))
    )


def targets(path: str, first_generation: bool) -> tuple[str, ...] | None:
    """The namespaces that may answer for `tensorflow.<path>`, best first.

    >>> from eagerflow_compat.dropin.paths import targets
    >>> targets("math", False), targets("compat.v1.train", False)
    (('eagerflow.math',), ('eagerflow.compat.v1.train',))
    """
    root = _V1 if first_generation else _V2
    head, _, rest = path.partition(".")
    if is_private(path):
        if path in _ELSEWHERE:
            return _ELSEWHERE[path]
        return internal_targets(rest, first_generation) if head == "python" else ()
    if head == "examples":  # tensorflow.examples.tutorials.mnist.input_data
        inner = "tutorials.mnist.input_data"
        if rest == inner:
            return ("eagerflow_compat.v1.input_data",)
        return ("eagerflow_compat.v1",) if rest == "" or inner.startswith(f"{rest}.") else None
    if estimators.is_path(path):
        inside = path.removeprefix("compat.v1.")
        if not estimators.is_installed():
            return None
        return (estimators.namespace(inside, first_generation or inside != path),)
    if path.startswith("contrib.keras."):
        return keras_targets(keras_root(True), path.removeprefix("contrib.keras."))
    if head == "contrib":
        return _contrib_targets(path) if first_generation else None
    if path == "compat.v2":
        return ("eagerflow.compat.v2", root)
    if path.startswith("compat.v2"):
        return targets(second(path), False)
    if path.startswith("compat.v1.keras."):
        return keras_targets(keras_root(True), path.removeprefix("compat.v1.keras."))
    if path.startswith("compat.v1"):
        return (f"eagerflow.{path}",)
    if head == "_api":  # tensorflow._api.v1.math, tensorflow._api.v2.math
        version, _, inner = rest.partition(".")
        return targets(inner, version == "v1") if version in ("v1", "v2") else (root,)
    if head == "keras":
        return keras_targets(keras_root(first_generation), rest)
    if head == "__internal__":
        return _INTERNAL_NAMESPACES.get(rest)
    if head == "__operators__":
        return None if rest else (f"{_INTERNALS}.operators",)
    found = (f"{root}.{path}",) if path else (root,)
    return (*found, _ZERO[path]) if first_generation and path in _ZERO else found
