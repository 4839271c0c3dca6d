"""Switches between the behaviours of the versions."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager

from eagerflow import _core
from eagerflow.framework import context, shapes


def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Switches to eager execution.

    Args:
        config: accepted; there is nothing to configure.
        device_policy: accepted; there is one device.

    Raises:
        ValueError: if operations have been added to the default graph before.

    >>> tf.compat.v1.enable_eager_execution()
    >>> tf.executing_eagerly()
    True
    """
    if context.process.eager:
        return
    if context.process.default_graph is not None and context.process.default_graph.get_operations():
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    context.set_eager(True)


def disable_eager_execution() -> None:
    """Switches to graphs, which sessions run."""
    _build_graphs()


def _build_graphs() -> None:
    # Imported here, as programs that build no graphs start faster without it.
    from eagerflow.graph import graph  # noqa: F401

    context.set_eager(False)


def enable_v2_behavior() -> None:
    """Switches to version 2's behaviour: eager execution, sizes that are integers."""
    context.set_eager(True)
    enable_control_flow_v2()
    enable_resource_variables()
    enable_v2_dtype_behavior()
    context.process.version_2 = True
    shapes.show_dimensions(False)


def disable_v2_behavior() -> None:
    """Switches to version 1's behaviour: operations are added to a graph, sizes have a `value`."""
    _build_graphs()
    disable_control_flow_v2()
    disable_resource_variables()
    disable_v2_dtype_behavior()
    context.process.version_2 = False
    shapes.show_dimensions(True)


def enable_resource_variables() -> None:
    """Makes changes of graphs' variables give the variables, which are read afterwards."""
    context.process.resource_variables = True


def disable_resource_variables() -> None:
    """Makes changes of graphs' variables give tensors: their new values.

    >>> tf.compat.v1.disable_resource_variables()
    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.Variable(1.0).assign(2.0))
    Tensor("ReadVariableOp:0", shape=(), dtype=float32)
    >>> tf.compat.v1.enable_resource_variables()
    """
    context.process.resource_variables = False


def enable_v2_dtype_behavior() -> None:
    """Makes Keras's layers cast their inputs to their dtype, which is `floatx` by default."""
    context.process.v2_dtypes = True


def disable_v2_dtype_behavior() -> None:
    """Makes Keras's layers take their dtype from their first input, which they do not cast.

    >>> tf.compat.v1.keras.layers.disable_v2_dtype_behavior()
    >>> tf.keras.layers.Dense(2)(tf.ones([1, 3], tf.float64)).dtype
    tf.float64
    >>> tf.compat.v1.keras.layers.enable_v2_dtype_behavior()
    """
    context.process.v2_dtypes = False


def enable_tensor_equality() -> None:
    """Compares tensors and variables by their values, except in version 1's graphs."""
    _core.compare_by_identity(False)


def disable_tensor_equality() -> None:
    """Compares tensors and variables by what they are, so that they are keys of dictionaries.

    >>> tf.compat.v1.disable_tensor_equality()
    >>> x, y = tf.constant(1.0), tf.constant(1.0)
    >>> x == y, {x: "x", y: "y"}[x]
    (False, 'x')
    >>> tf.compat.v1.enable_tensor_equality()
    """
    _core.compare_by_identity(True)


def enable_control_flow_v2() -> None:
    """Makes `while_loop` in a graph return a list or a tuple, as its variables are."""
    context.process.control_flow_v2 = True


def disable_control_flow_v2() -> None:
    """Makes `while_loop` in a graph return a list or a tuple, as what its body returns is."""
    context.process.control_flow_v2 = False


def output_all_intermediates(state: bool | None) -> None:
    """Does nothing: gradients of control flow keep what they read, and results stay as they are."""


def enable_v2_tensorshape() -> None:
    """Makes the sizes in shapes integers or None."""
    shapes.show_dimensions(False)


def disable_v2_tensorshape() -> None:
    """Gives the sizes in shapes an attribute `value`, as in version 1.

    >>> tf.compat.v1.disable_v2_tensorshape()
    >>> tf.zeros([2, 3]).shape[1].value, tf.TensorShape([None])[0].value
    (3, None)
    >>> tf.compat.v1.enable_v2_tensorshape()
    """
    shapes.show_dimensions(True)


def resource_variables_enabled() -> bool:
    """Whether changes of graphs' variables give these, and not their values."""
    return context.process.resource_variables


def control_flow_v2_enabled() -> bool:
    """Whether loops in graphs return what version 2's return; all control flow calls functions."""
    return context.process.control_flow_v2


def executing_eagerly_outside_functions() -> bool:
    """Whether operations run when they are called, or would outside of a function being traced."""
    outside = context.process.eager and context.building_graph() is None
    return outside or context.executing_eagerly()


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether a change to TensorFlow's formats made on that day may be used.

    >>> tf.compat.forward_compatible(2019, 1, 1)
    True
    """
    return datetime.date(year, month, day) < datetime.date.today()


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A context manager that changes nothing: there are no formats to be held back."""
    datetime.date(year, month, day)
    yield
