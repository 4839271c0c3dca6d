"""Names of files, keys and tags of SavedModels."""

import os

ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
DEFAULT_EVAL_SIGNATURE_DEF_KEY = "eval"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
DEFAULT_TRAIN_SIGNATURE_DEF_KEY = "train"
EVAL = "eval"
GPU = "gpu"
KERAS_METADATA_FILENAME = "keras_metadata.pb"
LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"
# The kinds of objects that optimizers are.
OPTIMIZER = "experimentalOptimizer"
LEGACY_OPTIMIZER = "optimizer"
OPTIMIZERS = (OPTIMIZER, LEGACY_OPTIMIZER)
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
SERVING = "serve"
SUPERVISED_EVAL_METHOD_NAME = "tensorflow/supervised/eval"
SUPERVISED_TRAIN_METHOD_NAME = "tensorflow/supervised/training"
TPU = "tpu"
TRAINING = "train"
TRAIN_OP_KEY = "saved_model_train_op"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"


def variables_prefix(folder: str) -> str:
    """What the names of the checkpoint's files in a SavedModel's folder begin with."""
    return os.path.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
