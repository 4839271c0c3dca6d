"""The base classes of feature columns, and the cache of a batch's features."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.composite import SparseTensorValue
from eagerflow.framework.host_call import hosted
from eagerflow.ops import array, assertions
from eagerflow.ops.control_flow import control_dependencies
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops


class FeatureColumn:
    """A part of a model's input (values, a vector or categories) that is made from features."""

    @property
    def name(self) -> str:
        """The column's name."""
        raise NotImplementedError

    @property
    def parents(self) -> list[Any]:
        """The columns and the features' names that the column is made from."""
        raise NotImplementedError

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The specification of the column's features for `tf.io.parse_example`."""
        raise NotImplementedError

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The column's transformed features; callers read them from the cache.

        Args:
            transformation_cache: returns features by name, and the results of other columns.
            state_manager: keeps the column's variables.
        """
        raise NotImplementedError

    def create_state(self, state_manager: StateManager) -> None:
        """Creates the column's variables, if it has any."""

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a column like this one."""
        raise NotImplementedError("Must be implemented in subclasses.")

    @classmethod
    def from_config(
        cls,
        config: dict[str, Any],
        custom_objects: dict[str, Any] | None = None,
        columns_by_name: dict[str, Any] | None = None,
    ) -> Any:
        """A column from the result of `get_config`.

        Args:
            config: the configuration.
            custom_objects: a program's own functions and classes by name.
            columns_by_name: columns that have been made already.
        """
        raise NotImplementedError("Must be implemented in subclasses.")

    def __lt__(self, other: object) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column that produces a dense tensor."""

    @property
    def variable_shape(self) -> Any:
        """The shape of the column's tensor, without the batch axis."""
        raise NotImplementedError

    def get_dense_tensor(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The column's dense tensor, `[batch, *variable_shape]`."""
        raise NotImplementedError

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: object = None, trainable: object = None
    ) -> Any:
        """The dense tensor of a column without variables, which version 1's packages ask for so."""
        return self.get_dense_tensor(inputs, StateManager(None))


class SequenceDenseColumn(FeatureColumn):
    """A column that produces a dense tensor for each step of sequences."""

    TensorSequenceLengthPair = namedtuple(
        "TensorSequenceLengthPair", ["dense_tensor", "sequence_length"]
    )

    @property
    def variable_shape(self) -> Any:
        """The shape of one step."""
        raise NotImplementedError

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """A pair of the dense tensor `[batch, steps, *variable_shape]` and the lengths `[batch]`."""
        raise NotImplementedError


class CategoricalColumn(FeatureColumn):
    """A column that produces category ids."""

    IdWeightPair = namedtuple("IdWeightPair", ["id_tensor", "weight_tensor"])

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        raise NotImplementedError

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """A pair of the categories and their weights, sparse; None for weights of 1."""
        raise NotImplementedError


class TransformationCache:
    """The features of one batch, and the results of columns.

    Args:
        features: tensors, arrays and sparse tensors by name.
    """

    def __init__(self, features: dict[str, Any]) -> None:
        self._features = features
        self._made: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any, training: bool | _core.Tensor | None = None) -> Any:
        """A feature as a tensor of rank 2 or more, or a column's result.

        Args:
            key: a feature's name, or a column.
            state_manager: keeps the column's variables.
            training: ignored.

        Raises:
            ValueError: if there is no such feature, or it is a scalar.
            TypeError: if `key` is neither.
        """
        if key in self._made:
            return self._made[key]
        if isinstance(key, str):
            result = self._feature(key)
        elif isinstance(key, FeatureColumn):
            result = key.transform_feature(self, state_manager)
            if result is None:
                raise ValueError(f"Column {key.name} is not supported.")
        else:
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}.')
        self._made[key] = result
        return result

    def _feature(self, key: str) -> Any:
        if key not in self._features:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        value = self._features[key]
        if isinstance(value, SparseTensorValue):
            indices, values, shape = map(_core.as_tensor, value)
            value = SparseTensor(
                _ops.cast(indices, dtypes.int64), values, _ops.cast(shape, dtypes.int64)
            )
        if is_sparse(value):
            return _as_column(value) if value.shape.rank == 1 else value
        if hasattr(value, "to_sparse"):
            return value.to_sparse()
        if isinstance(value, np.ndarray) and value.dtype.kind == "U":
            value = value.astype(object)
        tensor = value if isinstance(value, _core.Tensor) else _core.as_tensor(value)
        message = f"Feature (key: {key}) cannot have rank 0. Given: {value}"
        if tensor.ndim is None:
            return _at_least_matrix(tensor, message)
        if tensor.ndim == 0:
            raise ValueError(message)
        return tensor if tensor.ndim > 1 else _ops.expand_dims(tensor, -1)


def _as_column(vector: SparseTensor) -> SparseTensor:
    """A sparse vector as a matrix of one column."""
    indices = _ops.concat([vector.indices, _ops.zeros_like(vector.indices)], 1)
    one = _core.convert([1], dtypes.int64, None)
    return SparseTensor(indices, vector.values, _ops.concat([vector.dense_shape, one], 0))


def _at_least_matrix(tensor: TensorLike, message: str) -> _core.Tensor:
    """A graph's tensor of unknown rank; vectors become matrices of one column."""
    rank = array.rank(tensor)
    # In a program's graph it returns an operation.
    checked: Any = assertions.assert_positive
    with control_dependencies([checked(rank, message)]):
        more = _ops.ones([_ops.maximum(2 - rank, 0)], dtypes.int32)
        return _ops.reshape(tensor, _ops.concat([_ops.shape(tensor), more], 0))


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse tensor."""
    return isinstance(value, SparseTensor)


def as_sparse(tensor: Any, ignored: Any = None) -> SparseTensor:
    """A sparse tensor of a dense one's elements.

    Args:
        tensor: a tensor; sparse ones are returned as they are.
        ignored: the value of absent elements; by default the empty string, and -1 for integers.
    """
    if is_sparse(tensor):
        return tensor
    dtype = tensor.dtype
    if ignored is None:
        ignored = b"" if dtype is dtypes.string else -1 if dtype.is_integer else 0
    return _elements_but(tensor, ignored)


@hosted(lambda tensor, ignored: SparseTensorSpec(tensor.shape, tensor.dtype))
def _elements_but(tensor: Any, ignored: Any) -> SparseTensor:
    """A sparse tensor of the elements that differ from a value."""
    array = tensor.numpy()
    indices = np.argwhere(array != ignored)
    values = _core.convert(array[tuple(indices.T)], tensor.dtype, None)
    return SparseTensor(indices, values, np.array(array.shape, np.int64))


class StateManager:
    """Holds the variables of columns; this one creates them on first use.

    Args:
        make: a function of a column, a name, a shape, a dtype, `trainable` and an initializer.
    """

    def __init__(self, make: Any) -> None:
        self._make = make
        self._variables: dict[Any, dict[str, Any]] = {}
        self._resources: dict[Any, dict[str, Any]] = {}

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """Makes a variable of a column.

        Raises:
            ValueError: if the column has one of that name.
        """
        known = self._variables.setdefault(feature_column, {})
        if name in known:
            raise ValueError("Variable already exists.")
        known[name] = self._make(feature_column, name, shape, dtype, trainable, initializer)
        return known[name]

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A variable of a column.

        Raises:
            ValueError: if the column has none of that name.
        """
        variables = self._variables.get(feature_column, {})
        if name not in variables:
            raise ValueError("Variable does not exist.")
        return variables[name]

    def variables_of(self, feature_column: Any) -> list[Any]:
        """All variables of a column."""
        return list(self._variables.get(feature_column, {}).values())

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Keeps any other object of a column."""
        self._resources.setdefault(feature_column, {})[name] = resource

    def has_resource(self, feature_column: Any, name: str) -> bool:
        """Whether a column has an object of that name."""
        return name in self._resources.get(feature_column, {})

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """An object of a column.

        Raises:
            ValueError: if the column has none of that name.
        """
        if not self.has_resource(feature_column, name):
            raise ValueError("Resource does not exist.")
        return self._resources[feature_column][name]


def checked_key(key: Any) -> None:
    """Raises if a feature's name is no string.

    Raises:
        ValueError: in that case.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_string_or_int(dtype: Any, prefix: str) -> None:
    """Raises if categories have a dtype that cannot be looked up.

    Raises:
        ValueError: in that case.
    """
    if dtype is not dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {shown(dtype)}.")


def shown(dtype: Any) -> str:
    """A dtype as messages show it."""
    return f"<dtype: '{dtype.name}'>"
