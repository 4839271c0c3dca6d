"""tf.keras.utils: what programs need around layers and models."""

import importlib as _importlib
import typing as _typing

from eagerflow.keras.backend_ops.state import clear_session
from eagerflow.keras.engine.data_adapter import pack_x_y_sample_weight, unpack_x_y_sample_weight
from eagerflow.keras.engine.keras_tensor import is_keras_tensor
from eagerflow.keras.preprocessing.sequence import pad_sequences
from eagerflow.keras.saving import (
    CustomObjectScope,
    custom_object_scope,
    deserialize_keras_object,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
    serialize_keras_object,
)
from eagerflow.keras.utils.dataset_split import split_dataset
from eagerflow.keras.utils.directory_datasets import (
    audio_dataset_from_directory,
    image_dataset_from_directory,
    text_dataset_from_directory,
)
from eagerflow.keras.utils.embedding_matrix import warmstart_embedding_matrix
from eagerflow.keras.utils.file_download import get_file
from eagerflow.keras.utils.image_utils import array_to_img, img_to_array, load_img, save_img
from eagerflow.keras.utils.io_utils import (
    disable_interactive_logging,
    enable_interactive_logging,
    is_interactive_logging_enabled,
)
from eagerflow.keras.utils.layer_utils import get_source_inputs
from eagerflow.keras.utils.numpy_utils import normalize, to_categorical, to_ordinal
from eagerflow.keras.utils.progbar import Progbar
from eagerflow.keras.utils.seeds import set_random_seed
from eagerflow.keras.utils.sequence import (
    GeneratorEnqueuer,
    OrderedEnqueuer,
    PyDataset,
    Sequence,
    SequenceEnqueuer,
    TimedThread,
)
from eagerflow.keras.utils.timeseries import timeseries_dataset_from_array
from eagerflow.keras.utils.vis_utils import model_to_dot, plot_model

# It needs the layers, which are imported after this.
_LATER = {
    "FeatureSpace": "eagerflow.keras.utils.feature_space",
    "SidecarEvaluator": "eagerflow.keras.utils.sidecar",
    "StepsPerExecutionTuner": "eagerflow.keras.utils.steps_tuner",
}


def __getattr__(name: str) -> _typing.Any:
    """Imports a name when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'eagerflow.keras.utils' has no attribute '{name}'")
    found = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    *_LATER,
    "clear_session",
    "is_keras_tensor",
    "get_source_inputs",
    "model_to_dot",
    "plot_model",
    "CustomObjectScope",
    "GeneratorEnqueuer",
    "OrderedEnqueuer",
    "Progbar",
    "PyDataset",
    "Sequence",
    "SequenceEnqueuer",
    "TimedThread",
    "array_to_img",
    "audio_dataset_from_directory",
    "custom_object_scope",
    "deserialize_keras_object",
    "disable_interactive_logging",
    "enable_interactive_logging",
    "get_custom_objects",
    "get_file",
    "get_registered_name",
    "get_registered_object",
    "image_dataset_from_directory",
    "img_to_array",
    "is_interactive_logging_enabled",
    "load_img",
    "normalize",
    "pack_x_y_sample_weight",
    "pad_sequences",
    "register_keras_serializable",
    "save_img",
    "serialize_keras_object",
    "set_random_seed",
    "split_dataset",
    "text_dataset_from_directory",
    "timeseries_dataset_from_array",
    "to_categorical",
    "to_ordinal",
    "unpack_x_y_sample_weight",
    "warmstart_embedding_matrix",
]
