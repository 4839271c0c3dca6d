"""tensorflow.python.saved_model.model_utils.mode_keys: what a model is run for."""

__all__ = ["EstimatorModeKeys", "KerasModeKeys", "is_eval", "is_predict", "is_train"]


class KerasModeKeys:
    """Keras's names."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


class EstimatorModeKeys:
    """The names of estimators."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def is_predict(mode: str) -> bool:
    """Whether a model predicts."""
    return mode in (KerasModeKeys.PREDICT, EstimatorModeKeys.PREDICT)


def is_eval(mode: str) -> bool:
    """Whether a model is evaluated."""
    return mode in (KerasModeKeys.TEST, EstimatorModeKeys.EVAL)


def is_train(mode: str) -> bool:
    """Whether a model is trained."""
    return mode in (KerasModeKeys.TRAIN, EstimatorModeKeys.TRAIN)
