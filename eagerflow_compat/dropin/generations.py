"""Which names and arguments TensorFlow has in each generation."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Collection
from types import ModuleType

from eagerflow.version import VERSION
from eagerflow_compat.dropin import estimators, packages
from eagerflow_compat.dropin.facade import resolve

NAMES = {"1.x": "TensorFlow 1", "2.x": "TensorFlow 2"}
ROOTS = {"1.x": "eagerflow_compat.compat.v1", "2.x": "eagerflow"}
# What they see as `tf.keras.__version__`.
KERAS_VERSIONS = {"1.x": "2.2.4-tf", "2.x": VERSION}
# What programs of Keras 3 see, and the namespaces that only Keras 3 has.
KERAS_3 = "3.15.1"
LEGACY_KERAS = "TF_USE_LEGACY_KERAS"
_KERAS_ROOTS = ("keras", "tensorflow.keras")
_OF_KERAS_3 = ("distribution", "ops", "random", "tree")
# Modules that the first generation has, and the second does not, though some of them answer here for both.
_OF_FIRST = (
    "contrib",
    "examples",
    "estimator.inputs",
    "python.framework.ops.enable_eager_execution",
)
# Names that the second generation alone has, by module, though they answer here for both.
_OF_SECOND = {
    "": "autodiff eig eigvals",
    "data.experimental": "at load save",
    "distribute": "MultiWorkerMirroredStrategy",
    "experimental": "dlpack numpy",
    "image": "resize_with_pad stateless_random_brightness stateless_random_contrast stateless_random_crop "
    "stateless_random_flip_left_right stateless_random_flip_up_down stateless_random_hue "
    "stateless_random_saturation",
    "keras.activations": "gelu",
    "keras.callbacks": "BackupAndRestore",
    "keras.initializers": "GlorotNormal GlorotUniform HeNormal HeUniform LecunNormal LecunUniform",
    "keras.layers": "GroupNormalization HashedCrossing IntegerLookup RandomBrightness RandomContrast "
    "RandomCrop RandomFlip RandomHeight RandomRotation RandomTranslation RandomWidth RandomZoom "
    "SpectralNormalization StringLookup TextVectorization UnitNormalization",
    "keras.losses": "Reduction huber",
    "keras.mixed_precision": "Policy global_policy set_global_policy",
    "keras.optimizers": "Adafactor AdamW Lion",
    "keras.preprocessing": "image_dataset_from_directory text_dataset_from_directory "
    "timeseries_dataset_from_array",
    "keras.utils": "audio_dataset_from_directory image_dataset_from_directory set_random_seed "
    "split_dataset text_dataset_from_directory timeseries_dataset_from_array",
    "linalg": "eig eigvals",
    "nn": "gelu isotonic_regression",
    "profiler": "experimental",
    "random": "set_seed",
    "summary": "SummaryWriter experimental flush record_if should_record_summaries trace_export "
    "trace_off trace_on",
}
# Modules that mean the same in programs of either generation.
_OF_BOTH = ("compat", "python")


def wants_keras_2() -> bool:
    """Whether the environment asks for Keras 2, in the words that TensorFlow reads."""
    return os.environ.get(LEGACY_KERAS) in ("true", "True", "1")


def keras_version(package: str, generation: str) -> str:
    """What a program sees as `__version__` of `keras`, also within `tensorflow`, or of `tf_keras`.

    `tf_keras` is Keras 2, and so is `keras`, but for programs that have imported what only Keras 3 has,
    or choose a backend by `KERAS_BACKEND`. With `TF_USE_LEGACY_KERAS=1`, as for TensorFlow, all is Keras 2.

    >>> from eagerflow_compat.dropin import generations
    >>> generations.keras_version("tf_keras", "2.x")
    '2.21.0'
    """
    number = KERAS_VERSIONS[generation]
    if package == "tf_keras" or generation == "1.x" or wants_keras_2():
        return number
    of_third = any(f"{root}.{name}" in sys.modules for name in _OF_KERAS_3 for root in _KERAS_ROOTS)
    return KERAS_3 if of_third or "KERAS_BACKEND" in os.environ else number


def other(generation: str) -> str:
    """The generation that is not this one.

    >>> from eagerflow_compat.dropin import generations
    >>> generations.other("1.x")
    '2.x'
    """
    return "1.x" if generation == "2.x" else "2.x"


def is_of_both(path: str) -> bool:
    """Whether a path below `tensorflow` lies where both generations have the same names."""
    return path.split(".")[0] in _OF_BOTH and not path.startswith(_OF_FIRST)


@functools.cache
def exists(path: str, generation: str) -> bool:
    """Whether a generation has a name below `tensorflow`.

    >>> from eagerflow_compat.dropin import generations
    >>> [generations.exists("keras.backend.get_session", each) for each in generations.NAMES]
    [True, False]
    """
    if f"{path}.".startswith(tuple(f"{name}." for name in _OF_FIRST)):
        return generation == "1.x"
    if estimators.is_path(path):  # their package has them
        return True
    module, _, name = path.rpartition(".")
    if generation == "1.x" and name in _OF_SECOND.get(module, "").split():
        return False
    if generation == "1.x" and packages.namespace_of(path) is not None:
        return True
    try:
        return resolve(f"{ROOTS[generation]}.{path}") is not None
    except ImportError:  # it is there, and needs another package
        return True


@functools.cache
def missing_part(path: str, generation: str) -> str | None:
    """The start of a path that this generation lacks and the other has, or None.

    A path is followed through modules, and one name further: what hangs below may be an instance's
    attribute, which is known when the program runs.

    >>> from eagerflow_compat.dropin import generations
    >>> generations.missing_part("optimizers.SGD.minimize", "1.x")
    'optimizers'
    """
    parts = path.split(".")
    for end in range(1, len(parts) + 1):
        start = ".".join(parts[:end])
        if not exists(start, generation):
            if exists(start, other(generation)):
                return start
        elif end > 1 and not _is_module(f"{ROOTS[generation]}.{start}"):
            return None
    return None


def _is_module(path: str) -> bool:
    try:
        return isinstance(resolve(path), ModuleType)
    except ImportError:
        return False


@functools.cache
def _keywords(path: str, generation: str) -> frozenset[str] | None:
    """The arguments that a function or a class takes by name; None if that is unknown."""
    try:
        function = resolve(f"{ROOTS[generation]}.{path}")
        parameters = inspect.signature(function).parameters.values()
    except (ImportError, TypeError, ValueError):  # a message, say, needs protobuf
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return frozenset(p.name for p in parameters)


def missing_keywords(path: str, given: Collection[str], generation: str) -> list[str]:
    """The given arguments of a function that only the other generation has.

    >>> from eagerflow_compat.dropin import generations
    >>> generations.missing_keywords("reduce_sum", ["keep_dims", "axis"], "2.x")
    ['keep_dims']
    """
    ours, theirs = _keywords(path, generation), _keywords(path, other(generation))
    if not given or ours is None or theirs is None:
        return []
    return sorted(set(given) & theirs - ours)
