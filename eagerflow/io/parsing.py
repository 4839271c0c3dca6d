"""Examples as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host, shaped_like
from eagerflow.framework.op_function import op_function
from eagerflow.io import feature_specs
from eagerflow.io.dense_parsing import dense_plan
from eagerflow.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from eagerflow.io.raw import strings_of, strings_tensor
from eagerflow.protos.example import MESSAGES
from eagerflow.protos.schema import protobuf
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import DTypeLike, TensorLike

if TYPE_CHECKING:
    from eagerflow.protos.example import Feature

_ops = _core.ops
Tensor = _core.Tensor

_LISTS = {dtypes.float32: "float_list", dtypes.int64: "int64_list", dtypes.string: "bytes_list"}
_KINDS = {"float_list": "float", "int64_list": "int64", "bytes_list": "string"}


def invalid(message: str, op: str) -> errors.InvalidArgumentError:
    """The error for examples that do not fit."""
    return errors.InvalidArgumentError._of(f"{message} [Op:{op}]")


def message_of(name: str, data: bytes, op: str) -> Any:
    """An Example or SequenceExample from its bytes.

    Raises:
        tf.errors.InvalidArgumentError: if they are no such message.
    """
    DecodeError = protobuf("message").DecodeError
    try:
        return MESSAGES[name].FromString(data)
    except DecodeError:
        raise invalid(f"Could not parse example input, value: {data[:200]!r}", op) from None


class Column:
    """The values of one feature in each example; None where an example lacks it.

    Args:
        key: the feature's name.
        dtype: float32, int64 or string.
        op: the operation, for messages.
    """

    def __init__(self, key: str, dtype: DTypeLike, op: str) -> None:
        self.key = key
        self.dtype = dtypes.as_dtype(dtype)
        self.op = op
        if self.dtype not in _LISTS:
            raise invalid(
                f"Value for attr 'Tdense' of {self.dtype.name} is not in the list of allowed "
                "values: float, int64, string",
                op,
            )
        self._list = _LISTS[self.dtype]

    def values(self, feature: Any, where: str) -> Any:
        """The values of a Feature, or None if it is absent or holds nothing."""
        if feature is None:
            return None
        kind = feature.WhichOneof("kind")
        if kind is None:
            return None
        if kind != self._list:
            raise invalid(
                f"Name: <unknown>, Key: {self.key}, {where}.  Data types don't match. Data type: "
                f"{_KINDS[kind]} but expected type: {self.dtype.name}",
                self.op,
            )
        return getattr(feature, kind).value

    def array(self, values: Sequence[TensorLike]) -> np.ndarray:
        """Values as a vector."""
        if self.dtype is dtypes.string:
            result = np.empty(len(values), object)
            result[:] = list(values)
            return result
        return np.array(values, self.dtype.as_numpy_dtype)

    def tensor(self, parts: Sequence[Any]) -> Tensor:
        """All values as one vector."""
        joined: list[Any] = [item for part in parts for item in part]
        return self.of(self.array(joined), (len(joined),))

    def of(self, array: np.ndarray, shape: Any) -> Tensor:
        """An array as a tensor of that shape."""
        if self.dtype is dtypes.string:
            return strings_tensor(list(array.reshape(-1)), tuple(shape))
        return _core.convert(array.reshape(shape), self.dtype, None)


def sizes_of(shape: Any) -> list[Any]:
    """A shape as a list of sizes."""
    if isinstance(shape, int):
        return [shape]
    return [None if size is None else int(size) for size in shape]


def fixed_default(column: Column, feature: Any, shape: list[int]) -> np.ndarray | None:
    """The default of a feature of fixed shape."""
    if feature.default_value is None:
        return None
    default = _core.convert(feature.default_value, column.dtype, None)
    count = int(np.prod(shape))
    array = column.array([default.numpy()] if default.ndim == 0 else default.numpy().reshape(-1))
    if array.size != count:
        if array.size == 1:
            return np.repeat(array, count)
        raise invalid(
            f"Input to reshape is a tensor with {array.size} values, but the requested shape has "
            f"{count}",
            "Reshape",
        )
    return array


def _check_fixed(key: str, feature: FixedLenFeature) -> list[int]:
    shape = sizes_of(feature.shape)
    if shape and shape[0] is None:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received feature={feature}."
        )
    if any(size is None for size in shape):
        raise ValueError(
            f"All dimensions of shape for feature {key} need to be known but received {shape}."
        )
    return shape


class Parser:
    """Parses features of examples by a dictionary of descriptions.

    Args:
        features: the descriptions by name.
        op: the operation, for messages.
        batch: whether there are several examples, which adds a first axis.
    """

    def __init__(self, features: Any, op: str, batch: bool) -> None:
        self._features = features
        self._op = op
        self._batch = batch

    def parse(self, examples: list[Mapping[str, Feature]]) -> dict[str, Any]:
        """The tensors; each example is a mapping from names to Feature messages."""
        values: dict[str, Any] = {}
        # The order of the result is that of TensorFlow: sparse, dense, ragged; each by name.
        for kinds in (
            (VarLenFeature, SparseFeature),
            (FixedLenFeature, FixedLenSequenceFeature),
            (RaggedFeature,),
        ):
            for key in sorted(self._features):
                feature = self._features[key]
                if isinstance(feature, kinds):
                    values[key] = self._one(key, feature, examples)
        for key, feature in self._features.items():
            if key not in values:
                raise ValueError(f"Unsupported feature type: {type(feature).__name__} for {key!r}.")
        return values

    def _one(self, key: str, feature: Any, examples: list[Mapping[str, Feature]]) -> Any:
        if isinstance(feature, FixedLenFeature):
            return self._fixed(key, feature, examples)
        if isinstance(feature, VarLenFeature):
            return self._sparse(self._columns(key, feature.dtype, examples))
        if isinstance(feature, SparseFeature):
            return self._placed(feature, examples)
        if isinstance(feature, FixedLenSequenceFeature):
            return self._sequence(key, feature, examples)
        return self._ragged(key, feature, examples)

    def _columns(self, key: str, dtype: DTypeLike, examples: list[Any]) -> tuple[Column, list[Any]]:
        column = Column(key, dtype, self._op)
        parts = []
        for k, example in enumerate(examples):
            present = example[key] if key in example else None
            parts.append(column.values(present, f"Index: {k}"))
        return column, parts

    def _fixed(self, key: str, feature: FixedLenFeature, examples: list[Any]) -> Tensor:
        shape = _check_fixed(key, feature)
        column, parts = self._columns(key, feature.dtype, examples)
        default = fixed_default(column, feature, shape)
        count = int(np.prod(shape))
        rows: list[Any] = []
        for k, part in enumerate(parts):
            if part is None:
                if default is None:
                    raise invalid(
                        f"Name: <unknown>, Feature: {key} (data type: {column.dtype.name}) is "
                        "required but could not be found.",
                        self._op,
                    )
                rows.extend(default)
                continue
            if len(part) != count:
                raise invalid(
                    f"Name: <unknown>, Key: {key}, Index: {k}.  Number of {column.dtype.name} "
                    f"values != expected.  Values size: {len(part)} but output shape: {shape}",
                    self._op,
                )
            rows.extend(part)
        final = [len(parts), *shape] if self._batch else shape
        return column.of(column.array(rows), final)

    def _sparse(self, columns: tuple[Column, list[Any]]) -> SparseTensor:
        column, parts = columns
        lengths = np.array([0 if part is None else len(part) for part in parts], np.int64)
        values = column.tensor([part for part in parts if part is not None])
        if not self._batch:
            return SparseTensor(np.arange(lengths[0])[:, None], values, [lengths[0]])
        rows = np.repeat(np.arange(len(parts)), lengths)
        starts = np.cumsum(lengths) - lengths
        indices = np.stack([rows, np.arange(len(rows)) - starts[rows]], axis=-1)
        return SparseTensor(indices, values, [len(parts), lengths.max(initial=0)])

    def _placed(self, feature: SparseFeature, examples: list[Any]) -> SparseTensor:
        keys = feature.index_key
        keys = [keys] if isinstance(keys, str) else list(keys)
        sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
        if len(keys) != len(sizes):
            raise ValueError(
                "SparseFeature.size and SparseFeature.index_key should have same length: "
                f"{len(sizes)} vs. {len(keys)}"
            )
        column, parts = self._columns(feature.value_key, feature.dtype, examples)
        index_columns = [self._columns(key, dtypes.int64, examples)[1] for key in keys]
        indices, values = [], []
        for k, part in enumerate(parts):
            part = [] if part is None else part
            axes = [[] if axis[k] is None else axis[k] for axis in index_columns]
            if any(len(axis) != len(part) for axis in axes):
                raise invalid(
                    f"Key: {feature.value_key}, Index: {k}: there are {len(part)} values and "
                    f"{[len(axis) for axis in axes]} indices",
                    self._op,
                )
            rows = np.stack([np.array(axis, np.int64) for axis in axes], axis=-1)
            order = np.arange(len(rows))
            if not feature.already_sorted and len(rows):
                order = np.lexsort(rows.T[::-1])
            lead = np.full((len(rows), 1), k, np.int64)
            indices.append(np.concatenate([lead, rows[order]], axis=1))
            values.append([part[item] for item in order])
        joined = np.concatenate(indices) if indices else np.zeros((0, len(sizes) + 1), np.int64)
        shape = [len(parts), *sizes]
        if not self._batch:
            joined, shape = joined[:, 1:], sizes
        return SparseTensor(joined, column.tensor(values), shape)

    def _sequence(self, key: str, feature: FixedLenSequenceFeature, examples: list[Any]) -> Tensor:
        if not feature.allow_missing:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
            )
        column, parts = self._columns(key, feature.dtype, examples)
        step = sizes_of(feature.shape)
        width = int(np.prod(step))
        steps = []
        for k, part in enumerate(parts):
            size = 0 if part is None else len(part)
            if width == 0 or size % width:
                raise invalid(
                    f"Name: <unknown>, Key: {key}, Index: {k}.  Number of {column.dtype.name} "
                    f"values is not a multiple of stride length. Saw {size} values but output "
                    f"shape is: {step}",
                    self._op,
                )
            steps.append(size // width)
        if not self._batch:
            part = [] if parts[0] is None else parts[0]
            return column.of(column.array(part), [steps[0], *step])
        return padded(column, parts, max(steps, default=0), step, feature.default_value)

    def _ragged(self, key: str, feature: RaggedFeature, examples: list[Any]) -> RaggedTensor:
        value_key = key if feature.value_key is None else feature.value_key
        column, parts = self._columns(value_key, feature.dtype, examples)
        parts = [[] if part is None else part for part in parts]
        keyed: dict[str, list[Any]] = {}
        for partition in feature.partitions:
            if not isinstance(partition, RaggedFeature.UniformRowLength):
                lengths = self._columns(partition.key, dtypes.int64, examples)[1]
                keyed[partition.key] = [[] if part is None else list(part) for part in lengths]
        return ragged_rows(column, parts, feature, keyed, self._batch)


def ragged_rows(
    column: Column, parts: list[Any], feature: RaggedFeature, keyed: Any, batch: bool
) -> Any:
    """The values of each example, with the row partitions of a RaggedFeature.

    The innermost ones are axes of the flat values where they are uniform.
    """
    dtype = feature.row_splits_dtype
    values: Any = column.tensor(parts)
    counts = [len(part) for part in parts]
    for partition in reversed(feature.partitions):
        lengths: list[int] = []
        rows: list[int] = []
        uniform = None
        for k, count in enumerate(counts):
            own = None
            if not isinstance(partition, RaggedFeature.UniformRowLength):
                own = keyed[partition.key][k]
            else:
                uniform = int(partition.length)
            item = _lengths(partition, own, count, column)
            lengths.extend(item)
            rows.append(len(item))
        counts = rows
        if uniform is not None and not isinstance(values, RaggedTensor):
            values = _ops.reshape(values, [len(lengths), uniform, *values.shape[1:]])
            continue
        values = RaggedTensor._of(
            values, RowPartition.of_lengths(np.array(lengths), dtype, uniform)
        )
    if not batch:
        return values
    return RaggedTensor._of(values, RowPartition.of_lengths(np.array(counts, np.int64), dtype))


def _lengths(partition: Any, own: Any, count: int, column: Column) -> list[int]:
    """The lengths of the rows into which a partition divides `count` elements."""
    if isinstance(partition, RaggedFeature.UniformRowLength):
        length = int(partition.length)
        if length <= 0 or count % length:
            raise invalid(
                f"Key: {column.key}: {count} values cannot be divided into rows of {length}",
                column.op,
            )
        return [length] * (count // length)
    if isinstance(partition, RaggedFeature.RowLengths):
        result = list(own)
    elif isinstance(partition, RaggedFeature.RowSplits):
        result = np.diff(own).tolist()
    elif isinstance(partition, RaggedFeature.RowStarts):
        result = np.diff([*own, count]).tolist()
    elif isinstance(partition, RaggedFeature.RowLimits):
        result = np.diff([0, *own]).tolist()
    elif isinstance(partition, RaggedFeature.ValueRowIds):
        result = np.bincount(own).tolist() if own and min(own) >= 0 else []
    else:
        raise TypeError(f"Unsupported partition: {partition!r}")
    if sum(result) != count or any(length < 0 for length in result):
        raise invalid(
            f"Key: {column.key}: rows of lengths {result} do not divide {count} values", column.op
        )
    return result


def padded(column: Column, parts: list[Any], steps: int, step: list[int], default: Any) -> Tensor:
    """Sequences as rows of one length, padded with a default."""
    width = int(np.prod(step))
    if default is None:
        default = b"" if column.dtype is dtypes.string else 0
    else:
        default = _core.convert(default, column.dtype, None).numpy()
    kind = object if column.dtype is dtypes.string else column.dtype.as_numpy_dtype
    result: np.ndarray = np.full((len(parts), steps * width), default, kind)
    for row, part in enumerate(parts):
        if part is not None and len(part):
            result[row, : len(part)] = column.array(part)
    return column.of(result, [len(parts), steps, *step])


def serialized_list(serialized: TensorLike, op: str) -> tuple[list[bytes], bool]:
    """The strings to parse, and whether they are a batch.

    Raises:
        tf.errors.InvalidArgumentError: if they are neither a scalar nor a vector of strings.
    """
    items, shape = strings_of(serialized, op)
    if len(shape) > 1:
        text = ",".join(map(str, shape))
        raise invalid(f"Expected serialized to be a scalar or vector, got shape: [{text}]", op)
    return items, bool(shape)


def _example_specs(
    serialized: TensorLike, features: Any, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    return feature_specs.specs_of(features, feature_specs.batch_of(serialized))


def _single_specs(
    serialized: TensorLike, features: Any, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    # Of one message even if nothing but the run knows the rank.
    rank_unknown = _core.convert(serialized, None, dtypes.string).shape.rank is None
    return _example_specs("" if rank_unknown else serialized, features)


@op_function(in_graph=on_host(_example_specs))
def parse_example(
    serialized: TensorLike, features: Any, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    """Parses Example messages.

    Args:
        serialized: a vector of strings, each an Example, or a scalar.
        features: what to parse: a dictionary of `tf.io.FixedLenFeature`, `VarLenFeature`,
            `SparseFeature`, `FixedLenSequenceFeature` and `RaggedFeature` by name.

    Returns:
        A dictionary with a dense, sparse or ragged tensor for each feature, whose first axis is
        that of `serialized`.

    Raises:
        ValueError: if `features` is empty, or a description incomplete.
        tf.errors.InvalidArgumentError: if a string is no Example, or lacks a feature, or holds
            values of another count or kind.

    >>> example = tf.train.Example()
    >>> example.features.feature["x"].int64_list.value.extend([1, 2])
    >>> data = example.SerializeToString()
    >>> tf.io.parse_example([data], {"x": tf.io.FixedLenFeature([2], tf.int64)})["x"].numpy()
    array([[1, 2]])
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    op = "ParseExampleV2"
    plan = dense_plan(features)
    parsed = None if plan is None else plan.parse(serialized)
    if parsed is not None:
        return parsed
    items, batch = serialized_list(serialized, op)
    examples = [message_of("Example", item, op).features.feature for item in items]
    return Parser(features, op, batch).parse(examples)


@op_function(in_graph=on_host(_single_specs))
def parse_single_example(
    serialized: TensorLike, features: Any, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    """Parses one Example message.

    Args:
        serialized: a scalar string.
        features: what to parse, as in `tf.io.parse_example`.

    Returns:
        A dictionary with a dense, sparse or ragged tensor for each feature.

    Raises:
        ValueError: if `features` is empty, or a description incomplete.
        tf.errors.InvalidArgumentError: if the string is no Example, or lacks a feature, or holds
            values of another count or kind.

    >>> example = tf.train.Example()
    >>> example.features.feature["x"].float_list.value.append(1.5)
    >>> data = example.SerializeToString()
    >>> tf.io.parse_single_example(data, {"x": tf.io.FixedLenFeature([], tf.float32)})["x"]
    <tf.Tensor: shape=(), dtype=float32, numpy=1.5>
    """
    if not features:
        raise ValueError("Missing features.")
    op = "ParseExampleV2"
    serialized = _core.convert(serialized, None, dtypes.string)
    if serialized.ndim:
        raise ValueError(
            f"Input serialized must be a scalar, got shape {serialized.shape}; use "
            "tf.io.parse_example for several messages"
        )
    plan = dense_plan(features) if serialized.ndim == 0 else None
    parsed = None if plan is None else plan.parse(serialized)
    if parsed is not None:
        return parsed
    items, batch = serialized_list(serialized, op)
    if batch:
        raise invalid("Expected serialized to be a scalar", op)
    examples = [message_of("Example", item, op).features.feature for item in items]
    return Parser(features, op, False).parse(examples)


@op_function(in_graph=on_host(shaped_like(dtypes.string)))
def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Examples in JSON as Example messages.

    Args:
        json_examples: strings.

    Raises:
        tf.errors.InvalidArgumentError: if a string is no Example in JSON.

    >>> tf.io.decode_json_example('{"features": {"feature": {}}}')
    <tf.Tensor: shape=(), dtype=string, numpy=b'\\n\\x00'>
    """
    json_format = protobuf("json_format")
    items, shape = strings_of(json_examples, "DecodeJSONExample")
    results = []
    for item in items:
        try:
            message = json_format.Parse(item, MESSAGES["Example"]())
        except (json_format.ParseError, UnicodeDecodeError) as error:
            raise invalid(f"Error while parsing JSON: {error}", "DecodeJSONExample") from None
        results.append(message.SerializeToString())
    return strings_tensor(results, shape)
