"""Helpers: what a decoder is fed at each step, and how its outputs become ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array
from eagerflow.ops.nn.embedding import embedding_lookup
from eagerflow.ops.random.stateful import categorical, uniform
from eagerflow.typing import DTypeLike, Structure, TensorLike

_ops = _core.ops


class Helper:
    """Base class of helpers."""

    @property
    def batch_size(self) -> _core.Tensor:
        """The number of rows, a scalar."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of the ids of a row."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> DTypeLike:
        """The dtype of the ids."""
        return "int32"

    def initialize(self, name: str | None = None) -> tuple[_core.Tensor, Structure]:
        """Which rows have ended, and the first inputs."""
        raise NotImplementedError("initialize has not been implemented")

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        """The ids that outputs stand for."""
        raise NotImplementedError("sample has not been implemented")

    def next_inputs(
        self, time: Any, outputs: Any, state: Structure, sample_ids: Any, name: str | None = None
    ) -> tuple[_core.Tensor, Structure, Structure]:
        """Which rows have ended, the next inputs, and the next state."""
        raise NotImplementedError("next_inputs has not been implemented")


class CustomHelper(Helper):
    """A helper of functions.

    Args:
        initialize_fn: returns which rows have ended, and the first inputs.
        sample_fn: takes `time, outputs, state`; returns ids.
        next_inputs_fn: takes `time, outputs, state, sample_ids`; returns which rows have ended, the
            next inputs and the next state.
        sample_ids_shape: the shape of the ids of a row; by default one id.
        sample_ids_dtype: of the ids, by default int32.
    """

    def __init__(
        self,
        initialize_fn: Callable[[], tuple[Any, Any]],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., tuple[Any, Any, Any]],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._ids_shape = TensorShape(sample_ids_shape or [])
        self._ids_dtype = sample_ids_dtype or "int32"
        self._batch_size: _core.Tensor | None = None

    @property
    def batch_size(self) -> _core.Tensor:
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        return self._ids_shape

    @property
    def sample_ids_dtype(self) -> DTypeLike:
        return self._ids_dtype

    def initialize(self, name: str | None = None) -> tuple[_core.Tensor, Structure]:
        finished, inputs = self._initialize_fn()
        self._batch_size = array.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Structure, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


def _argmax(outputs: TensorLike) -> _core.Tensor:
    return _ops.argmax(outputs, -1, "int32")


class TrainingHelper(Helper):
    """Feeds given inputs, as in training.

    Args:
        inputs: `[batch, time, ...]`, or a nested structure of such tensors.
        sequence_length: `[batch]`, how many of the steps count.
        time_major: whether time comes first.
        name: accepted.

    Raises:
        ValueError: if the lengths are no vector.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None
    ) -> None:
        self._lengths = _core.as_tensor(sequence_length)
        if self._lengths.shape.rank not in (None, 1):
            raise ValueError(
                f"Expected sequence_length to be a vector, but received shape: {self._lengths.shape}"
            )
        self._inputs = nest.map_structure(
            lambda x: _core.as_tensor(x) if time_major else _time_first(x), inputs
        )
        self._steps = array.shape(nest.flatten(self._inputs)[0])[0]

    @property
    def batch_size(self) -> _core.Tensor:
        return array.size(self._lengths)

    def _at(self, time: TensorLike) -> tuple[_core.Tensor, Any]:
        """Which rows have ended at a time, and the inputs: zeros once all rows have."""
        finished = _ops.greater_equal(_ops.cast(time, self._lengths.dtype), self._lengths)
        ended = _ops.reduce_all(finished)
        position = _ops.minimum(time, self._steps - 1)

        def inputs_of(x: Any) -> _core.Tensor:
            found = x[position]
            return _ops.select(ended, _ops.zeros_like(found), found)

        return finished, nest.map_structure(inputs_of, self._inputs)

    def initialize(self, name: str | None = None) -> tuple[_core.Tensor, Structure]:
        return self._at(_core.as_tensor(0))

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        return _argmax(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Structure, sample_ids: Any, name: str | None = None
    ) -> tuple[_core.Tensor, Structure, Structure]:
        finished, inputs = self._at(time + 1)
        return finished, inputs, state


def _time_first(x: Any) -> Any:
    x = _core.as_tensor(x)
    return _ops.transpose(x, [1, 0, *range(2, x.shape.rank)])


def embedding_function(embedding: Any) -> Callable[[_core.Tensor], _core.Tensor]:
    """What makes inputs of ids: the function that is given, or lookups in the table that is."""
    return embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)


def _columns(flags: Any, like: Any) -> Any:
    """Flags of rows, in the rank of a tensor of rows."""
    return _ops.reshape(flags, [-1] + [1] * (like.shape.rank - 1))


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds given inputs, or with some probability embeddings of sampled ids (Bengio et al., 2015).

    Args:
        inputs: `[batch, time, depth]`.
        sequence_length: `[batch]`, how many of the steps count.
        embedding: a function of ids, or a table of rows.
        sampling_probability: a scalar.
        time_major: whether time comes first.
        seed: of the sampled ids.
        scheduling_seed: of the choice.
        name: accepted.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: TensorLike,
        embedding: TensorLike | Callable[..., _core.Tensor],
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(inputs, sequence_length, time_major)
        self._embed = embedding_function(embedding)
        self._probability = sampling_probability
        self._seed = seed
        self._scheduling_seed = scheduling_seed

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        """Sampled ids of the rows that are to be fed with them; -1 for the others."""
        chosen = uniform([self.batch_size], seed=self._scheduling_seed) < self._probability
        ids = categorical(outputs, 1, dtype="int32", seed=self._seed)[:, 0]
        return _ops.select(chosen, ids, _ops.fill(-1, array.shape(ids)))

    def next_inputs(
        self, time: Any, outputs: Any, state: Structure, sample_ids: Any, name: str | None = None
    ) -> tuple[_core.Tensor, Structure, Structure]:
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids)
        sampled = _core.as_tensor(self._embed(_ops.maximum(sample_ids, 0)))
        chosen = _columns(_ops.greater_equal(sample_ids, 0), sampled)
        return finished, _ops.select(chosen, _ops.cast(sampled, given.dtype), given), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Feeds given inputs, or with some probability the last outputs.

    Args:
        inputs: `[batch, time, depth]`.
        sequence_length: `[batch]`, how many of the steps count.
        sampling_probability: a scalar.
        time_major: whether time comes first.
        seed: of the choice.
        next_inputs_fn: makes inputs of outputs; by default they are the outputs.
        auxiliary_inputs: `[batch, time, ...]`, joined to the inputs in both cases.
        name: accepted.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: TensorLike,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Callable[[_core.Tensor], _core.Tensor] | None = None,
        auxiliary_inputs: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        self._auxiliary = None
        if auxiliary_inputs is not None:
            given = _core.as_tensor(auxiliary_inputs)
            self._auxiliary = given if time_major else _time_first(given)
            inputs = _ops.concat([_core.as_tensor(inputs), given], -1)
        super().__init__(inputs, sequence_length, time_major)
        self._probability = sampling_probability
        self._seed = seed
        self._next_inputs_fn = next_inputs_fn

    @property
    def sample_ids_dtype(self) -> DTypeLike:
        return "bool"

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        """Which rows are fed with their outputs."""
        return uniform([self.batch_size], seed=self._seed) < self._probability

    def next_inputs(
        self, time: Any, outputs: Any, state: Structure, sample_ids: Any, name: str | None = None
    ) -> tuple[_core.Tensor, Structure, Structure]:
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids)
        own = outputs if self._next_inputs_fn is None else self._next_inputs_fn(outputs)
        if self._auxiliary is not None:
            own = _ops.concat([own, self._auxiliary[_ops.minimum(time + 1, self._steps - 1)]], -1)
        return finished, _ops.select(_columns(sample_ids, given), own, given), state


class GreedyEmbeddingHelper(Helper):
    """Feeds the embeddings of the likeliest ids.

    Args:
        embedding: a function of ids, or a table of rows.
        start_tokens: `[batch]`, the first ids.
        end_token: the id that ends a row, a scalar.

    Raises:
        ValueError: if the first ids are no vector or the last is no scalar.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embed = embedding_function(embedding)
        self._start_tokens = _core.convert(start_tokens, "int32", None)
        self._end_token = _core.convert(end_token, "int32", None)
        if self._start_tokens.shape.rank not in (None, 1):
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank not in (None, 0):
            raise ValueError("end_token must be a scalar")
        self._start_inputs = self._embed(self._start_tokens)

    @property
    def batch_size(self) -> _core.Tensor:
        return array.size(self._start_tokens)

    def initialize(self, name: str | None = None) -> tuple[_core.Tensor, Structure]:
        return _ops.fill(False, array.shape(self._start_tokens)), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        return _argmax(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Structure, sample_ids: Any, name: str | None = None
    ) -> tuple[_core.Tensor, Structure, Structure]:
        finished = _ops.equal(sample_ids, self._end_token)
        ids = _ops.select(_ops.reduce_all(finished), self._start_tokens, sample_ids)
        return finished, self._embed(ids), state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds the embeddings of sampled ids.

    Args:
        embedding: a function of ids, or a table of rows.
        start_tokens: `[batch]`, the first ids.
        end_token: the id that ends a row, a scalar.
        softmax_temperature: what logits are divided by; above 1, unlikely ids come more often.
        seed: of the sampled ids.
    """

    def __init__(
        self,
        embedding: TensorLike | Callable[..., _core.Tensor],
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        logits = outputs if self._temperature is None else outputs / self._temperature
        return categorical(logits, 1, dtype="int32", seed=self._seed)[:, 0]


class InferenceHelper(Helper):
    """Feeds what a function samples.

    Args:
        sample_fn: makes samples of outputs.
        sample_shape: of a row's sample.
        sample_dtype: of the samples.
        start_inputs: the first inputs, `[batch, ...]`.
        end_fn: tells of samples which rows have ended.
        next_inputs_fn: makes inputs of samples; by default they are the samples.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[_core.Tensor], _core.Tensor] | None = None,
    ) -> None:
        self._sample_fn = sample_fn
        self._sample_shape = TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._start_inputs = _core.as_tensor(start_inputs)
        self._end_fn = end_fn
        self._next_inputs_fn = next_inputs_fn

    @property
    def batch_size(self) -> _core.Tensor:
        return array.shape(self._start_inputs)[0]

    @property
    def sample_ids_shape(self) -> TensorShape:
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> DTypeLike:
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> tuple[_core.Tensor, Structure]:
        return _ops.fill(False, _ops.expand_dims(self.batch_size, 0)), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Structure, name: str | None = None) -> Any:
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Structure, sample_ids: Any, name: str | None = None
    ) -> tuple[_core.Tensor, Structure, Structure]:
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state
