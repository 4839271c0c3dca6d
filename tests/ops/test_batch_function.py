"""tf.nondifferentiable_batch_function: what its functions return, and what they refuse."""

import pytest

import eagerflow as tf

ONE, TWO = tf.constant([1.0]), tf.constant([1.0, 2.0])


def batched(function=lambda x, *rest: x + 1.0, sizes=None, **options):
    return tf.nondifferentiable_batch_function(1, 10, 100, sizes, **options)(function)


def test_results_are_those_of_the_function():
    assert batched()(TWO).numpy().tolist() == [2.0, 3.0]
    assert batched(sizes=[4])(TWO).numpy().tolist() == [2.0, 3.0]
    assert batched(lambda x: {"a": x})(ONE)["a"].numpy().tolist() == [1.0]
    assert batched()(tf.zeros([0, 2])).shape == [0, 2]
    assert tf.function(batched())(TWO).numpy().tolist() == [2.0, 3.0]


@pytest.mark.parametrize("call", [lambda f: f, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize(
    ("function", "args", "error"),
    [
        (batched(), (tf.constant(1.0),), tf.errors.InvalidArgumentError),
        (batched(), (ONE, TWO), tf.errors.InvalidArgumentError),
        (batched(sizes=[10, 3]), (ONE,), tf.errors.InvalidArgumentError),
        (
            batched(sizes=[3], enable_large_batch_splitting=False),
            (ONE,),
            tf.errors.InvalidArgumentError,
        ),
        (batched(tf.reduce_sum), (TWO,), tf.errors.FailedPreconditionError),
        (batched(lambda x: x[:1]), (TWO,), tf.errors.FailedPreconditionError),
    ],
    ids="scalar sizes order last total fewer".split(),
)
def test_what_is_no_batch_is_refused(function, args, error, call):
    with pytest.raises(error, match="BatchFunction"):
        call(function)(*args)


@pytest.mark.parametrize("arg", [[1.0], 1.0, None, tf.Variable([1.0])])
def test_only_tensors_are_arguments(arg):
    with pytest.raises(ValueError, match="supposed to be Tensors"):
        batched()(arg)


def test_there_are_no_gradients():
    weight = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(ONE)
        result = batched(lambda x: x * weight)(ONE)
    with pytest.raises(LookupError, match="BatchFunction"):
        tape.gradient(result, ONE)
