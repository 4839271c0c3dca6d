"""tf.data.Dataset: a sequence of elements that is described first and read afterwards."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.data.arguments import INFINITE, UNKNOWN
from eagerflow.data.context import Context
from eagerflow.data.creation import Creation
from eagerflow.data.cursor import Cursor
from eagerflow.data.functions import ElementFunction, traced_with_state
from eagerflow.data.iterator import (
    InitializableIterator,
    NumpyIterator,
    OwnedIterator,
    make_initializable_iterator,
)
from eagerflow.data.options import Options
from eagerflow.data.transformation import Transformation
from eagerflow.framework import context, dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TypeSpec
from eagerflow.util import advice, lazy
from eagerflow.util.class_signature import SignatureOfInit
from eagerflow.util.known_as import known_as
from eagerflow.util.text import Pictured

if TYPE_CHECKING:
    from eagerflow.util.pictures import Picture

# Imported when they are first used: they import this module.
fingerprint = lazy.Module("eagerflow.data.fingerprint")
in_graphs = lazy.Module("eagerflow.data.in_graphs")
plan = lazy.Module("eagerflow.data.plan")
# Imported when it is first used: few programs need it.
preview = lazy.Module("eagerflow.data.preview")


class DatasetType(SignatureOfInit):
    """The type of dataset classes: while a graph is built, a call of one may create a node.

    Programs may define dataset classes that have abstract bases, too.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Dataset:
        """A dataset of the class, or one that a graph refers to by its handle."""
        if _core.building() is None or cls is in_graphs.GraphDataset:
            return super().__call__(*args, **kwargs)
        return in_graphs.made(cls, args, kwargs)

    @property
    def _made(cls) -> Callable[..., Any]:
        """The factories of datasets."""
        return functools.partial(type.__call__, cls)


@known_as("tensorflow.python.data.ops.dataset_ops", "DatasetV2")
class Dataset(Creation, Transformation, Pictured, metaclass=DatasetType):
    """A sequence of elements: tensors, or tuples and dictionaries of them.

    A dataset is made from a source (`from_tensor_slices`, `from_generator`, files), and each
    transformation returns another dataset. Nothing is computed before iteration; then the
    entire pipeline is planned (`explain` shows how) and run. Notebooks show a dataset by its
    `element_spec` and its first five elements, for which the pipeline runs.

    >>> dataset = tf.data.Dataset.range(10).filter(lambda x: x % 2 == 0).batch(3)
    >>> for batch in dataset:
    ...     print(batch.numpy())
    [0 2 4]
    [6 8]
    """

    _public_name = ""
    _is_dataset = True  # marks datasets for modules of lower layers
    # Whether reading changes it; a traced function then creates a new one in every run.
    _has_state = False
    # Whether TensorFlow fuses it with a repetition that follows.
    _repeats_itself = False
    # Attributes that do not determine the elements.
    _passing: tuple[str, ...] = ("_name", "_own_options", "_spec")

    def __init__(self, variant_tensor: Any = None) -> None:
        self._inputs: tuple[Dataset, ...] = ()
        self._spec: Any = None
        self._own_options: Options | None = None
        self._name: str | None = None
        if isinstance(variant_tensor, Dataset):
            self._inputs = (variant_tensor,)

    # Defined by each kind of dataset.

    def _cursor(self, context: Context) -> Cursor:
        """A new cursor at the first element."""
        return self._inputs[0]._cursor(context)

    def _make_spec(self) -> Any:
        """The specs of the elements."""
        return self._inputs[0].element_spec

    def _count(self) -> int:
        """The number of elements, INFINITE or UNKNOWN."""
        return self._inputs[0]._count()

    def _stateful_operation(self) -> str | None:
        """The name of an operation in the functions whose results depend on more than elements."""
        parts = structure.flatten(tuple(vars(self).values()))
        functions = [part for part in parts if isinstance(part, ElementFunction)]
        stateful = [function.stateful_operation() for function in functions]
        stateful += [source._stateful_operation() for source in self._inputs]
        return next((name for name in stateful if name is not None), None)

    def _details(self) -> str:
        """The arguments that `explain` shows."""
        return ""

    def _how(self) -> str:
        """How this dataset will be run, for `explain`."""
        return ""

    @classmethod
    def _spec_of(cls, *args: Any, **kwargs: Any) -> Any:
        """The specs of the elements for arguments that have no values yet."""
        return cls._made(*args, **kwargs).element_spec

    # Members of all datasets.

    @property
    def element_spec(self) -> Any:
        """The specs of the elements, in their structure.

        Sizes that differ between elements, or that are not known before they are made, are None.

        >>> tf.data.Dataset.from_tensor_slices(([1, 2], [[1.0], [2.0]])).element_spec
        (TensorSpec(shape=(), dtype=tf.int32, name=None),
         TensorSpec(shape=(1,), dtype=tf.float32, name=None))
        """
        if self._spec is None:
            self._spec = (self._make_spec(),)
        return self._spec[0]

    def _is_map(self) -> bool:
        """Whether each element is a function's result for one element of the input."""
        return False

    def __iter__(self) -> Any:
        if _core.building() is not None:
            return in_graphs.iterate(self)
        return OwnedIterator(self)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """The number of elements.

        Raises:
            TypeError: if it is infinite or not known.
        """
        count = self._count()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __repr__(self) -> str:
        name = self._public_name or f"_{type(self).__name__}"
        return f"<{name} element_spec={self.element_spec}>"

    def _picture(self) -> Picture:
        return preview.table(self)

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def cardinality(self) -> _core.Tensor:
        """The number of elements, an int64 scalar.

        Returns:
            The count, or `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`.

        >>> tf.data.Dataset.range(42).batch(10).cardinality().numpy()
        np.int64(5)
        """
        if isinstance(self, in_graphs.GraphDataset):
            return in_graphs.cardinality(self)
        return _core.convert(self._count(), dtypes.int64, None)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator that turns the tensors of the elements into NumPy values.

        >>> list(tf.data.Dataset.from_tensor_slices(["a", "b"]).as_numpy_iterator())
        [b'a', b'b']

        Raises:
            TypeError: if elements hold anything but tensors and values that convert to arrays.
        """
        return NumpyIterator(self)

    def options(self) -> Options:
        """The options of this dataset and those it was made from."""
        merged = Options()
        for source in self._inputs:
            merged = merged.merge(source.options())
        return merged if self._own_options is None else merged.merge(self._own_options)

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same dataset with options set.

        Args:
            options: those that are set replace earlier ones.

        >>> options = tf.data.Options()
        >>> options.deterministic = False
        >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
        False
        """
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be a `tf.data.Options` object, got {options!r}.")
        return OptionsDataset(self, options)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Dataset:
        """Calls a function with this dataset.

        Args:
            transformation_func: returns a dataset for a dataset.

        Raises:
            TypeError: if it does not return a dataset.

        >>> list(tf.data.Dataset.range(5).apply(lambda ds: ds.take(2)).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        result = transformation_func(self)
        if not isinstance(result, Dataset):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}."
            )
        return result

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., object], name: str | None = None
    ) -> Any:
        """Combines all elements into one value.

        Args:
            initial_state: the first value, a structure of tensors.
            reduce_func: `(state, element) -> state`; an element that is a tuple is one argument.

        Returns:
            The last state.

        Raises:
            TypeError: if the function returns another structure or other dtypes.

        >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x).numpy()
        np.int64(10)
        """
        state = structure.strengthened(structure.normalize(initial_state))
        function, spec = traced_with_state(
            reduce_func,
            structure.spec_of(state),
            self.element_spec,
            "Dataset.reduce()",
            "reduce_func",
        )
        if _core.building() is not None:
            return in_graphs.reduce(self, state, spec, function)
        return self._reduced(state, function)

    def _reduced(self, state: Any, function: ElementFunction) -> Any:
        """The state that a traced function returns after all elements."""
        step = function.caller(_core.StreamStates())
        for element in OwnedIterator(self):
            state = step((state, element))
        return state

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
            tf.errors.InvalidArgumentError: if there are none or several.

        >>> tf.data.Dataset.from_tensors([1, 2]).get_single_element().numpy()
        array([1, 2], dtype=int32)
        """
        if _core.building() is not None:
            return in_graphs.single_element(self)
        elements = list(zip(range(2), OwnedIterator(self), strict=False))
        if not elements:
            raise errors.InvalidArgumentError._of("Dataset was empty.")
        if len(elements) > 1:
            raise errors.InvalidArgumentError._of("Dataset had more than one element.")
        return elements[0][1]

    def fingerprint(self) -> _core.Tensor:
        """A fingerprint of the pipeline's steps, data and functions, a uint64 scalar.

        >>> one, other = (tf.data.Dataset.range(3).map(lambda x, n=n: x + n) for n in (1, 2))
        >>> bool(one.fingerprint() == other.fingerprint())
        False
        """
        return _core.convert(fingerprint.fingerprint(self), dtypes.uint64, None)

    def explain(self) -> str:
        """How the pipeline will be run, a line for each step, the last step first.

        >>> print(tf.data.Dataset.from_tensor_slices([[1], [2]]).shuffle(2).batch(2).explain())
        Batch(2)                                   one gather a batch, by index
          Shuffle(2)                               on indices
            TensorSlice(2 slices of (2, 1) int32)
        """
        return plan.explain(self)

    def __debug_string__(self) -> str:
        return self.explain()

    # The TensorFlow 1 spelling.

    @property
    def output_types(self) -> tuple[dtypes.DType, dtypes.DType]:
        """The dtypes of the elements, in their structure."""
        return structure.map_structure(lambda spec: spec.dtype, self.element_spec)

    @property
    def output_shapes(self) -> tuple[TensorShape, TensorShape]:
        """The shapes of the elements, in their structure."""
        return structure.map_structure(lambda spec: spec.shape, self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements, in their structure."""
        return structure.map_structure(lambda spec: spec.value_type, self.element_spec)

    def make_one_shot_iterator(self) -> OwnedIterator:
        """An iterator over the elements; in a graph, its `get_next` is a node."""
        graph = context.building_graph()
        if graph is not None:
            return graph.make_one_shot_iterator(self)
        return OwnedIterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> InitializableIterator:
        """An iterator that starts when its `initializer` is run."""
        graph = context.building_graph()
        if graph is not None:
            return graph.make_initializable_iterator(self, shared_name)
        return make_initializable_iterator(self, shared_name)


class UnaryDataset(Dataset):
    """The base of datasets made from one other dataset."""

    def __init__(self, source: Dataset) -> None:
        super().__init__()
        self._inputs = (source,)

    @property
    def _input(self) -> Dataset:
        return self._inputs[0]


class OptionsDataset(UnaryDataset):
    """A dataset with its own options."""

    def __init__(self, source: Dataset, options: Options) -> None:
        super().__init__(source)
        self._own_options = options


class DatasetBatch:
    """Datasets along a first axis, which are one element of a pipeline.

    Args:
        spec: its spec.
        datasets: the datasets, or batches of them.
        handle: represents the batch where a graph is built.
    """

    def __init__(self, spec: DatasetSpec, datasets: Any = (), handle: Any = None) -> None:
        self._spec = spec
        self._datasets = datasets
        self._handle = handle

    @property
    def _type_spec(self) -> DatasetSpec:
        return self._spec

    @property
    def shape(self) -> TensorShape:
        """The number of datasets."""
        return self._spec._dataset_shape

    def __getitem__(self, index: int) -> Any:
        return self._datasets[index]


class DatasetSpec(TypeSpec):
    """The spec of a dataset that is itself an element.

    Args:
        element_spec: the specs of its elements.
        dataset_shape: () for one dataset; the sizes of batches of datasets.

    >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @classmethod
    def from_value(cls, value: Dataset) -> DatasetSpec:
        """The spec of a dataset."""
        return cls(value.element_spec)

    @property
    def element_spec(self) -> Any:
        """The specs of the dataset's elements."""
        return self._element_spec

    @property
    def value_type(self) -> type:
        """Datasets."""
        return Dataset

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A dataset whose elements are known when the graph runs."""
        return self._of_handle(placeholder_context.placeholder(in_graphs.HANDLE))

    def _of_handle(self, handle: Any) -> Any:
        if self._dataset_shape.rank == 0:
            return in_graphs.dataset_of(handle, self._element_spec)
        return (
            DatasetBatch(self, handle=handle)
            if _core.is_symbolic(handle)
            else _core.object_of(handle)
        )

    def to_tensors(self, value: object) -> list[Any]:
        """The handle of a dataset."""
        if isinstance(value, DatasetBatch) and value._handle is not None:
            return [value._handle]
        return [in_graphs.handle_of(value)]

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        """The dataset of a handle."""
        return self._of_handle(next(tensors))

    def flatten(self) -> list[Any]:
        """The spec of the handle."""
        return [in_graphs.HANDLE]

    def most_specific_compatible_type(self, other: object) -> DatasetSpec:
        """The spec whose elements are described by both."""
        if not isinstance(other, DatasetSpec):
            raise ValueError(f"No spec is compatible with both {self} and {other}.")
        shape = self._dataset_shape.most_specific_compatible_shape(other._dataset_shape)
        return DatasetSpec(structure.merged_spec(self._element_spec, other._element_spec), shape)

    def _batch(self, size: int | None) -> DatasetSpec:
        return DatasetSpec(self._element_spec, [size, *self._dataset_shape])

    def _unbatch(self) -> DatasetSpec:
        if self._dataset_shape.rank == 0:
            raise ValueError("Datasets that are elements have no slices: they are not batched.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])

    def _stack(self, values: list[Any]) -> DatasetBatch:
        spec = values[0]._type_spec
        for value in values[1:]:
            spec = spec.most_specific_compatible_type(value._type_spec)
        return DatasetBatch(spec._batch(len(values)), values)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DatasetSpec)
            and self._element_spec == other._element_spec
            and self._dataset_shape == other._dataset_shape
        )

    def __hash__(self) -> int:
        return hash(DatasetSpec)

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


def merge_counts(counts: Iterator[int]) -> int:
    """The smallest of several cardinalities."""
    known = [count for count in counts if count != INFINITE]
    if not known:
        return INFINITE
    return UNKNOWN if UNKNOWN in known else min(known)


for _cls in (Creation, Transformation, Dataset):
    advice.explain_methods(_cls)
advice.lacks(Dataset, "DATASET", "head shape size next dataset to numpy random_split")
