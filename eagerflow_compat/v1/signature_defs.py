"""Signatures of version 1's SavedModels: which tensors of a graph are its inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes, shapes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.graph.symbols import as_tensor
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.saved_model import constants
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import TensorLike

__all__ = [
    "build_signature_def",
    "build_tensor_info",
    "classification_signature_def",
    "get_tensor_from_tensor_info",
    "is_valid_signature",
    "predict_signature_def",
    "regression_signature_def",
]


def build_tensor_info(tensor: Any) -> Any:
    """A tensor's name, dtype and shape as a TensorInfo message.

    Args:
        tensor: a tensor or variable of a graph, a symbolic tensor of a model, or a sparse tensor of
            tensors of a graph.

    Raises:
        RuntimeError: if operations run eagerly: tensors have no names then.

    >>> with tf.Graph().as_default():
    ...     info = tf.compat.v1.saved_model.build_tensor_info(
    ...         tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     )
    >>> info.name
    'x:0'
    """
    graph = context.building_graph()
    if graph is None:
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    tensor = as_tensor(tensor, graph)
    info = MESSAGES["TensorInfo"]()
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    elif isinstance(tensor, CompositeTensor):
        raise ValueError(f"A signature takes tensors and sparse tensors. Received: {tensor}")
    else:
        info.name = tensor.name
    info.dtype = tensor.dtype.as_datatype_enum
    shapes.fill_message(info.tensor_shape, tensor.shape)
    return info


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """The tensor, or sparse tensor, that a TensorInfo message tells.

    Args:
        tensor_info: the message.
        graph: its graph; the default one if there is none.
        import_scope: what the names in the graph begin with.

    Raises:
        KeyError: if it is not in the graph.
        ValueError: if the message names none.
    """
    graph = graph or context.default_graph()

    def find(name: str) -> Any:
        return graph.get_tensor_by_name(f"{import_scope}/{name}" if import_scope else name)

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return find(tensor_info.name)
    if encoding == "coo_sparse":
        coo = tensor_info.coo_sparse
        names = coo.indices_tensor_name, coo.values_tensor_name, coo.dense_shape_tensor_name
        return SparseTensor(*map(find, names))
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse` or `name`.")


def build_signature_def(
    inputs: Mapping[str, _core.Tensor] | None = None,
    outputs: Mapping[str, _core.Tensor] | None = None,
    method_name: str | None = None,
    defaults: object = None,
) -> Any:
    """A SignatureDef message.

    Args:
        inputs: TensorInfo messages by name.
        outputs: TensorInfo messages by name.
        method_name: what a server does with it, such as `PREDICT_METHOD_NAME`.
        defaults: accepted, without effect.
    """
    signature = MESSAGES["SignatureDef"]()
    for field, infos in ((signature.inputs, inputs), (signature.outputs, outputs)):
        for name, info in (infos or {}).items():
            field[name].CopyFrom(info)
    signature.method_name = method_name or ""
    return signature


def _infos(tensors: Mapping[str, _core.Tensor]) -> dict[str, Any]:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """A signature from any tensors to any tensors.

    Args:
        inputs: tensors by name.
        outputs: tensors by name.

    Raises:
        ValueError: if there are none.
    """
    for name, tensors in (("inputs", inputs), ("outputs", outputs)):
        if not tensors:
            raise ValueError(f"Prediction `{name}` cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), constants.PREDICT_METHOD_NAME)


def regression_signature_def(examples: TensorLike | None, predictions: TensorLike) -> Any:
    """A signature from serialized examples to numbers.

    Args:
        examples: a string tensor.
        predictions: a float tensor.

    Raises:
        ValueError: if one is missing, or of another dtype.
    """
    for name, tensor in (("examples", examples), ("predictions", predictions)):
        if tensor is None:
            raise ValueError(f"Regression `{name}` cannot be None.")
    given = _typed(examples, dtypes.string, "Regression input tensors must be of type string.")
    found = _typed(predictions, dtypes.float32, "Regression output tensors must be of type float.")
    return build_signature_def(
        {constants.REGRESS_INPUTS: given},
        {constants.REGRESS_OUTPUTS: found},
        constants.REGRESS_METHOD_NAME,
    )


def classification_signature_def(examples: TensorLike, classes: Any, scores: Any) -> Any:
    """A signature from serialized examples to classes, their scores, or both.

    Args:
        examples: a string tensor.
        classes: a string tensor, or None.
        scores: a float tensor, or None.

    Raises:
        ValueError: if examples, or both results, are missing, or one has another dtype.
    """
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    given = _typed(examples, dtypes.string, "Classification input must be a string Tensor.")
    found = {}
    if classes is not None:
        text = "Classification classes must be a string Tensor."
        found[constants.CLASSIFY_OUTPUT_CLASSES] = _typed(classes, dtypes.string, text)
    if scores is not None:
        text = "Classification scores must be a float Tensor."
        found[constants.CLASSIFY_OUTPUT_SCORES] = _typed(scores, dtypes.float32, text)
    return build_signature_def(
        {constants.CLASSIFY_INPUTS: given}, found, constants.CLASSIFY_METHOD_NAME
    )


def _typed(tensor: Any, dtype: dtypes.DType, text: str) -> Any:
    """What tells a tensor of one dtype."""
    info = build_tensor_info(tensor)
    if info.dtype != dtype.as_datatype_enum:
        raise ValueError(f"{text} Found {tensor.dtype.name}.")
    return info


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a server can use a signature: its method, inputs, outputs and their dtypes fit."""
    string, number = dtypes.string.as_datatype_enum, dtypes.float32.as_datatype_enum
    inputs, outputs = signature_def.inputs, signature_def.outputs
    method = signature_def.method_name
    if method == constants.PREDICT_METHOD_NAME:
        infos = [*inputs.values(), *outputs.values()]
        valid = all(info.name and info.dtype and info.HasField("tensor_shape") for info in infos)
        return bool(inputs) and bool(outputs) and valid
    if method == constants.REGRESS_METHOD_NAME:
        return _are_one(inputs, constants.REGRESS_INPUTS, string) and _are_one(
            outputs, constants.REGRESS_OUTPUTS, number
        )
    if method == constants.CLASSIFY_METHOD_NAME:
        kinds = {
            constants.CLASSIFY_OUTPUT_CLASSES: string,
            constants.CLASSIFY_OUTPUT_SCORES: number,
        }
        fits = all(kinds.get(name) == info.dtype for name, info in outputs.items())
        return _are_one(inputs, constants.CLASSIFY_INPUTS, string) and bool(outputs) and fits
    return False


def _are_one(infos: Any, name: str, dtype: int) -> bool:
    return list(infos) == [name] and infos[name].dtype == dtype


def named_tensors(info: Any) -> list[tuple[Any, str]]:
    """Where a TensorInfo message names tensors: the message and the field of each name."""
    if info.WhichOneof("encoding") == "coo_sparse":
        fields = ("values_tensor_name", "indices_tensor_name", "dense_shape_tensor_name")
        return [(info.coo_sparse, field) for field in fields]
    return [(info, "name")]


def in_file(signature: Any, graph: Any, file_name: Any) -> Any:
    """A signature with the names that tensors have in a file.

    Args:
        signature: the SignatureDef message, ours or of another package.
        graph: the graph of the tensors.
        file_name: gives the name of a tensor.

    Raises:
        AssertionError: if it does not name its tensors, or lacks a dtype.
    """
    found = MESSAGES["SignatureDef"].FromString(signature.SerializeToString())
    for info in (*found.inputs.values(), *found.outputs.values()):
        if info.WhichOneof("encoding") is None:
            raise AssertionError(
                f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs "
                "must have one of the 'encoding' fields (e.g., name or coo_sparse) set."
            )
        if not info.dtype:
            raise AssertionError(
                f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs "
                "must have the dtype field set."
            )
        for message, field in named_tensors(info):
            tensor = graph.as_graph_element(getattr(message, field), allow_operation=False)
            if isinstance(tensor, _core.Variable):
                tensor = graph.as_graph_element(tensor)
            setattr(message, field, file_name(tensor))
    return found
