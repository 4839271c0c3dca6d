"""Models as estimators, which TensorFlow had until 2.15."""

from __future__ import annotations

from typing import NoReturn


def model_to_estimator(
    keras_model: object = None,
    keras_model_path: object = None,
    custom_objects: object = None,
    model_dir: object = None,
    config: object = None,
    checkpoint_format: str = "checkpoint",
    metric_names_map: object = None,
    export_outputs: object = None,
) -> NoReturn:
    """Raises: TensorFlow 2.16 and later has no estimators, either.

    Args:
        keras_model: a compiled model.
        keras_model_path: the path of a saved one.
        custom_objects: what its configuration names.
        model_dir: where checkpoints would be.
        config: the configuration of a run.
        checkpoint_format: "checkpoint" or "saver".
        metric_names_map: names of metrics.
        export_outputs: what serving would give.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "tf.keras.estimator.model_to_estimator function not available in your installation. Train "
        "with `model.fit`, and export the model with `model.export`."
    )
