"""tensorflow.python.saved_model.model_utils.export_output: what a model gives to those it serves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.operation import Operation
from eagerflow.ops.control_flow import control_dependencies
from eagerflow.saved_model import constants
from eagerflow_compat.v1 import signature_defs

__all__ = [
    "ClassificationOutput",
    "EvalOutput",
    "ExportOutput",
    "PredictOutput",
    "RegressionOutput",
    "TrainOutput",
    "_SupervisedOutput",
]


def _joined(key: object, kind: str) -> str:
    """The name of an output; tuples are paths.

    Raises:
        ValueError: if it is no string.
    """
    name = "/".join(key) if isinstance(key, tuple) else key
    if not isinstance(name, str):
        raise ValueError(f"{kind} output key must be a string; got {name}.")
    return name


def _named(outputs: Any, default: str, kind: str) -> dict[str, _core.Tensor]:
    """Outputs by name; a single one has the default name.

    Raises:
        ValueError: if a name is no string, or an output no tensor.
    """
    found = {}
    for key, value in (outputs if isinstance(outputs, dict) else {default: outputs}).items():
        name = _joined(key, kind)
        if not isinstance(value, _core.Tensor):
            raise ValueError(f"{kind} output value must be a Tensor; got {value}.")
        found[name] = value
    return found


def _only_examples(receiver_tensors: Mapping[str, Any], kind: str) -> Any:
    """The only tensor that is received: serialized examples.

    Raises:
        ValueError: if there are more, or it has no strings.
    """
    tensors = list(receiver_tensors.values())
    if len(tensors) != 1 or tensors[0].dtype is not dtypes.string:
        raise ValueError(
            f"{kind} signatures can only accept a single tensor input of type tf.string. Let the "
            "serving_input_receiver_fn make one placeholder of serialized examples, and features "
            f"of it by tf.io.parse_example. Received: {receiver_tensors}"
        )
    return tensors[0]


class ExportOutput:
    """Base class of the outputs of a model: each describes one signature."""

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        """A SignatureDef message.

        Args:
            receiver_tensors: the tensors that are fed, by name.

        Raises:
            ValueError: if the signature cannot have these inputs.
        """
        raise NotImplementedError(f"{type(self).__name__} has no signature.")


class ClassificationOutput(ExportOutput):
    """The classes of examples, or their scores, or both.

    Args:
        scores: floats, one of each class.
        classes: strings: the names of classes.

    Raises:
        ValueError: if both are missing, or a dtype is another.
    """

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        _check(scores, "Classification scores must be a float32 Tensor", _is_floating)
        _check(classes, "Classification classes must be a string Tensor", _is_text)
        if scores is None and classes is None:
            raise ValueError(
                "Cannot create a ClassificationOutput with empty arguments. At least one of "
                "`scores` and `classes` must be defined."
            )
        self.scores = scores
        self.classes = classes

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        examples = _only_examples(receiver_tensors, "Classification")
        return signature_defs.classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """The value of each example.

    Args:
        value: floats.

    Raises:
        ValueError: if the dtype is another.
    """

    def __init__(self, value: Any) -> None:
        _check(value, "Regression output value must be a float32 Tensor", _is_floating, needed=True)
        self.value = value

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        examples = _only_examples(receiver_tensors, "Regression")
        return signature_defs.regression_signature_def(examples, self.value)


class PredictOutput(ExportOutput):
    """Any tensors.

    Args:
        outputs: a tensor, whose name is "output", or tensors by name.

    Raises:
        ValueError: if a name is no string, or an output no tensor.
    """

    _SINGLE_OUTPUT_DEFAULT_NAME = "output"

    def __init__(self, outputs: Any) -> None:
        self.outputs = _named(outputs, self._SINGLE_OUTPUT_DEFAULT_NAME, "Prediction")

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        return signature_defs.predict_signature_def(receiver_tensors, self.outputs)


class _SupervisedOutput(ExportOutput):
    """What training or an evaluation gives: losses, predictions and metrics.

    Args:
        loss: a tensor, or tensors by name.
        predictions: the same.
        metrics: metrics by name: objects, or pairs of a value and an update; or one pair.

    Raises:
        ValueError: if a name is no string, or a value no tensor.
    """

    LOSS_NAME = "loss"
    PREDICTIONS_NAME = "predictions"
    METRICS_NAME = "metrics"
    METRIC_VALUE_SUFFIX = "value"
    METRIC_UPDATE_SUFFIX = "update_op"
    _method_name: str

    def __init__(self, loss: Any = None, predictions: Any = None, metrics: Any = None) -> None:
        self.loss = self._outputs(loss, self.LOSS_NAME)
        self.predictions = self._outputs(predictions, self.PREDICTIONS_NAME)
        self.metrics = None if metrics is None else self._metric_outputs(metrics)

    @staticmethod
    def _below(kind: str, name: str) -> str:
        return name if name.startswith(kind) else f"{kind}/{name}"

    def _outputs(self, values: Any, kind: str) -> dict[str, Any] | None:
        if values is None:
            return None
        return {self._below(kind, k): v for k, v in _named(values, kind, kind).items()}

    def _metric_outputs(self, metrics: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if not isinstance(metrics, dict):
            metrics = {self.METRICS_NAME: metrics}
        for key, metric in metrics.items():
            value, update = metric if isinstance(metric, tuple) else _parts_of(metric)
            name = self._below(self.METRICS_NAME, _joined(key, self.METRICS_NAME))
            if not isinstance(value, _core.Tensor):
                raise ValueError(f"{self.METRICS_NAME} output value must be a Tensor; got {value}.")
            if not isinstance(update, _core.Tensor | Operation):
                raise ValueError(
                    f"{self.METRICS_NAME} update_op must be a Tensor or Operation; got {update}."
                )
            found[f"{name}/{self.METRIC_VALUE_SUFFIX}"] = value
            # A signature has tensors alone: an operation is run for a value that comes after it.
            found[f"{name}/{self.METRIC_UPDATE_SUFFIX}"] = _as_tensor(update)
        return found

    def as_signature_def(self, receiver_tensors: Any) -> Any:
        parts = (self.loss, self.predictions, self.metrics)
        outputs = {k: v for part in parts if part for k, v in part.items()}
        inputs, results = (
            {k: signature_defs.build_tensor_info(v) for k, v in tensors.items()}
            for tensors in (receiver_tensors, outputs)
        )
        return signature_defs.build_signature_def(inputs, results, self._method_name)


class TrainOutput(_SupervisedOutput):
    """What training gives; arguments as in `_SupervisedOutput`."""

    _method_name = constants.SUPERVISED_TRAIN_METHOD_NAME


class EvalOutput(_SupervisedOutput):
    """What an evaluation gives; arguments as in `_SupervisedOutput`."""

    _method_name = constants.SUPERVISED_EVAL_METHOD_NAME


def _is_floating(tensor: _core.Tensor) -> bool:
    return tensor.dtype.is_floating


def _is_text(tensor: _core.Tensor) -> bool:
    return tensor.dtype is dtypes.string


def _check(value: object, text: str, is_right: Any, needed: bool = False) -> None:
    if value is None and not needed:
        return
    if not isinstance(value, _core.Tensor) or not is_right(value):
        raise ValueError(f"{text}; got {value}")


def _parts_of(metric: Any) -> tuple[Any, Any]:
    """The value of a metric object, and its update."""
    (update,) = metric.updates
    return metric.result(), update


def _as_tensor(update: Any) -> Any:
    if isinstance(update, _core.Tensor):
        return update
    with control_dependencies([update]):
        return _core.ops.identity(_core.ops.zeros([0], dtypes.float32))
