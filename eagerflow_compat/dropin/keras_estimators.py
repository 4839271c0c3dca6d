"""tf.keras.estimator under the drop-in: models as estimators of the package that has them."""

from __future__ import annotations

from typing import Any

from eagerflow_compat.dropin import estimators, install


def model_to_estimator(
    keras_model: object = None,
    keras_model_path: object = None,
    custom_objects: object = None,
    model_dir: object = None,
    config: object = None,
    checkpoint_format: str = "checkpoint",
    metric_names_map: object = None,
    export_outputs: object = None,
) -> Any:
    """An estimator that trains a copy of a model.

    Args:
        keras_model: a compiled model.
        keras_model_path: or the path of a saved one.
        custom_objects: what its configuration names.
        model_dir: the folder of the checkpoints.
        config: the configuration of a run.
        checkpoint_format: "checkpoint" for checkpoints that Keras reads, or "saver".
        metric_names_map: the names of metrics, by those that the model has for them.
        export_outputs: the classes of outputs that are served, by the outputs' names.

    Raises:
        NotImplementedError: if tensorflow-estimator is not installed.
    """
    generation = install.generation()
    if generation is not None and estimators.is_installed():
        return estimators.keras_models().model_to_estimator(
            keras_model, keras_model_path, custom_objects, model_dir, config, checkpoint_format,
            generation == "2.x", metric_names_map, export_outputs,
        )  # fmt: skip
    raise NotImplementedError(
        "tf.keras.estimator.model_to_estimator function not available in your installation. Train "
        f"with `model.fit`, and export the model with `model.export`. {estimators.advice()}"
    )
