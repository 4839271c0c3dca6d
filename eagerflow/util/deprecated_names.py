"""Names of TensorFlow 1 and what replaces them, for error messages."""

_V1 = "tf.compat.v1."

FORMER = {
    "Print": "tf.print",
    "arg_max": "tf.argmax",
    "assert_variables_initialized": "nothing: variables have values from the start",
    "batch_matmul": "tf.matmul",
    "ceil": "tf.math.ceil",
    "checkpoint_exists": _V1 + "train.checkpoint_exists",
    "contrib": "tf.keras.layers, tf.keras.optimizers or a package of its own",
    "count_nonzero": "tf.math.count_nonzero",
    "diag": "tf.linalg.tensor_diag",
    "div": "tf.divide",
    "enable_eager_execution": "nothing: operations run at once",
    "erf": "tf.math.erf",
    "flags": "absl.flags or argparse",
    "app": "absl.app",
    "gfile": "tf.io.gfile",
    "initialize_all_variables": "nothing: variables have values from the start",
    "global_variables_initializer": "nothing, or " + _V1 + "global_variables_initializer",
    "layers": "tf.keras.layers",
    "lgamma": "tf.math.lgamma",
    "log": "tf.math.log",
    "log1p": "tf.math.log1p",
    "logging": "the logging module",
    "losses": "tf.keras.losses",
    "matrix_inverse": "tf.linalg.inv",
    "metrics": "tf.keras.metrics",
    "mul": "tf.multiply",
    "neg": "tf.negative",
    "pack": "tf.stack",
    "parse_single_example": "tf.io.parse_single_example",
    "python_io": "tf.io.TFRecordWriter and tf.data.TFRecordDataset",
    "random_normal": "tf.random.normal",
    "random_uniform": "tf.random.uniform",
    "read_file": "tf.io.read_file",
    "rsqrt": "tf.math.rsqrt",
    "set_random_seed": "tf.random.set_seed",
    "sparse_tensor_to_dense": "tf.sparse.to_dense",
    "string_split": "tf.strings.split",
    "string_to_number": "tf.strings.to_number",
    "sub": "tf.subtract",
    "to_double": "tf.cast(x, tf.float64)",
    "to_float": "tf.cast(x, tf.float32)",
    "to_int32": "tf.cast(x, tf.int32)",
    "to_int64": "tf.cast(x, tf.int64)",
    "truncated_normal": "tf.random.truncated_normal",
    "unpack": "tf.unstack",
}
FORMER |= {
    name: _V1 + name
    for name in (
        "ConfigProto InteractiveSession Session disable_eager_execution get_collection "
        "get_default_graph get_default_session get_variable global_variables placeholder "
        "placeholder_with_default reset_default_graph trainable_variables variable_scope"
    ).split()
}
# Parts of `tf.contrib`, which other packages, or other namespaces, have taken over.
FORMER |= {
    f"contrib.{name}": successor
    for name, successor in {
        "bayesflow": "the package tensorflow-probability",
        "boosted_trees": "tf.estimator, or the package tensorflow-decision-forests",
        "cluster_resolver": "tf.distribute.cluster_resolver",
        "constrained_optimization": "the package tensorflow-constrained-optimization",
        "factorization": "tf.estimator",
        "feature_column": "tf.feature_column",
        "distribute": "tf.distribute",
        "estimator": "tf.estimator",
        "gan": "the package tensorflow-gan",
        "graph_editor": "tf.compat.v1.graph_util and tf.import_graph_def",
        "kfac": "the package kfac",
        "mixed_precision": "tf.keras.mixed_precision",
        "model_pruning": "the package tensorflow-model-optimization",
        "predictor": "tf.saved_model.load",
        "quantize": "the package tensorflow-model-optimization",
        "saved_model": "tf.saved_model",
        **dict.fromkeys(
            [
                f"learn.{name}"
                for name in (
                    "DNNClassifier DNNLinearCombinedClassifier DNNLinearCombinedRegressor "
                    "DNNRegressor Estimator Experiment LinearClassifier LinearRegressor RunConfig "
                    "SKCompat"
                ).split()
            ],
            "tf.keras and tf.estimator",
        ),
        "tensor_forest": "the package tensorflow-decision-forests",
        "tfprof": "tf.compat.v1.profiler",
        "tpu": "tf.distribute.MirroredStrategy",
        "slim": "the package tf-slim, which is imported as tf_slim",
    }.items()
}
