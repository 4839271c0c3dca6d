"""tf.keras.backend: variables, phases, sessions and random values."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow import random as random_ops
from eagerflow import sparse as sparse_ops
from eagerflow.framework.context import (
    building_graph,
    has_nested_graphs,
    reset_default_graph,
    running_eagerly,
)
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import Variable
from eagerflow.graph.symbols import as_tensor
from eagerflow.graph.variables import GraphVariable
from eagerflow.keras import config, naming
from eagerflow.keras.engine.calls import context, training_mode
from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.ops import conversion, creation, loops
from eagerflow.ops.printing import print as show
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import Array, DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
graph_gradients = lazy.Module("eagerflow.graph.gradients")
graph_mode = lazy.Module("eagerflow.keras.engine.graph_mode")
input_layer = lazy.Module("eagerflow.keras.engine.functional.input_layer")
models = lazy.Module("eagerflow.keras.engine.model")

_ops = _core.ops


def backend() -> str:
    """The name of Keras's backend.

    >>> tf.keras.backend.backend()
    'tensorflow'
    """
    return "tensorflow"


def clear_session() -> None:
    """Resets layers' names, the learning phase and the default graph, and frees unused objects.

    >>> tf.keras.backend.clear_session()
    >>> tf.keras.layers.Dense(1).name
    'dense'
    """
    naming.reset_uids()
    training_mode.clear_learning_phase()
    if not has_nested_graphs():
        reset_default_graph()
    gc.collect()


@contextmanager
def learning_phase_scope(value: TensorLike) -> Iterator[None]:
    """Sets the learning phase inside a `with` block.

    Raises:
        ValueError: if `value` is neither 0 nor 1.
    """
    known = training_mode.learning_phase_is_set()
    before = training_mode.learning_phase() if known else None
    training_mode.set_learning_phase(value)
    try:
        yield
    finally:
        if known:
            training_mode.set_learning_phase(before)
        else:
            training_mode.clear_learning_phase()


def _chosen(x: TensorLike) -> Any:
    return x() if callable(x) and not isinstance(x, _core.Variable) else x


def in_train_phase(x: TensorLike, alt: Any, training: bool | _core.Tensor | None = None) -> Any:
    """x in training, else `alt`; functions are called."""
    if training is None:
        training = context.context.training
    if training is None:
        training = training_mode.learning_phase()
    return by_training(training, lambda on: _chosen(x if on else alt))


def in_test_phase(x: TensorLike, alt: Any, training: bool | _core.Tensor | None = None) -> Any:
    """`alt` in training, else x; functions are called."""
    return in_train_phase(alt, x, training)


@op_function
def switch(condition: object, then_expression: Any, else_expression: Any) -> Any:
    """One of two values by a condition, which is a scalar or one for each element.

    A vector of conditions is one for each element of the last axis, an array of more axes one for each
    index of the first ones.

    Raises:
        ValueError: if the condition has more axes than the values.
    """
    condition = _core.as_tensor(condition)
    if condition.ndim == 0:
        return _chosen(then_expression) if condition else _chosen(else_expression)
    chosen, other = (_core.as_tensor(_chosen(e)) for e in (then_expression, else_expression))
    if condition.ndim > chosen.ndim:
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={condition.ndim}, "
            f"ndim(then_expression)={chosen.ndim}"
        )
    while 1 < condition.ndim < chosen.ndim:
        condition = _ops.expand_dims(condition, -1)
    return _ops.select(conversion.cast(condition, "bool"), chosen, other)


def variable(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None, constraint: Any = None
) -> Any:
    """A variable; of the float type by default.

    >>> float(tf.keras.backend.variable(2.0))
    2.0
    """
    return Variable(value, dtype=config.float_dtype(dtype), name=name, constraint=constraint)


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = None,
) -> Any:
    """A tensor; of the float type by default."""
    return conversion.constant(value, dtype=config.float_dtype(dtype), shape=shape)


def placeholder(
    shape: ShapeLike | None = None,
    ndim: int | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """A symbolic tensor as of `tf.keras.Input`, given a shape with the batch size, or none."""
    shape = (None,) * ndim if shape is None and ndim is not None else shape
    if shape is None:
        spec = TensorSpec(None, config.float_dtype(dtype))
        return input_layer.Input(type_spec=spec, name=name)
    return input_layer.Input(
        batch_shape=shape, dtype=dtype, name=name, sparse=sparse, ragged=ragged
    )


def eval(x: TensorLike) -> Array:
    """The value as an array; in graphs, computed by Keras's session."""
    graph = building_graph()
    if graph is not None:
        x = as_tensor(x, graph)
        if isinstance(x, GraphVariable) or is_symbolic(x):
            return graph_mode.value_of(x)
    return x.numpy() if hasattr(x, "numpy") else np.asarray(x)


get_value = eval


def batch_get_value(tensors: Any) -> list[Any]:
    """The values of several tensors."""
    return [eval(tensor) for tensor in tensors]


def set_value(x: _core.Variable, value: object) -> None:
    """Assigns a value to a variable; of a graph, in Keras's session."""
    value = np.asarray(value, dtype=x.dtype.as_numpy_dtype)
    if isinstance(x, GraphVariable):
        graph_mode.set_value(x, value)
        return
    with running_eagerly():
        x.assign(value)


def batch_set_value(tuples: Any) -> None:
    """Assigns values to variables, given in pairs."""
    for x, value in tuples:
        set_value(x, value)


def update(x: Any, new_x: object) -> Any:
    """Assigns a value to a variable and returns it."""
    return x.assign(new_x)


def update_add(x: _core.Variable, increment: object) -> _core.Variable:
    """Adds to a variable and returns it."""
    return x.assign_add(increment)


def update_sub(x: Any, decrement: object) -> Any:
    """Subtracts from a variable and returns it."""
    return x.assign_sub(decrement)


def moving_average_update(x: _core.Variable, value: Any, momentum: float) -> _core.Variable:
    """Moves a variable towards a value: `x * momentum + value * (1 - momentum)`."""
    value = conversion.cast(value, x.dtype)
    return x.assign_sub((x - value) * conversion.cast(1.0 - momentum, x.dtype))


def count_params(x: Any) -> int:
    """How many elements a tensor has."""
    return int(np.prod(x.shape.as_list()))


@op_function
def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A variable of zeros."""
    return Variable(creation.zeros(shape, config.float_dtype(dtype)), name=name)


@op_function
def ones(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A variable of ones."""
    return Variable(creation.ones(shape, config.float_dtype(dtype)), name=name)


@op_function
def eye(size: object, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A variable that holds the identity matrix."""
    rows, columns = size if isinstance(size, tuple | list) else (size, size)
    return Variable(creation.eye(rows, columns, dtype=config.float_dtype(dtype)), name=name)


@op_function
def zeros_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Zeros in the shape of x."""
    return _ops.zeros_like(x, dtype)


@op_function
def ones_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Ones in the shape of x."""
    return _ops.ones_like(x, dtype)


def seed_of(seed: int | None, limit: int = 10**7) -> int:
    """The seed, or one drawn from NumPy's generator."""
    if seed is not None:
        return seed
    return int(np.random.randint(limit))


@op_function
def random_normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Any:
    """Values from a normal distribution."""
    return random_ops.normal(shape, mean, stddev, config.float_dtype(dtype), seed_of(seed))


@op_function
def random_uniform(
    shape: ShapeLike,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Any:
    """Values from a uniform distribution."""
    return random_ops.uniform(shape, minval, maxval, config.float_dtype(dtype), seed_of(seed))


@op_function
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Any:
    """Values from a normal distribution that is truncated at two standard deviations."""
    return random_ops.truncated_normal(
        shape, mean, stddev, config.float_dtype(dtype), seed_of(seed)
    )


@op_function
def random_bernoulli(
    shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Any:
    """Ones with a probability, else zeros."""
    kind = config.float_dtype(dtype)
    drawn = random_ops.uniform(shape, 0.0, 1.0, kind, seed_of(seed))
    return conversion.cast(_ops.less_equal(drawn, _core.convert(p, kind, None)), kind)


random_binomial = random_bernoulli


def random_normal_variable(
    shape: ShapeLike,
    mean: TensorLike,
    scale: object,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of values from a normal distribution."""
    return Variable(random_normal(shape, mean, scale, dtype, seed_of(seed, 10**9)), name=name)


def random_uniform_variable(
    shape: ShapeLike,
    low: object,
    high: object,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of values from a uniform distribution."""
    return Variable(random_uniform(shape, low, high, dtype, seed_of(seed, 10**9)), name=name)


def print_tensor(x: TensorLike, message: str = "", summarize: int = 3) -> Any:
    """Prints a message and a tensor, and returns the tensor."""
    show(message, x, summarize=summarize)
    return x


@op_function
def stop_gradient(variables: Any) -> Any:
    """The values without a gradient."""
    if isinstance(variables, list | tuple):
        return [_ops.stop_gradient(variable) for variable in variables]
    return _ops.stop_gradient(variables)


def gradients(loss: object, variables: object) -> Any:
    """The derivatives of a loss by each of several variables, in graphs; see `tf.gradients`.

    Raises:
        RuntimeError: if operations run eagerly. Use `tf.GradientTape` then.
    """
    if building_graph() is not None:
        return graph_gradients.gradients(loss, variables)
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. "
        "Use tf.GradientTape instead."
    )


@op_function
def map_fn(
    fn: Callable, elems: Any, name: str | None = None, dtype: DTypeLike | None = None
) -> Any:
    """A function of each row."""
    return loops.map_fn(fn, elems, dtype=dtype)


@op_function
def foldl(fn: Callable, elems: Any, initializer: object = None, name: str | None = None) -> Any:
    """Rows combined by a function, from the first to the last."""
    return loops.foldl(fn, elems, initializer=initializer)


@op_function
def foldr(fn: Callable, elems: Any, initializer: object = None, name: str | None = None) -> Any:
    """Rows combined by a function, from the last to the first."""
    return loops.foldr(fn, elems, initializer=initializer)


def function(
    inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **kwargs: Any
) -> Any:
    """A function from values of symbolic inputs to arrays of symbolic outputs.

    Raises:
        ValueError: for updates, which belong to graphs, if operations run eagerly.

    >>> x = tf.keras.Input([1])
    >>> tf.keras.backend.function([x], [x * 2.0])([np.ones([1, 1])])
    [array([[2.]], dtype=float32)]
    """
    if building_graph() is not None:
        return graph_mode.function_of(inputs, outputs, updates)
    if updates:
        raise ValueError("`updates` argument is not supported during eager execution.")
    model = models.Model(inputs=inputs, outputs=outputs)
    as_list = isinstance(outputs, list | tuple)

    def run(values: TensorLike) -> Any:
        results = model(values)
        # Ragged and sparse tensors stay what they are.
        results = nest.map_structure(
            lambda value: value.numpy() if isinstance(value, _core.Tensor) else value, results
        )
        return [results] if as_list and not isinstance(results, list | tuple) else results

    return run


def manual_variable_initialization(value: bool) -> None:
    """Accepted: variables have a value from the start."""


def is_sparse(tensor: TensorLike) -> bool:
    """Whether a tensor is a SparseTensor."""
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: TensorLike) -> Any:
    """A sparse tensor as a dense one; others as they are."""
    if not isinstance(tensor, SparseTensor):
        return tensor
    return sparse_ops.to_dense(tensor)
