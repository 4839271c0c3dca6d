"""Keras's variables on eagerflow's, conversions, and the shapes of what functions return."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend import config
from keras.src.backend.common import KerasVariable, standardize_dtype
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.name_scope import name_scope as NameScope
from keras.src.backend.common.stateless_scope import StatelessScope, in_stateless_scope
from keras.src.backend.common.symbolic_scope import SymbolicScope

import eagerflow as tf
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.trackable import Trackable
from eagerflow.framework.variable import ResourceHandle
from eagerflow.framework.variable import Variable as EngineVariable
from eagerflow.keras.config import defaults
from eagerflow.typing import DTypeLike, Structure, TensorLike
from eagerflow_compat.internals import types_core
from eagerflow_compat.keras_backend.operations import operations

SUPPORTS_SPARSE_TENSORS = False
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = True

_ops = tf.keras.ops
_AGGREGATIONS = {
    "none": tf.VariableAggregation.NONE,
    "sum": tf.VariableAggregation.SUM,
    "mean": tf.VariableAggregation.MEAN,
    "only_first_replica": tf.VariableAggregation.ONLY_FIRST_REPLICA,
}
_SYNCHRONIZATIONS = {
    "none": tf.VariableSynchronization.NONE,
    "auto": tf.VariableSynchronization.AUTO,
    "on_read": tf.VariableSynchronization.ON_READ,
    "on_write": tf.VariableSynchronization.ON_WRITE,
}

__getattr__, __dir__ = operations(__name__, "eagerflow.keras.ops")

defaults.follow(config)


class Variable(KerasVariable, types_core.Tensor, Trackable):
    """A variable of Keras, whose value is a `tf.Variable`."""

    _should_act_as_resource_variable = True

    def _initialize(self, value: Any) -> None:
        if isinstance(value, EngineVariable):
            self._value = value
            return
        self._value = tf.Variable(
            value,
            trainable=self.trainable,
            name=self.name,
            dtype=self._dtype,
            synchronization=_SYNCHRONIZATIONS[self.synchronization],
            aggregation=_AGGREGATIONS[self.aggregation],
        )

    def _initialize_with_initializer(self, initializer: Any) -> None:
        # A function: strategies call it for each device, and traced functions outside of their graph.
        self._initialize(lambda: initializer(self._shape, dtype=self._dtype))

    def _deferred_initialize(self) -> None:
        if self._value is not None:
            raise ValueError(f"Variable {self.path} is already initialized.")
        if in_stateless_scope():
            raise ValueError(
                f"Variable {self.path} cannot be initialized in a stateless scope. Build the "
                "layer or model, for example by calling it once, before the scope begins."
            )
        with tf.init_scope():
            self._initialize_with_initializer(self._initializer)
        self._initializer = None

    def _direct_assign(self, value: Any) -> None:
        self._value.assign(_ops.cast(value, self._value.dtype))

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        return convert_to_tensor(value, dtype)

    @property
    def handle(self) -> ResourceHandle:
        """The engine's variable, which tapes and functions know."""
        return self.value.handle

    @property
    def shape(self) -> Any:
        """The shape, as a TensorShape."""
        return tf.TensorShape(super().shape)

    def numpy(self) -> np.ndarray:
        """A copy of the value."""
        return self.value.numpy()

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> tf.Tensor:
        return tf.convert_to_tensor(self.value, dtype, name=name)

    @property
    def _shared_name(self) -> str:
        return self.value._shared_name

    # Checkpoints and SavedModels keep the engine's variable under this one's name.
    def _serialize_to_tensors(self) -> dict[str, Variable]:
        return {"VARIABLE_VALUE": self.value}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self.assign(restored_tensors["VARIABLE_VALUE"])
        return self.value


def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """A tensor of anything; `sparse=False` and `ragged=False` make dense tensors of such ones."""
    if isinstance(x, Variable):
        x = x.value
    if isinstance(x, tf.RaggedTensor):
        if ragged is not False:
            return x if dtype is None else tf.cast(x, standardize_dtype(dtype))
        x = x.to_tensor()
    return _ops.convert_to_tensor(x, None if dtype is None else standardize_dtype(dtype), sparse)


def convert_to_numpy(x: Any) -> np.ndarray:
    """An array of its own of a tensor, a variable, or anything else."""
    if isinstance(x, tf.SparseTensor):
        x = tf.sparse.to_dense(x)
    elif isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    elif isinstance(x, tf.IndexedSlices):
        x = tf.convert_to_tensor(x)
    return np.array(x)


def is_tensor(x: object) -> bool:
    """Whether it is a tensor or a variable, sparse and ragged ones among them."""
    return tf.is_tensor(x)


def cast(x: Any, dtype: DTypeLike) -> Any:
    """Values in another dtype."""
    return tf.cast(x, standardize_dtype(dtype))


def shape(x: Any) -> tuple[Any, ...]:
    """The sizes: integers where they are known, else scalars of the graph; None where they vary."""
    if isinstance(x, KerasTensor):
        return x.shape
    if not tf.is_tensor(x):
        x = tf.convert_to_tensor(x)
    known = x.shape
    if known.rank is None:
        raise ValueError(f"`ops.shape` needs a tensor of known rank. Received: {x}")
    sizes = tuple(known.as_list())
    if None not in sizes or isinstance(x, tf.RaggedTensor):
        return sizes
    found = tf.shape(x)
    return tuple(found[k] if size is None else size for k, size in enumerate(sizes))


def cond(pred: TensorLike, true_fn: Any, false_fn: Any) -> Structure:
    """What one of two functions returns; both are traced where the condition is not known yet."""
    return tf.cond(convert_to_tensor(pred, "bool"), true_fn, false_fn)


def compute_output_spec(fn: Any, *args: Structure, **kwargs: Any) -> Structure:
    """What a function returns for symbolic arguments, as symbolic tensors: its trace knows."""
    graph = FuncGraph("scratch_graph")

    def placeholder(value: Any) -> Structure:
        if not isinstance(value, KerasTensor):
            return value
        dims = dims_of(tf.TensorShape(value.shape))
        return graph.placeholder(tf.as_dtype(value.dtype), dims, "input")

    def symbolic(value: Any) -> Structure:
        if not tf.is_tensor(value):
            return value
        return KerasTensor(value.shape, standardize_dtype(value.dtype))

    with StatelessScope(), SymbolicScope(), graph.as_default():
        args, kwargs = tree.map_structure(placeholder, (args, kwargs))
        return tree.map_structure(symbolic, fn(*args, **kwargs))


def random_seed_dtype() -> str:
    """The dtype of the states of seed generators."""
    return "int64"


def custom_gradient(fun: Any) -> Any:
    """A function with a gradient of its own, which it returns beside its values."""
    return tf.custom_gradient(fun)


def remat(f: Any) -> Any:
    """A function that is computed again for its gradient, so that its values need not be kept."""
    return tf.recompute_grad(f)


def device_scope(device_name: str) -> Any:
    """Operations within run on a device."""
    return tf.device(device_name)


class name_scope(NameScope):
    """Names within begin with this one, in the graph, too."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._scope = tf.name_scope(name)

    def __enter__(self) -> Any:
        entered = super().__enter__()
        if self._pop_on_exit:
            self._scope.__enter__()
        return entered

    def __exit__(self, *error: Any) -> None:
        popped = self._pop_on_exit
        super().__exit__(*error)
        if popped:
            self._scope.__exit__(*error)
