"""How each contender is loaded, so that all use the same number of threads."""

import importlib.util
import os
from types import ModuleType
from typing import Any

import numpy as np

MODULES = {
    "eagerflow": "eagerflow",
    "tensorflow": "tensorflow",
    "tf.function": "tensorflow",
    "jit_compile": "tensorflow",
    "torch": "torch",
    "jax": "jax",
    "jax-plugin": "jax",
    "mlx": "mlx.core",
    "onnxruntime": "onnxruntime",
    "numpy": "numpy",
    "fit": "eagerflow",
    "eager": "eagerflow",
}


def plugin() -> str | None:
    """The path of XLA's plugin for the CPU; None if it is not installed."""
    spec = importlib.util.find_spec("xla_plugins")
    folders = [] if spec is None else spec.submodule_search_locations
    paths = [os.path.join(folder, "xla_cpu_pjrt", "xla_cpu_pjrt.so") for folder in folders]
    return next(filter(os.path.exists, paths), None)


def environment(threads: int, contender: str = "") -> dict[str, str]:
    """The environment of a worker process; thread pools read it when they start."""
    count = str(threads)
    platform = "cpu"
    more = {}
    if contender == "jax-plugin":
        platform = "xla_cpu"
        more["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"{platform}:{plugin()}"
    return {
        **os.environ,
        "OMP_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "JAX_PLATFORMS": platform,
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **more,
    }


def computed(value: Any) -> Any:
    """The value, which has been computed: ours may wait until somebody reads them."""
    if type(value).__module__.startswith("eagerflow"):
        np.asarray(value)  # a view; value.numpy() copies
    return value


def load(contender: str, threads: int) -> ModuleType:
    """The contender's module, its thread pools set."""
    # XLA and NumPy's own pools have no function to call: they follow the processors they may use.
    # MLX has one thread that computes, and nothing to set.
    available = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, available[:threads])
    module = importlib.import_module(MODULES[contender])
    if module.__name__ == "tensorflow":
        module.config.threading.set_intra_op_parallelism_threads(threads)
    if module.__name__ == "torch":
        module.set_num_threads(threads)
    if module.__name__ == "onnxruntime":
        module.threads = threads  # sessions are told
    if module.__name__ == "eagerflow":
        # Namespaces that it imports when they are first named; the others' are imported already.
        for name in ("nn", "random", "optimizers", "losses"):
            getattr(module, name)
    return module
