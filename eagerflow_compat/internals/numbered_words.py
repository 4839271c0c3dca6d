"""tensorflow.python.ops.lookup_ops: further numbers for what a table does not have."""

from __future__ import annotations

from typing import Any, NamedTuple

from eagerflow import _core, strings
from eagerflow.framework import dtypes
from eagerflow.ops.conversion import convert_to_tensor

__all__ = ["FastHashSpec", "HasherSpec", "IdTableWithHashBuckets", "StrongHashSpec"]

_ops = _core.ops


class HasherSpec(NamedTuple):
    """How words are hashed.

    Args:
        hasher: "fasthash" or "stronghash".
        key: for the second, two integers.
    """

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A hash whose results cannot be foreseen without its key.

    Args:
        key: two integers.
    """

    __slots__ = ()

    def __new__(cls, key: Any) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, got {len(key)}.")
        return super().__new__(cls, "stronghash", list(key))


class IdTableWithHashBuckets:
    """A table that gives other words the numbers after its own, by their hashes.

    Args:
        table: from words to numbers, or None.
        num_oov_buckets: how many further numbers there are.
        hasher_spec: how other words are hashed.
        name: a name.
        key_dtype: the dtype of the words, without a table.

    Raises:
        ValueError: without a table and further numbers.
        TypeError: for another kind of hash.
    """

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if table is None and num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0 if no vocabulary_file is provided.")
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        self._table, self._count, self._hasher_spec = table, num_oov_buckets, hasher_spec
        known = dtypes.string if table is None else table.key_dtype
        self.key_dtype = known if key_dtype is None else dtypes.as_dtype(key_dtype)
        self.value_dtype = dtypes.int64
        self.name = name

    @property
    def initializer(self) -> Any:
        """What fills the table."""
        return None if self._table is None else self._table.initializer

    def size(self, name: str | None = None) -> Any:
        """How many numbers there are."""
        own = 0 if self._table is None else self._table.size()
        return _ops.add(convert_to_tensor(own, dtypes.int64), self._count)

    def _hashed(self, words: Any) -> Any:
        if self._hasher_spec.hasher == "fasthash":
            return strings.to_hash_bucket_fast(words, self._count)
        return strings.to_hash_bucket_strong(words, self._count, self._hasher_spec.key)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of words."""
        keys = convert_to_tensor(keys)
        if self._table is None:
            return self._hashed(strings.as_string(keys) if keys.dtype.is_integer else keys)
        found = self._table.lookup(keys)
        if not self._count:
            return found
        words = strings.as_string(keys) if keys.dtype.is_integer else keys
        further = _ops.add(self._hashed(words), convert_to_tensor(self._table.size(), dtypes.int64))
        return _ops.select(_ops.equal(found, self._table.default_value), further, found)

    __getitem__ = lookup
