"""Public names of TensorFlow whose thing does not exist here: they raise when they are used."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import errors

_TPU = "there are no TPUs here. Run without a strategy, or under tf.distribute.MirroredStrategy()."
_CLUSTER = (
    "there are no servers of other processes here. Start the program under mpiexec, and use "
    "tf.distribute.MultiWorkerMirroredStrategy() or horovod.tensorflow."
)
_DTENSOR = "tensors are not laid out over meshes of devices here. Use plain tensors."
_LIBRARY = (
    "libraries of kernels are compiled against TensorFlow's own runtime. Write the operation with "
    "tf.py_function, or compose it of others under @tf.custom_gradient."
)
_MLIR = "there is no MLIR here. tf.saved_model.save writes what TensorFlow's converter reads."
_LITE = (
    "models are not converted for phones here. Save one with tf.saved_model.save, and convert it "
    "with TensorFlow's tf.lite.TFLiteConverter.from_saved_model."
)
_TENSORRT = "there is no TensorRT here. Save the model with tf.saved_model.save and convert that."
_SERVICE = "there are no data servers here. Let this process read: leave the transformation out."
_PARTS = "variables are not divided among servers here. Make a whole tf.Variable."
_QUANTIZED = "SavedModels are not quantized here. Use TensorFlow on what tf.saved_model.save wrote."
_SHARDS = "checkpoints are written as one file of values here. Leave the callback out."
_QUANTIZED_NUMBERS = (
    "no operation computes with pairs of bytes and ranges here. Use tf.nn on floats."
)
_KERAS_STYLE = "layers of version 1 share variables by name here. Use tf.keras.layers."
_SDCA = "there is no stochastic dual coordinate ascent here. Train with tf.keras.optimizers.Ftrl()."
_DEBUGGER = (
    "runs are not stopped or written to files here. Use tf.print, tf.debugging.check_numerics or "
    "Python's debugger in eager code."
)
_BRANCHES = "a value is not sent along one of two ways here. Use tf.cond."
_STAGES = "values are not kept on devices ahead of a step here. Use tf.data.Dataset.prefetch."
_DEVICES = "values are not sent between devices here. Use tf.distribute.MirroredStrategy()."
_TRACES = "runs of sessions are not traced here. Use tf.profiler.experimental.start."
_FETCHES = "sessions keep what they run apart from their callers here. Call session.run(fetches)."
_CONVERTERS = (
    "functions are converted in one step here. Use tf.autograph.to_graph or tf.autograph.to_code."
)
_XLA_OPERATIONS = (
    "operations of XLA are not called one by one here. Compose TensorFlow's operations under "
    "@tf.function(jit_compile=True)."
)
_FUNCTIONS = "functions are not declared with the types of their arguments here. Use tf.function."
_LATER = "no program has needed it here yet."

_TABLES = (
    "CustomCombiner CustomOptimizer SparseCoreEmbeddingConfig TPUEmbedding TPUEmbeddingV0 "
    "TPUEmbeddingV2"
)
_CLUSTER_RESOLVERS = (
    "GCEClusterResolver KubernetesClusterResolver KubernetesExecutableLocation UnionResolver"
)
# From namespaces to names below them, and what to do without them.
_NAMES: tuple[tuple[str, str, str], ...] = (
    ("tpu", "XLAOptions", _TPU),
    (
        "tpu.experimental",
        "DeviceAssignment DeviceOrderMode HardwareFeature TPUSystemMetadata Topology "
        "embedding_column initialize_tpu_system shared_embedding_columns shutdown_tpu_system",
        _TPU,
    ),
    ("tpu.experimental.embedding", _TABLES, _TPU),
    (
        "compat.v1.tpu.experimental",
        "AdagradParameters AdamParameters FtrlParameters StochasticGradientDescentParameters",
        _TPU,
    ),
    (
        "compat.v1.tpu",
        "CrossShardOptimizer PaddingSpec XLAOptions batch_parallel bfloat16_scope core "
        "cross_replica_sum initialize_system outside_compilation replicate rewrite shard "
        "shutdown_system",
        _TPU,
    ),
    ("distribute", "TPUStrategy", _TPU),
    ("distribute.experimental", "TPUStrategy", _TPU),
    (
        "experimental.dtensor",
        "DTensorCheckpoint DTensorDataset DVariable Layout Mesh UNSHARDED MATCH barrier call_with_layout "
        "check_layout client_id copy_to_mesh create_distributed_mesh create_mesh create_tpu_mesh "
        "default_mesh device_name enable_save_as_bf16 fetch_layout full_job_name get_default_mesh "
        "heartbeat_enabled initialize_accelerator_system initialize_multi_client "
        "initialize_tpu_system is_dtensor job_name jobs local_devices name_based_restore "
        "name_based_save num_clients num_global_devices num_local_devices pack preferred_device_type "
        "relayout relayout_like run_on shard sharded_save shutdown_accelerator_system "
        "shutdown_tpu_system unpack",
        _DTENSOR,
    ),
    ("", "load_op_library load_library load_file_system_library", _LIBRARY),
    ("sysconfig", "get_compile_flags get_include get_link_flags", _LIBRARY),
    ("experimental", "register_filesystem_plugin", _LIBRARY),
    ("experimental.tensorrt", "ConversionParams Converter", _TENSORRT),
    (
        "mlir.experimental",
        "convert_function convert_graph_def convert_saved_model convert_saved_model_v1 "
        "run_pass_pipeline tflite_to_tosa_bytecode write_bytecode",
        _MLIR,
    ),
    (
        "lite",
        (
            "Interpreter OpHint OpsSet Optimize RepresentativeDataset TFLiteConverter TargetSpec "
            "TocoConverter toco_convert"
        ),
        _LITE,
    ),
    (
        "lite.experimental",
        (
            "Analyzer OpResolverType QuantizationDebugOptions QuantizationDebugger "
            "convert_op_hints_to_stubs load_delegate"
        ),
        _LITE,
    ),
    ("distribute.cluster_resolver", _CLUSTER_RESOLVERS, _CLUSTER),
    ("distribute.experimental.rpc", "Client Server", _CLUSTER),
    (
        "train.experimental",
        "MaxShardSizePolicy ShardByTaskPolicy ShardableTensor ShardingCallback",
        _SHARDS,
    ),
    ("types.experimental", "AtomicFunction", _LATER),
    ("lite.python.convert", "ConverterError", _LITE),
    ("lite.python.interpreter", "Interpreter load_delegate", _LITE),
    ("lite.python.lite", "TFLiteConverter", _LITE),
    ("lite.python.util", "get_grappler_config get_tensor_name run_graph_optimizations", _LITE),
    ("lite.experimental.authoring", "compatible", _LITE),
    ("experimental", "enable_strict_mode", _LATER),
    (
        "compat.v1",
        "LMDBReader delete_session_tensor get_session_handle get_session_tensor",
        _LATER,
    ),
    (
        "compat.v1.nn",
        "quantized_avg_pool quantized_conv2d quantized_max_pool quantized_relu_x",
        _QUANTIZED_NUMBERS,
    ),
    ("compat.v1.layers.experimental", "keras_style_scope set_keras_style", _KERAS_STYLE),
    ("compat.v1.profiler", "AdviceProto OpLogProto advise write_op_log", _LATER),
    (
        "compat.v1.train",
        "ProfilerHook do_quantize_training_on_graphdef sdca_fprint sdca_optimizer sdca_shrink_l1",
        _LATER,
    ),
    ("data.experimental", "distributed_save get_model_proto", _SERVICE),
    (
        "data.experimental.service",
        "CrossTrainerCache DispatchServer DispatcherConfig ShardingPolicy WorkerConfig "
        "WorkerServer distribute from_dataset_id register_dataset",
        _SERVICE,
    ),
    (
        "quantization.experimental",
        "QuantizationComponentSpec QuantizationMethod QuantizationOptions "
        "TfRecordRepresentativeDatasetSaver UnitWiseQuantizationSpec quantize_saved_model",
        _QUANTIZED,
    ),
    ("test", "create_local_cluster", _CLUSTER),
    ("profiler.experimental.client", "monitor trace", _CLUSTER),
    ("profiler.experimental.server", "start", _CLUSTER),
    ("debugging.experimental", "disable_dump_debug_info enable_dump_debug_info", _LATER),
    # Private names that packages import, with or without using them.
    ("compiler.tf2xla.python.xla", "call_module", _MLIR),
    ("compiler.tf2xla.python.xla", "replica_id", _TPU),
    ("compiler.tf2xla.python.xla", "variadic_reduce", _XLA_OPERATIONS),
    ("core.protobuf.tpu.compilation_result_pb2", "CompilationResultProto", _TPU),
    ("core.protobuf.tpu.topology_pb2", "TopologyProto", _TPU),
    ("python.distribute.cluster_resolver.tpu_cluster_resolver", "is_running_in_gce", _TPU),
    ("python.distribute.distribute_lib", "_DefaultReplicaThreadMode", _TPU),
    ("python.eager.wrap_function", "VariableHolder WrappedGraph", _LATER),
    ("python.framework.function", "Defun", _FUNCTIONS),
    ("python.ops.control_flow_ops", "ControlFlowContext XLAControlFlowContext", _TPU),
    ("python.ops.control_flow_ops", "switch", _BRANCHES),
    ("python.ops.collective_ops", "all_gather all_reduce broadcast_recv broadcast_send", _DEVICES),
    ("python.ops.data_flow_ops", "BaseStagingArea MapStagingArea StagingArea", _STAGES),
    (
        "python.ops.gen_sdca_ops",
        "sdca_optimizer sdca_optimizer_v2 sdca_shrink_l1 sdca_fprint",
        _SDCA,
    ),
    ("python.ops.summary_ops_v2", "legacy_raw_flush summary_writer_initializer_op", _TPU),
    (
        "python.tpu.session_support",
        "GracefulShutdownHook ResetComputation ShutdownAllWorkers ShutdownLameWorkers",
        _TPU,
    ),
    (
        "python.tpu.tpu_embedding",
        "AdagradParameters AdagradSlotVariableNames AdamParameters AdamSlotVariableNames EnqueueData "
        "FeatureConfig FtrlParameters FtrlSlotVariableNames INFERENCE MomentumParameters "
        "MomentumSlotVariableNames ProximalAdagradParameters ProximalAdagradSlotVariableNames "
        "RMSPropParameters RMSPropSlotVariableNames StochasticGradientDescentParameters TPUEmbedding "
        "TableConfig",
        _TPU,
    ),
    (
        "python.tpu.tpu_embedding_gradient",
        "create_dummy_table_variables get_gradients_through_dummy_table_variables "
        "hook_dummy_table_variables_to_activations",
        _TPU,
    ),
    ("python.training.basic_session_run_hooks", "_MultiStepStopAtStepHook", _TPU),
    ("python.training.basic_session_run_hooks", "ProfilerHook", _LATER),
    ("python.training.monitored_session", "_HookedSession _WrappedSession", _FETCHES),
    ("python.training.evaluation", "_MultiStepStopAfterNEvalsHook", _TPU),
    ("python.training.training", "get_or_create_steps_per_run_variable", _TPU),
    # Private classes that packages name, whose kernels are compiled against TensorFlow's runtime.
    ("python.client.session", "_FetchHandler _FetchMapper", _FETCHES),
    ("python.client.timeline", "Timeline", _TRACES),
    ("python.data.experimental.ops.testing", "sleep", _LIBRARY),
    (
        "python.data.ops.dataset_ops",
        "BatchDataset DatasetSource RepeatDataset ShuffleDataset",
        _LIBRARY,
    ),
    ("python.data.ops.load_op", "_LoadDataset", _LIBRARY),
    ("python.distribute.input_lib", "DistributedDatasetsFromFunction", _CLUSTER),
    ("image", "decode_jxl generate_bounding_box_proposals", _LATER),
    ("io", "decode_jxl", _LATER),
)

# Private modules below these have nothing that exists here but public names: `private_modules.txt`
# lists what else TensorFlow has in them.
AREAS = {
    "python.autograph.converters": _CONVERTERS,
    "python.tpu": _TPU,
    "python.debug": _DEBUGGER,
    "python.distribute.coordinator.cluster_coordinator": _CLUSTER,
    "python.distribute.parameter_server_strategy_v2": _CLUSTER,
    "python.distribute.sharded_variable": _PARTS,
    "python.ops.gen_nccl_ops": _DEVICES,
    "python.ops.gen_tpu_ops": _TPU,
    "python.ops.nccl_ops": _DEVICES,
}

# Members of these classes that programs name when they are imported.
_MEMBERS = {
    "lite.OpsSet": (
        "EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8 SELECT_TF_OPS TFLITE_BUILTINS "
        "TFLITE_BUILTINS_INT8"
    ),
    "lite.TFLiteConverter": ("from_concrete_functions from_saved_model"),
    "lite.Optimize": "DEFAULT EXPERIMENTAL_SPARSITY OPTIMIZE_FOR_LATENCY OPTIMIZE_FOR_SIZE",
    "tpu.experimental.DeviceOrderMode": "AUTO MESH RING",
    "tpu.experimental.HardwareFeature": "EmbeddingFeature",
    "tpu.experimental.HardwareFeature.EmbeddingFeature": "UNSUPPORTED V1 V2",
}


@functools.cache
def _reasons() -> dict[str, str]:
    """From paths below `tf` to what to do without the thing."""
    found = {}
    for namespace, names, reason in _NAMES:
        for name in names.split():
            path = f"{namespace}.{name}".strip(".")
            found[path] = reason
            if not path.startswith("compat."):
                found[f"compat.v1.{path}"] = reason
    return found


def names(namespace: str) -> list[str]:
    """The names of things that do not exist directly below a path, and those of modules with some."""
    start = f"{namespace}." if namespace else ""
    return sorted({p[len(start) :].split(".")[0] for p in _reasons() if p.startswith(start)})


def is_namespace(path: str) -> bool:
    """Whether things that do not exist are below a path.

    >>> from eagerflow.util import unavailable
    >>> unavailable.is_namespace("tpu.experimental"), unavailable.is_namespace("math")
    (True, False)
    """
    return bool(names(path))


def reason(path: str) -> str | None:
    """Why a thing does not exist here, and what to do without it; None for things that do.

    >>> from eagerflow.util import unavailable
    >>> unavailable.reason("distribute.TPUStrategy")
    'there are no TPUs here. Run without a strategy, or under tf.distribute.MirroredStrategy().'
    """
    return _reasons().get(path)


def reason_of(value: object) -> str | None:
    """Why something that stands for a thing raises; None for things that exist.

    >>> from eagerflow.util import unavailable
    >>> strategy = unavailable.find("distribute.TPUStrategy")
    >>> unavailable.reason_of(strategy)[:17], unavailable.reason_of(tf.add)
    ('there are no TPUs', None)
    """
    absent = getattr(value, "__module__", None) == __name__
    return getattr(value, "_why", None) if absent else None


def reason_of_namespace(path: str) -> str | None:
    """Why nothing below a path exists here; None for paths with nothing below them.

    >>> from eagerflow.util import unavailable
    >>> unavailable.reason_of_namespace("lite")[:40]
    'models are not converted for phones here'
    """
    return _reasons_of_namespaces().get(path)


@functools.cache
def _reasons_of_namespaces() -> dict[str, str]:
    found: dict[str, str] = {}
    for path, why in _reasons().items():
        while path:
            path = path.rpartition(".")[0]
            found.setdefault(path, why)
    return found


def find(path: str) -> object:
    """What stands for a thing that does not exist: a class or a function that raises, or None.

    >>> from eagerflow.util import unavailable
    >>> unavailable.find("distribute.TPUStrategy")()
    Traceback (most recent call last):
        ...
    NotImplementedError: tf.distribute.TPUStrategy: there are no TPUs here. Run without a ...
    """
    why = reason(path)
    return None if why is None else _stand_in(path, why)


def find_in_area(path: str) -> object:
    """What stands for a name of a module of which nothing exists here.

    >>> from eagerflow.util import unavailable
    >>> unavailable.find_in_area("python.tpu.tpu_feed.InfeedQueue").__name__
    'InfeedQueue'
    """
    why = next(why for area, why in AREAS.items() if f"{path}.".startswith(f"{area}."))
    return _stand_in(path, why)


def find_by_name(name: str) -> object:
    """What stands for a thing that does not exist, by the last part of its path, or None.

    >>> from eagerflow.util import unavailable
    >>> unavailable.find_by_name("load_op_library").__name__
    'load_op_library'
    """
    path = next((path for path in _reasons() if path.rpartition(".")[2] == name), None)
    return None if path is None else find(path)


class LibraryError(errors.NotFoundError, NotImplementedError):
    """What functions that load libraries raise: programs that can do without look for NotFoundError.

    >>> from eagerflow.util import unavailable
    >>> try:
    ...     unavailable.find("load_op_library")("kernels.so")
    ... except tf.errors.NotFoundError:
    ...     print("composed of other operations")
    composed of other operations
    """


_LOADERS = frozenset({"load_op_library", "load_library"})


def _stand_in(path: str, why: str) -> Any:
    name = path.split(".")[-1]

    def refuse(*args: object, **kwargs: object) -> Any:
        if path in _LOADERS:
            raise LibraryError._of(f"tf.{path}: {why}")
        raise NotImplementedError(f"tf.{path}: {why}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse._why = why  # type: ignore[attr-defined]
    refuse.__doc__ = f"Raises a NotImplementedError: {why}"
    if not name.lstrip("_")[0].isupper():
        return refuse
    members = {m: _stand_in(f"{path}.{m}", why) for m in _MEMBERS.get(path, "").split()}
    own = {"__doc__": refuse.__doc__, "__new__": refuse, "_path": path, "_why": why}
    return _AbsentClass(name, (), {**own, **members})


class _AbsentClass(type):
    """The class of classes that do not exist here: whoever asks for a member hears why."""

    _path: str
    _why: str

    def __getattr__(cls, name: str) -> Any:
        raise AttributeError(f"{cls.__name__}.{name} is missing. tf.{cls._path}: {cls._why}")
