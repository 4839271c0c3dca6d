"""tensorflow.python.saved_model.model_utils: signatures of a model's outputs, and folders of exports."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Container, Iterable, Mapping
from typing import Any

from eagerflow.framework import context
from eagerflow.saved_model import constants
from eagerflow_compat.internals.export_output import (
    EvalOutput,
    ExportOutput,
    PredictOutput,
    TrainOutput,
)
from eagerflow_compat.internals.mode_keys import (
    EstimatorModeKeys,
    KerasModeKeys,
    is_predict,
    is_train,
)
from eagerflow_compat.v1 import signature_defs

__all__ = [
    "EXPORT_TAG_MAP",
    "MAX_DIRECTORY_CREATION_ATTEMPTS",
    "SIGNATURE_KEY_MAP",
    "SINGLE_FEATURE_DEFAULT_NAME",
    "SINGLE_LABEL_DEFAULT_NAME",
    "SINGLE_RECEIVER_DEFAULT_NAME",
    "build_all_signature_defs",
    "export_outputs_for_mode",
    "get_export_outputs",
    "get_temp_export_dir",
    "get_timestamped_export_dir",
]

SINGLE_FEATURE_DEFAULT_NAME = "feature"
SINGLE_LABEL_DEFAULT_NAME = "label"
SINGLE_RECEIVER_DEFAULT_NAME = "input"
MAX_DIRECTORY_CREATION_ATTEMPTS = 10

_log = logging.getLogger("tensorflow")


def _by_mode(train: Any, evaluation: Any, prediction: Any) -> dict[str, Any]:
    """A value for each mode, by Keras's names and by those of estimators."""
    return {
        KerasModeKeys.TRAIN: train,
        KerasModeKeys.TEST: evaluation,
        KerasModeKeys.PREDICT: prediction,
        EstimatorModeKeys.EVAL: evaluation,
        EstimatorModeKeys.PREDICT: prediction,
    }


EXPORT_TAG_MAP = _by_mode([constants.TRAINING], [constants.EVAL], [constants.SERVING])
SIGNATURE_KEY_MAP = _by_mode(
    constants.DEFAULT_TRAIN_SIGNATURE_DEF_KEY,
    constants.DEFAULT_EVAL_SIGNATURE_DEF_KEY,
    constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)


def build_all_signature_defs(
    receiver_tensors: Any,
    export_outputs: dict[Any, ExportOutput],
    receiver_tensors_alternatives: Mapping[str, Any] | None = None,
    serving_only: bool = True,
) -> dict[str, Any]:
    """The signatures of a model's outputs, by name. Those that cannot be served are logged and left out.

    Args:
        receiver_tensors: the tensors that are fed: one, or several by name.
        export_outputs: the outputs by the names of signatures.
        receiver_tensors_alternatives: other tensors that may be fed in place of those, by name.
        serving_only: whether signatures of training and evaluations are left out.

    Raises:
        ValueError: if `export_outputs` is no dictionary.
    """
    if not isinstance(export_outputs, dict):
        raise ValueError(
            f"`export_outputs` must be a dict. Received {export_outputs} with type "
            f"{type(export_outputs).__name__}."
        )
    found: dict[str, Any] = {}
    excluded: dict[str, str] = {}
    receivers = [("", receiver_tensors)]
    for name, tensors in (receiver_tensors_alternatives or {}).items():
        receivers.append((f"{name or 'None'}:", tensors))
    for prefix, tensors in receivers:
        inputs = tensors if isinstance(tensors, dict) else {SINGLE_RECEIVER_DEFAULT_NAME: tensors}
        for key, output in export_outputs.items():
            try:
                signature = output.as_signature_def(inputs)
                _check_fed(inputs.values(), signature)
            except ValueError as error:
                excluded[f"{prefix}{key or 'None'}"] = str(error)
            else:
                found[f"{prefix}{key or 'None'}"] = signature
    _report(found, excluded)
    if serving_only:
        return {k: v for k, v in found.items() if signature_defs.is_valid_signature(v)}
    return found


def _check_fed(inputs: Iterable[Any], signature: Any) -> None:
    """Checks that the outputs need no placeholder but the inputs.

    Raises:
        ValueError: if they do.
    """
    tensors = list(inputs)
    fed = {name for each in tensors for name in _names(signature_defs.build_tensor_info(each))}
    graph = context.default_graph()
    outputs = [name for info in signature.outputs.values() for name in _names(info)]
    todo = _makers([graph.get_tensor_by_name(name) for name in outputs], fed)
    seen = set()
    while todo:
        operation = todo.pop()
        if operation.name in seen:
            continue
        seen.add(operation.name)
        if operation.type == "Placeholder":
            raise ValueError(
                f"The signature's input tensors {sorted(fed)} are insufficient to compute its "
                f"outputs {sorted(signature.outputs)}: they need the placeholder "
                f"`{operation.name}`, which is not given as a signature input."
            )
        todo += [*_makers(operation.inputs, fed), *operation.control_inputs]


def _makers(tensors: Iterable[Any], fed: Container[str]) -> list[Any]:
    """The operations of tensors that are not fed."""
    return [tensor.op for tensor in tensors if tensor.name not in fed]


def _names(info: Any) -> list[str]:
    return [getattr(message, field) for message, field in signature_defs.named_tensors(info)]


def _report(found: Mapping[str, Any], excluded: Mapping[str, str]) -> None:
    """Logs which signatures there are, by what they do, and why others are left out."""
    kinds = {
        constants.CLASSIFY_METHOD_NAME: "Classify",
        constants.REGRESS_METHOD_NAME: "Regress",
        constants.PREDICT_METHOD_NAME: "Predict",
        constants.SUPERVISED_TRAIN_METHOD_NAME: "Train",
        constants.SUPERVISED_EVAL_METHOD_NAME: "Eval",
    }
    for method, kind in kinds.items():
        names = [name for name, each in found.items() if each.method_name == method]
        _log.info("Signatures INCLUDED in export for %s: %s", kind, names or None)
    for name, reason in excluded.items():
        _log.info("Signature EXCLUDED from export, as it cannot be served: %r: %s", name, reason)
    if not found:
        _log.warning("Export includes no signatures!")
    elif constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in found:
        _log.warning("Export includes no default signature!")


def export_outputs_for_mode(
    mode: str,
    serving_export_outputs: Any = None,
    predictions: Any = None,
    loss: Any = None,
    metrics: Any = None,
) -> dict[str, ExportOutput]:
    """The outputs of a model in a mode, by the names of signatures.

    Args:
        mode: one of `EstimatorModeKeys` or `KerasModeKeys`.
        serving_export_outputs: the outputs of predictions.
        predictions: their tensors, if those are None, and those of training and evaluations.
        loss: the loss of training and evaluations.
        metrics: their metrics.

    Raises:
        ValueError: if the mode is unknown.
    """
    if mode not in SIGNATURE_KEY_MAP:
        raise ValueError(
            f"Export output type not found for `mode`: {mode}. Expected one of: "
            f"{list(SIGNATURE_KEY_MAP)}."
        )
    if is_predict(mode):
        return get_export_outputs(serving_export_outputs, predictions)
    kind = TrainOutput if is_train(mode) else EvalOutput
    return {SIGNATURE_KEY_MAP[mode]: kind(loss, predictions, metrics)}


def get_export_outputs(export_outputs: Any, predictions: Any) -> dict[Any, ExportOutput]:
    """The outputs of predictions by the names of signatures, the default one among them.

    Args:
        export_outputs: the outputs; by default those of `predictions`.
        predictions: a tensor, or tensors by name.

    Raises:
        TypeError: if `export_outputs` is no dictionary of `ExportOutput`s.
        ValueError: if there are several, and none has the name of the default one.
    """
    default = constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if export_outputs is None:
        export_outputs = {default: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise TypeError(f"`export_outputs` must be dict, received: {export_outputs}.")
    if not all(isinstance(each, ExportOutput) for each in export_outputs.values()):
        raise TypeError(
            f"Values in `export_outputs` must be ExportOutput objects, received: {export_outputs}."
        )
    if len(export_outputs) == 1:
        export_outputs.setdefault(default, *export_outputs.values())
    elif export_outputs and default not in export_outputs:
        raise ValueError(
            "Multiple `export_outputs` were provided, but none of them are specified as the "
            "default. Use `tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY` to specify a default."
        )
    return export_outputs


def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """The path of a new folder, whose name is the time in seconds; it is not made yet.

    Raises:
        RuntimeError: if there have been folders of that name for several seconds.
    """
    for _ in range(MAX_DIRECTORY_CREATION_ATTEMPTS):
        path = os.path.join(os.fsencode(export_dir_base), str(int(time.time())).encode())
        if not os.path.exists(path):
            return path
        _log.warning("Directory %s already exists; retrying", os.fsdecode(path))
        time.sleep(1)
    raise RuntimeError(
        "Failed to obtain a unique export directory name after "
        f"{MAX_DIRECTORY_CREATION_ATTEMPTS} attempts."
    )


def get_temp_export_dir(timestamped_export_dir: Any) -> bytes:
    """The path of the folder beside it in which an export is written before it is complete."""
    folder, name = os.path.split(os.fsencode(timestamped_export_dir))
    return os.path.join(folder, b"temp-" + name)
