from eagerflow.keras.backend.state import clear_session as clear_session
from eagerflow.keras.engine.training.data_adapter import (
    pack_x_y_sample_weight as pack_x_y_sample_weight,
    unpack_x_y_sample_weight as unpack_x_y_sample_weight,
)
from eagerflow.keras.engine.functional.keras_tensor import is_keras_tensor as is_keras_tensor
from eagerflow.keras.preprocessing.sequence import pad_sequences as pad_sequences
from eagerflow.keras.saving.registration import (
    CustomObjectScope as CustomObjectScope,
    custom_object_scope as custom_object_scope,
    get_custom_objects as get_custom_objects,
    get_registered_name as get_registered_name,
    get_registered_object as get_registered_object,
    register_keras_serializable as register_keras_serializable,
)
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object as deserialize_keras_object,
    serialize_keras_object as serialize_keras_object,
)
from eagerflow.keras.utils.dataset_split import split_dataset as split_dataset
from eagerflow.keras.utils.directory_datasets import (
    audio_dataset_from_directory as audio_dataset_from_directory,
    image_dataset_from_directory as image_dataset_from_directory,
    text_dataset_from_directory as text_dataset_from_directory,
)
from eagerflow.keras.utils.embedding_matrix import (
    warmstart_embedding_matrix as warmstart_embedding_matrix,
)
from eagerflow.keras.utils.feature_space import FeatureSpace as FeatureSpace
from eagerflow.keras.utils.file_download import get_file as get_file
from eagerflow.keras.utils.image_utils import (
    array_to_img as array_to_img,
    img_to_array as img_to_array,
    load_img as load_img,
    save_img as save_img,
)
from eagerflow.keras.utils.io_utils import (
    disable_interactive_logging as disable_interactive_logging,
    enable_interactive_logging as enable_interactive_logging,
    is_interactive_logging_enabled as is_interactive_logging_enabled,
)
from eagerflow.keras.utils.layer_utils import get_source_inputs as get_source_inputs
from eagerflow.keras.utils.numpy_utils import (
    normalize as normalize,
    to_categorical as to_categorical,
    to_ordinal as to_ordinal,
)
from eagerflow.keras.utils.progbar import Progbar as Progbar
from eagerflow.keras.utils.seeds import set_random_seed as set_random_seed
from eagerflow.keras.utils.sequence import (
    GeneratorEnqueuer as GeneratorEnqueuer,
    OrderedEnqueuer as OrderedEnqueuer,
    PyDataset as PyDataset,
    Sequence as Sequence,
    SequenceEnqueuer as SequenceEnqueuer,
    TimedThread as TimedThread,
)
from eagerflow.keras.utils.sidecar import SidecarEvaluator as SidecarEvaluator
from eagerflow.keras.utils.steps_tuner import StepsPerExecutionTuner as StepsPerExecutionTuner
from eagerflow.keras.utils.timeseries import (
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from eagerflow.keras.utils.vis_utils import model_to_dot as model_to_dot, plot_model as plot_model
from eagerflow.keras.utils import experimental as experimental, legacy as legacy
