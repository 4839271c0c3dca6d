"""Random arguments for every public function: it returns a result or raises an exception.

A crash, an endless search or a large allocation for a small result ends or fails the run; see
`fuzz_values` for how many calls are made.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eagerflow as tf
from eagerflow import _core
from fuzz_values import (
    EXAMPLES,
    anything,
    keys,
    many,
    parameters,
    refuse,
    tensors,
    value_for,
)
from random_calls import bytes_of

NAMESPACES = {
    "ops": _core.ops,
    "tf": tf,
    "math": tf.math,
    "nn": tf.nn,
    "linalg": tf.linalg,
    "image": tf.image,
    "sparse": tf.sparse,
    "ragged": tf.ragged,
    "audio": tf.audio,
    "signal": tf.signal,
    "strings": tf.strings,
    "sets": tf.sets,
    "special": tf.math.special,
}

# They call their arguments, change global state, or print.
LEFT_OUT = {"function", "init_scope", "install_as_tensorflow", "load_library"} | {
    "load_op_library",
    "numpy_function",
    "print",
    "py_function",
}


def functions() -> dict[str, Callable]:
    """Each function once, by its first name."""
    found: dict[int, tuple[str, Callable]] = {}
    for prefix, namespace in NAMESPACES.items():
        for name in dir(namespace):
            value = getattr(namespace, name)
            if name.startswith("_") or name in LEFT_OUT or not callable(value):
                continue
            if not (isinstance(value, type) and issubclass(value, BaseException)):
                found.setdefault(id(value), (f"{prefix}.{name}", value))
    return dict(found.values())


FUNCTIONS = functions()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_arguments_are_answered(name: str) -> None:
    function = FUNCTIONS[name]
    names, required = parameters(function)

    @many(EXAMPLES)
    @given(st.data())
    def calls(data: st.DataObject) -> None:
        given_ones = data.draw(st.one_of(st.just(required), st.integers(0, len(names))))
        arguments = [data.draw(value_for(parameter)) for parameter in names[:given_ones]]
        tf.config.experimental.reset_memory_stats("CPU:0")
        before = tf.config.experimental.get_memory_info("CPU:0")["current"]
        result = refuse(lambda: function(*arguments))
        peak = tf.config.experimental.get_memory_info("CPU:0")["peak"]
        assert peak - before <= 4 * bytes_of(result) + 2**26

    calls()


OPERATORS = [getattr(operator, name) for name in "add sub mul truediv floordiv mod pow".split()]
OPERATORS += [getattr(operator, name) for name in "matmul and_ or_ xor lt le gt ge eq ne".split()]

either = many(25 * EXAMPLES)


@pytest.mark.filterwarnings("ignore")
@either
@given(st.sampled_from(OPERATORS), tensors, anything, st.booleans())
def test_operators_on_random_operands(function: Callable, x: Any, y: Any, reflected: bool) -> None:
    refuse(lambda: function(y, x) if reflected else function(x, y))


@pytest.mark.filterwarnings("ignore")
@either
@given(tensors, keys, anything)
def test_indexing_by_random_keys(x: Any, key: Any, value: Any) -> None:
    refuse(lambda: tf.identity(x)[key])
    refuse(lambda: tf.Variable(x)[key].assign(value))


@pytest.mark.filterwarnings("ignore")
@either
@given(tensors, anything, anything, anything)
def test_gradients_of_random_arguments(x: Any, target: Any, source: Any, weight: Any) -> None:
    x = tf.Variable(x)
    with tf.GradientTape(persistent=True) as tape:
        refuse(lambda: tape.watch(source))
        y = x * x if x.dtype.is_floating else tf.identity(x)
    refuse(lambda: tape.gradient(y, [x, source], [weight]))
    refuse(lambda: tape.gradient([y, target], {"x": x, "source": source}))
    refuse(lambda: tape.jacobian(target, source))
