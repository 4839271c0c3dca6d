"""The environment variables that eagerflow reads, and those of its dependencies that programs need.

`docs/environment.md` shows them, and `eagerflow doctor` lists those that are set.
"""

from __future__ import annotations

from typing import NamedTuple


class Variable(NamedTuple):
    """What an environment variable means.

    Args:
        name: the name; variables that are read together are separated by spaces.
        default: what holds where it is not set.
        meaning: what its values do.
        reader: the dependency that reads it, if it is not this package.
    """

    name: str
    default: str
    meaning: str
    reader: str = ""


_MPI = "a single process"
_SLURM = "no Slurm job"

# By what they are about. The page has a table for each.
VARIABLES = {
    "The engine": (
        Variable(
            "EAGERFLOW_ISA",
            "the best that the processor has",
            "`baseline`, `avx2` or `avx512`: the most that the engine's vector kernels use",
        ),
        Variable(
            "EAGERFLOW_FUSE",
            "`1`",
            "`0` runs each elementwise operation by itself, outside of traced functions, too",
        ),
        Variable(
            "OMP_NUM_THREADS",
            "one for each processor that the process may use, within its quota",
            "the most threads that an operation uses",
            "OpenMP",
        ),
        Variable(
            "OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY",
            "threads move",
            "which processors the threads of products and convolutions stay on",
            "OpenMP",
        ),
        Variable(
            "OMP_WAIT_POLICY GOMP_SPINCOUNT",
            "OpenMP's own",
            "how long threads of products and convolutions wait for more work before they sleep",
            "OpenMP",
        ),
        Variable(
            "ONEDNN_MAX_CPU_ISA",
            "the best that the processor has",
            "`AVX2`, `AVX512_CORE` and others: the most that products and convolutions use",
            "oneDNN",
        ),
        Variable(
            "ONEDNN_VERBOSE",
            "`0`",
            "`1` prints each product and convolution, with its implementation and time",
            "oneDNN",
        ),
    ),
    "Devices and compiled functions": (
        Variable(
            "EAGERFLOW_PJRT_PLUGINS",
            "those of installed packages",
            "plugins of accelerators: a list of paths as in `PATH`; `GPU=/path/to/plugin.so` says what "
            "its devices are called",
        ),
        Variable(
            "EAGERFLOW_COMPILATION_CACHE",
            "programs are compiled anew in every process",
            "a folder that keeps compiled programs",
        ),
        Variable("XLA_FLAGS", "none", "options of XLA's compiler", "XLA's plugins"),
        Variable(
            "TF_CPP_MIN_LOG_LEVEL",
            "`0`",
            "`1` to `3` hide what the plugin logs: information, warnings, errors",
            "XLA's plugins",
        ),
    ),
    "Several processes": (
        Variable(
            "EAGERFLOW_DISTRIBUTED_TIMEOUT",
            "`1800`",
            "the seconds that a process waits for the others before it ends all",
        ),
        Variable(
            "EAGERFLOW_DISTRIBUTED_LOG",
            "`0`",
            "`1` logs where each process runs, and each sum over processes",
        ),
        Variable("TF_CONFIG", "no cluster", "a cluster, and this process's task in it, as JSON"),
        Variable("PMI_RANK PMI_SIZE", _MPI, "set by the launchers of MPICH and Intel MPI"),
        Variable("OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE", _MPI, "set by Open MPI's launcher"),
        Variable("MV2_COMM_WORLD_RANK MV2_COMM_WORLD_SIZE", _MPI, "set by MVAPICH's launcher"),
        Variable(
            "SLURM_PROCID SLURM_STEP_NUM_TASKS", _SLURM, "set by `srun`: the rank and the size"
        ),
        Variable(
            "SLURM_STEP_NODELIST SLURM_JOB_NODELIST SLURM_STEP_TASKS_PER_NODE",
            _SLURM,
            "set by `srun`: read by `tf.distribute.cluster_resolver.SlurmClusterResolver`",
        ),
    ),
    "Keras and traced functions": (
        Variable("KERAS_HOME", "`~/.keras`", "the folder of downloaded data sets and weights"),
        Variable(
            "KERAS_BACKEND",
            "`tensorflow`",
            "which backend Keras 3 uses; `eagerflow.keras_backend` accepts `tensorflow` only",
        ),
        Variable(
            "TF_USE_LEGACY_KERAS",
            "not set",
            "`1`: `import keras` in programs of TensorFlow says that it is Keras 2, as `tf_keras` does",
        ),
        Variable("AUTOGRAPH_VERBOSITY", "`0`", "`1` to `10` log what AutoGraph converts"),
        Variable(
            "PYCHARM_HOSTED",
            "not set",
            "set by PyCharm, whose console shows Keras's progress bars as terminals do",
        ),
        Variable(
            "TEST_REPORT_FILE_PREFIX",
            "reports are printed",
            "the beginning of the names of files that `tf.test.Benchmark` writes",
        ),
    ),
    "The command": (
        Variable(
            "PYTHONPATH",
            "no folders",
            "folders whose modules `eagerflow run` and `eagerflow check` read with a program",
            "Python",
        ),
        Variable(
            "EAGERFLOW_CHILDREN",
            "not set",
            "set by `eagerflow run` for the processes that a program starts: the generation, whether Keras "
            "is eagerflow's, and the environment whose `import tensorflow` is answered",
        ),
    ),
}


def names() -> list[str]:
    """The names of all variables.

    >>> from eagerflow.util import environment
    >>> environment.names()[:2]
    ['EAGERFLOW_ISA', 'EAGERFLOW_FUSE']
    """
    return [name for group in VARIABLES.values() for each in group for name in each.name.split()]
