"""Tables that map keys to values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import FailedPreconditionError, InvalidArgumentError
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import eagerly, is_symbolic
from eagerflow.framework.host_call import now_or_node
from eagerflow.framework.module import Module
from eagerflow.framework.operation import Operation
from eagerflow.framework.trackable import TrackableResource, ValueParts
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.lookup.initializers import constant_of, contents_of
from eagerflow.ops import control_flow
from eagerflow.ops.array import invalid_argument
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import TensorLike
from eagerflow.util import lazy

hashing = lazy.Module("eagerflow.strings.hashing")  # used by few programs

_ops = _core.ops
Tensor = _core.Tensor


def _is_sparse(value: TensorLike) -> bool:
    return hasattr(value, "indices") and hasattr(value, "dense_shape")


def _listed(tensor: Tensor) -> list[Any]:
    return np.asarray(tensor.numpy()).reshape(-1).tolist()


_NUMBER = TensorSpec([], dtypes.int64)


def mapped(function: Callable[[Tensor], Tensor], keys: Any, dtype: Any) -> Any:
    """Looks up the values of dense, sparse or ragged keys.

    Raises:
        TypeError: if the keys have another dtype.
    """
    if isinstance(keys, RaggedTensor):
        return keys.with_flat_values(mapped(function, keys.flat_values, dtype))
    if _is_sparse(keys):
        values = mapped(function, keys.values, dtype)
        return type(keys)(keys.indices, values, keys.dense_shape)
    given = dtypes.result_dtype(keys)
    if given is not None and given is not dtype:
        raise TypeError(f"Dtype of argument `keys` must be {dtype}, received: {given}")
    return function(_core.convert(keys, dtype, None))


class Table(Module, TrackableResource):
    """What all tables have."""

    _key_dtype: dtypes.DType
    _value_dtype: dtypes.DType
    _table: _core.Table

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self._name_given = name

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> Any:
        """The `name` of the constructor, or None."""
        return self._name_given

    def __getitem__(self, keys: TensorLike) -> Any:
        return self.lookup(keys)  # type: ignore[attr-defined]

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys, an int64 scalar."""
        return now_or_node(self._size, _NUMBER, "LookupTableSize")

    def _size(self) -> Tensor:
        return _core.convert(len(self._table), dtypes.int64, None)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values."""
        specs = (
            TensorSpec([None], self._key_dtype),
            TensorSpec([None, *self._value_sizes()], self._value_dtype),
        )
        return now_or_node(self._items, specs, "LookupTableExport")

    def _items(self) -> tuple[Tensor, Tensor]:
        return self._table.items()

    # In graphs that compute keys or values: the operation that fills the table.
    _initialization: Operation | None = None

    @property
    def initializer(self) -> Operation | None:
        """In a program's graph the operation that fills the table, or one that has nothing to do."""
        return self._initialization or control_flow.no_op("init")

    def _initialize(self, initializer: Any, key_dtype: dtypes.DType) -> None:
        """Fills the table: now, or in each run of a function that computes its keys or values."""
        initialize = getattr(initializer, "initialize", None)
        if initialize is not None:  # A program's own class fills the table as it likes.
            self._table = _core.Table(key_dtype, self._value_dtype, [])
            initialize(self)
            return

        def begin(keys: Tensor, values: Tensor) -> None:
            self._table = _core.Table(key_dtype, self._value_dtype, [])
            self._fill(_ops.reshape(keys, [-1]), _ops.reshape(values, [-1]))

        with eagerly():
            contents = contents_of(initializer)
        if any(map(is_symbolic, contents)):
            self._table = _core.Table(key_dtype, self._value_dtype, [])
            self._initialization = now_or_node(begin, None, "InitializeTable", *contents)
            return
        with eagerly():
            begin(*contents)

    def _fill(self, keys: Tensor, values: Tensor) -> None:
        self._table.insert(keys, values)

    def _value_sizes(self) -> tuple[int, ...]:
        """The shape of each value."""
        return ()

    def _found(self, find: Callable[..., Tensor], keys: Tensor, *defaults: object) -> Tensor:
        """What `find(keys, *defaults)` returns, which reads the table."""

        def spec() -> TensorSpec:
            return TensorSpec(keys.shape.concatenate(self._value_sizes()), self._value_dtype)

        return now_or_node(find, spec, "LookupTableFind", keys, *defaults)


class StaticHashTable(Table):
    """A table that does not change.

    Args:
        initializer: its keys and values.
        default_value: the value of keys that are not in it.
        name: a name.

    Raises:
        tf.errors.FailedPreconditionError: if a key has two values.

    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1
    ... )
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(name)
        self._initializer = initializer
        self._key_dtype, self._value_dtype = initializer.key_dtype, initializer.value_dtype
        self._default_value = constant_of(default_value, self._value_dtype)
        if self._default_value.ndim:
            raise ValueError(f"default_value must be a scalar, got {default_value}")
        self._initialize(initializer, self._key_dtype)

    def _fill(self, keys: Tensor, values: Tensor) -> None:
        other = self._table.insert(keys, values, True)
        if other >= 0:
            key = keys[other]
            raise FailedPreconditionError._of(
                f"HashTable has different value for same key. Key {_shown(key.numpy())} has "
                f"{_shown(self._find(key, self._default_value).numpy())} and trying to add value "
                f"{_shown(values[other].numpy())}"
            )

    def import_pairs(self, keys: TensorLike, values: TensorLike) -> Operation | None:
        """Adds the keys and values of an initializer.

        Args:
            keys: a tensor of keys.
            values: their values.

        Returns:
            The operation in a graph, otherwise None.
        """
        return now_or_node(self._fill, None, "LookupTableImport", keys, values)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not in the table."""
        return self._default_value

    @property
    def resource_handle(self) -> StaticHashTable:
        """The table itself: there is no other resource behind it."""
        return self

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The values of keys.

        Args:
            keys: a tensor, or a ragged or sparse one.

        Raises:
            TypeError: if the keys have another dtype than those of the table.
        """

        def find(dense: Tensor) -> Tensor:
            return self._found(self._find, dense, self._default_value)

        return mapped(find, keys, self._key_dtype)

    def _find(self, keys: Tensor, default: Tensor) -> Tensor:
        return self._table.find(keys, default)


def _shown(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class StaticVocabularyTable(Table):
    """A table of the ids of words, in which unknown words share a few further ids.

    Args:
        initializer: the words and their ids, int64 from 0 on; None for no words.
        num_oov_buckets: the number of ids for unknown words, which FarmHash selects.
        lookup_key_dtype: the dtype of the keys in lookups; by default that of the words, and
            string without words.
        name: a name.

    Raises:
        ValueError: if there are no further ids.
        TypeError: if the ids are not int64.

    >>> table = tf.lookup.StaticVocabularyTable(
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)),
    ...     num_oov_buckets=1,
    ... )
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([1, 2])
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(name)
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        key_dtype = None if lookup_key_dtype is None else dtypes.as_dtype(lookup_key_dtype)
        self._initializer = initializer
        self._num_oov_buckets = num_oov_buckets
        self._value_dtype = dtypes.int64
        if initializer is None:
            key_dtype = key_dtype or dtypes.string
            self._key_dtype = self._known_dtype = key_dtype
            self._table = _core.Table(key_dtype, dtypes.int64, [])
            return
        if initializer.value_dtype is not dtypes.int64:
            raise TypeError(
                f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}."
            )
        known = initializer.key_dtype
        if key_dtype is None:
            key_dtype = known
        elif key_dtype.is_integer != known.is_integer:
            raise TypeError(
                f"Invalid `key_dtype`, expected {known} or another integer type, got {key_dtype}"
            )
        self._key_dtype, self._known_dtype = key_dtype, known
        self._initialize(initializer, known)

    @property
    def num_oov_buckets(self) -> int:
        """How many ids the unknown words share."""
        return self._num_oov_buckets

    @property
    def resource_handle(self) -> StaticVocabularyTable:
        """The table itself: there is no other resource behind it."""
        return self

    def _size(self) -> Tensor:
        # With the ids of unknown words.
        return _core.convert(len(self._table) + self._num_oov_buckets, dtypes.int64, None)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The ids of words.

        Args:
            keys: a tensor, or a ragged or sparse one.

        Raises:
            TypeError: if the keys have another dtype.
        """
        return mapped(lambda dense: self._found(self._find, dense), keys, self._key_dtype)

    def _find(self, keys: Tensor) -> Tensor:
        known = keys if keys.dtype is self._known_dtype else _ops.cast(keys, self._known_dtype)
        ids = self._table.find(known, _core.convert(-1, dtypes.int64, None))
        if not ids._size or int(_ops.reduce_min(ids)) >= 0:
            return ids
        # Integers are hashed as decimal strings.
        texts = keys if keys.dtype is dtypes.string else _ops.string_of_number(keys)
        shared = _ops.string_hash(texts, self._num_oov_buckets, "farm")
        shared = _ops.add(shared, len(self._table))
        return _ops.select(self._table.contains(known), ids, shared)


class MutableHashTable(Table):
    """A table that programs change.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of missing keys; all values have its shape.
        name: a name.
        checkpoint: whether checkpoints of objects that have the table have its contents.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a"], [5])
    >>> table.lookup(tf.constant(["a", "b"])).numpy()
    array([ 5, -1])
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(name)
        self._key_dtype, self._value_dtype = (
            dtypes.as_dtype(key_dtype),
            dtypes.as_dtype(value_dtype),
        )
        self._default_value = constant_of(default_value, self._value_dtype)
        self._table = _core.Table(self._key_dtype, self._value_dtype, self._value_sizes())
        self._is_saved = checkpoint

    def _checkpoint_values(self) -> dict[str, ValueParts]:
        """The keys and values, as TensorFlow's checkpoints have them."""
        if not self._is_saved:
            return {}
        return {"table": ValueParts(("-keys", "-values"), self._stored, self._restore)}

    def _stored(self) -> dict[str, Tensor]:
        with eagerly():
            keys, values = self._items()
        return {"-keys": keys, "-values": values}

    def _restore(self, parts: dict[str, Tensor]) -> None:
        with eagerly():
            self._table = _core.Table(self._key_dtype, self._value_dtype, self._value_sizes())
            self._insert(parts["-keys"], parts["-values"])

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not in it."""
        return self._default_value

    def _value_sizes(self) -> tuple[int, ...]:
        return self._default_value._shape_tuple()

    @property
    def resource_handle(self) -> MutableHashTable:
        """The table itself: there is no other resource behind it."""
        return self

    def _checked(self, keys: Tensor) -> Tensor:
        """Keys that the table can hold."""
        return keys

    def _keys(self, keys: TensorLike) -> Tensor:
        return _core.convert(keys, self._key_dtype, None)

    def import_pairs(self, keys: TensorLike, values: TensorLike) -> Operation | None:
        """Inserts the keys and values of an initializer."""
        return self.insert(keys, values)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation | None:
        """Sets the values of keys.

        Args:
            keys: a tensor of keys.
            values: their values.

        Returns:
            The operation in a graph, otherwise None.

        Raises:
            TypeError: for other dtypes.
            tf.errors.InvalidArgumentError: if the shapes do not fit.
        """
        keys = self._keys(keys)
        values = _core.convert(values, self._value_dtype, None)
        return now_or_node(self._insert, None, "LookupTableInsert", keys, values)

    def _insert(self, keys: Tensor, values: Tensor) -> None:
        expected = (*keys._shape_tuple(), *self._value_sizes())
        if values._shape_tuple() != expected:
            raise invalid_argument(
                f"Expected shape {list(expected)} for value, got {list(values._shape_tuple())}"
            )
        self._table.insert(self._checked(keys), values)

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """The values of keys.

        Args:
            keys: a tensor, or a ragged or sparse one.
            dynamic_default_values: the values of missing keys: one for each key, or one for
                all.

        Raises:
            TypeError: if the keys have another dtype.
        """
        return mapped(
            lambda dense: self._found(self._find, dense, dynamic_default_values),
            keys,
            self._key_dtype,
        )

    def _find(self, keys: Tensor, defaults: Any) -> Tensor:
        default = self._default_value
        if defaults is not None:
            default = _core.convert(defaults, self._value_dtype, None)
            inner = self._value_sizes()
            whole = (*keys._shape_tuple(), *inner)
            if default._shape_tuple() not in (inner, whole):
                default = _ops.broadcast_to(default, whole)
        return self._table.find(self._checked(keys), default)

    def remove(self, keys: TensorLike, name: str | None = None) -> Operation | None:
        """Removes keys; missing keys are ignored.

        Args:
            keys: a tensor of keys.

        Returns:
            The operation in a graph, otherwise None.

        Raises:
            TypeError: for another dtype.
        """
        given = dtypes.result_dtype(keys)
        if given is not None and given is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {given}"
            )
        return now_or_node(self._remove, None, "LookupTableRemove", self._keys(keys))

    def _remove(self, keys: Tensor) -> None:
        self._table.remove(self._checked(keys))


_LEAST_SLOTS = 1024


def _slots(numbers: list[int], count: int) -> list[list[int]]:
    """A free slot for each key: where it is first looked for, or the next by quadratic probing."""
    taken: set[int] = set()
    found = []
    for number in numbers:
        slot, step = number, 0
        while slot in taken:
            step += 1
            slot = (slot + step) % count
        taken.add(slot)
        found.append([slot])
    return found


class DenseHashTable(MutableHashTable):
    """A table that programs change, in which two keys are never used.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of keys that are not in it.
        empty_key: a key that marks a free slot, and must not be used.
        deleted_key: another key that marks the slot of a removed key.
        name: a name.
        checkpoint: whether checkpoints of objects that have the table have its contents.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1
    ... )
    >>> table.insert([5], [50])
    >>> table.lookup(tf.constant([5, 6], tf.int64)).numpy()
    array([50, -1])
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint)
        self._empty = constant_of(empty_key, self._key_dtype)
        self._deleted = constant_of(deleted_key, self._key_dtype)
        if self._empty.numpy() == self._deleted.numpy():
            raise invalid_argument("Empty and deleted keys cannot be equal")

    @property
    def reserved_keys(self) -> tuple[Tensor, Tensor]:
        """The two reserved keys: of free slots, and of slots of removed keys."""
        return self._empty, self._deleted

    def _stored(self) -> dict[str, Tensor]:
        """The slots of TensorFlow's table: it reads them as they are."""
        with eagerly():
            keys, values = self._items()
            count = _LEAST_SLOTS
            while count < 2 * len(keys):
                count *= 2
            slots = _slots(self._slot_numbers(keys, count), count)
            rows = _ops.reshape(values, [len(keys), -1])
            whole_keys = _ops.broadcast_to(_ops.reshape(self._empty, [1, 1]), [count, 1])
            whole_values = _ops.zeros([count, rows._shape_tuple()[1]], self._value_dtype)
            places = _core.convert(slots, dtypes.int32, None)
            return {
                "-keys": _ops.tensor_scatter_nd_update(
                    whole_keys, places, _ops.reshape(keys, [-1, 1])
                ),
                "-values": _ops.tensor_scatter_nd_update(whole_values, places, rows),
            }

    def _slot_numbers(self, keys: Tensor, count: int) -> list[int]:
        """The slot in which TensorFlow first looks for each key, of a power of two."""
        if self._key_dtype is dtypes.string:
            return hashing.to_hash_bucket(keys, count).numpy().tolist()
        return [key % count for key in keys.numpy().tolist()]

    def _restore(self, parts: dict[str, Tensor]) -> None:
        with eagerly():
            keys = _ops.reshape(parts["-keys"], [-1])
            used = _ops.logical_and(
                _ops.not_equal(keys, self._empty), _ops.not_equal(keys, self._deleted)
            )
            places = _ops.reshape(_ops.where_indices(used), [-1])
            values = _ops.gather(parts["-values"], places)
            sizes = [places._shape_tuple()[0], *self._value_sizes()]
            kept = {"-keys": _ops.gather(keys, places), "-values": _ops.reshape(values, sizes)}
        super()._restore(kept)

    def _checked(self, keys: Tensor) -> Tensor:
        for what, forbidden in (("empty_key", self._empty), ("deleted_key", self._deleted)):
            if bool(_ops.reduce_any(_ops.equal(keys, forbidden))):
                raise InvalidArgumentError._of(f"Using the {what} as a table key is not allowed")
        return keys

    def erase(self, keys: TensorLike, name: str | None = None) -> Operation | None:
        """Removes keys; the same as `remove`."""
        return self.remove(keys)

    def insert_or_assign(
        self, keys: Any, values: TensorLike, name: str | None = None
    ) -> Operation | None:
        """Sets the values of keys; the same as `insert`."""
        return self.insert(keys, values)
