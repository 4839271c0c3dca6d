"""tf.function: calls, methods, signatures."""

import numpy as np
import pytest

import eagerflow as tf


def test_calls_run_every_time():
    calls = []

    @tf.function
    def double(x):
        """Twice x."""
        calls.append(x)
        return x + x

    assert float(double(tf.constant(2.0))) == 4.0
    assert double(3) == 6
    assert len(calls) == 2
    assert double.__name__ == "double" and double.__doc__ == "Twice x."
    assert double.python_function(1) == 2


def test_methods_are_bound():
    class Scale(tf.Module):
        def __init__(self, factor):
            super().__init__()
            self.factor = tf.Variable(factor)

        @tf.function(jit_compile=True)
        def __call__(self, x, offset=0.0):
            return self.factor * x + offset

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def total(self, x):
            return tf.reduce_sum(self.factor * x)

    scale = Scale(3.0)
    assert float(scale(2.0, offset=1.0)) == 7.0
    assert float(scale.total([1, 2])) == 9.0
    with pytest.raises(TypeError, match="shape"):
        scale.total([[1.0]])


def test_gradients_pass():
    v = tf.Variable(3.0)

    @tf.function
    def square():
        return v * v

    with tf.GradientTape() as tape:
        y = square()
    assert float(tape.gradient(y, v)) == 6.0


def test_signatures_are_checked():
    @tf.function(input_signature=(tf.TensorSpec([2], tf.int32),))
    def add_one(x):
        return x + 1

    assert add_one([1, 2]).numpy().tolist() == [2, 3]
    assert add_one(x=[1, 2]).numpy().tolist() == [2, 3]
    for wrong in ([1, 2, 3], tf.constant([1.0, 2.0])):
        with pytest.raises(TypeError):
            add_one(wrong)
    with pytest.raises(TypeError, match="missing a required argument"):
        add_one()
    with pytest.raises(TypeError, match="too many positional arguments"):
        add_one([1, 2], 3)
    with pytest.raises(TypeError):
        tf.function(3)


def test_concrete_functions():
    @tf.function
    def add(x, y):
        return x + y

    concrete = add.get_concrete_function(tf.TensorSpec([], tf.float32), tf.constant(1.0))
    assert float(concrete(tf.constant(2.0), tf.constant(3.0))) == 5.0
    assert len(concrete.inputs) == 2


def test_results_are_tensors():
    variable = tf.Variable(2.0)

    @tf.function
    def results(n):
        return {"number": n, "text": "x", "none": None, "variable": variable.assign_add(1.0)}

    found = results(3)
    assert found["number"].dtype is tf.int32 and found["text"].dtype is tf.string
    assert found["none"] is None
    assert isinstance(found["variable"], tf.Tensor) and float(found["variable"]) == 3.0
    with tf.GradientTape() as tape:
        read = tf.function(lambda: variable)()
    assert float(tape.gradient(read, variable)) == 1.0


def test_arrays_arrive_as_tensors():
    @tf.function
    def kind(x, scale=1):
        assert isinstance(x["a"], tf.Tensor) and scale == 1
        return x["a"].dtype.name

    assert kind({"a": np.ones(2)}).numpy() == b"float64"
    assert kind(x={"a": np.float32(1)}).numpy() == b"float32"
