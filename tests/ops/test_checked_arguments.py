"""Invalid arguments that functions check themselves: types and messages of exceptions."""

from __future__ import annotations

import pytest

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError

MISTAKES = {
    "a removed name": (lambda: tf.placeholder(tf.float32), AttributeError, r"compat\.v1\.placehol"),
    "another one": (lambda: tf.mul(1, 2), AttributeError, r"tf\.multiply"),
    "a name that never was": (lambda: tf.nosuch, AttributeError, r"'nosuch'$"),
    "no list to add": (lambda: tf.add_n(3), TypeError, "not iterable"),
    "an empty list": (lambda: tf.add_n([]), ValueError, "at least one"),
    "no tensors": (lambda: tf.identity_n([]), Invalid, "at least one"),
    "no shapes": (lambda: tf.shape_n([]), Invalid, "at least one"),
    "sizes as floats": (lambda: tf.shape([1], tf.float32), Invalid, "out_type.*of float is not"),
    "an axis in a list": (lambda: tf.split([1, 2], 2, [0]), Invalid, "scalar.*rank 1"),
    "an axis as text": (lambda: tf.split([1, 2], 2, "a"), TypeError, "'a'"),
    "an axis of floats": (
        lambda: tf.split([1, 2], 2, tf.constant(0.0)),
        Invalid,
        "#0.*expected to be a int32 tensor",
    ),
    "a place to join at": (lambda: tf.concat([[1]], [0]), ValueError, "rank 0"),
    "a place for one": (lambda: tf.concat(tf.constant([1]), [0]), ValueError, "rank 0"),
    "norms": (lambda: tf.clip_by_norm(1.0, [1.0, 2.0]), ValueError, "`clip_norm` must be a scalar"),
    "flags": (lambda: tf.linalg.svd([[1.0]], 1), TypeError, "Expected bool.*'full_matrices'"),
    "kinds of sets": (lambda: tf.sets.union([[1.0]], [[2.0]]), TypeError, "integers or strings"),
    "what is joined": (lambda: tf.strings.join("ab"), TypeError, "Expected list.*'inputs'"),
    "an encoding": (
        lambda: tf.strings.unicode_decode("a", 3),
        TypeError,
        "Expected string.*'input_encoding'",
    ),
    "a scan of a scalar": (lambda: tf.math.cumulative_logsumexp(0.5), Invalid, "scan axis"),
    "segments": (
        lambda: tf.math.unsorted_segment_max([1.0], [0], [2, 3]),
        Invalid,
        r"scalar, not shape \[2\]",
    ),
    "a message": (
        lambda: tf.debugging.check_numerics([1.0], tf.constant(1)),
        TypeError,
        "Expected string.*'message'",
    ),
    "dtypes that are compared": (
        lambda: tf.debugging.assert_less(tf.constant([1.0]), 2),
        Invalid,
        "#1",
    ),
    "a data format": (
        lambda: tf.nn.conv1d(tf.ones([1, 3, 1]), tf.ones([1, 1, 1]), 1, "SAME", "NHC"),
        ValueError,
        "must be 'NWC' or 'NCW'.*NHC",
    ),
    "filters": (
        lambda: tf.nn.separable_conv2d(
            tf.ones([1, 3, 3, 1]), tf.ones([1, 1, 1, 1]), tf.ones([1, 1, 1]), [1] * 4, "SAME"
        ),
        ValueError,
        "must have rank 4",
    ),
    "a negative size": (lambda: tf.random.gamma([-1], 1.0), Invalid, "-1 must be >= 0"),
    "too many numbers": (lambda: tf.random.poisson([2**62, 2], 1.0), Invalid, "more than 2"),
    "more than memory": (
        lambda: tf.random.poisson([2**50], 1.0),
        tf.errors.ResourceExhaustedError,
        "RandomPoissonV2",
    ),
    "places outside": (
        lambda: tf.io.serialize_many_sparse(tf.SparseTensor([[5, 0]], [1], [2, 2])),
        Invalid,
        r"\[5, 0\] is out of bounds",
    ),
    "a shape without end": (
        lambda: tf.io.serialize_many_sparse(tf.SparseTensor([[0, 0]], [1], [2**40, 2**40])),
        Invalid,
        "too many elements",
    ),
    "a tensor as a nested list": (
        lambda: tf.ragged.constant(tf.ones([2, 2])),
        ValueError,
        "from_tensor",
    ),
    "several messages": (
        lambda: tf.io.parse_single_example(["a"], {"x": tf.io.VarLenFeature(tf.int64)}),
        ValueError,
        "parse_example",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told(name):
    call, error, words = MISTAKES[name]
    with pytest.raises(error, match=words) as raised:
        call()
    assert type(raised.value) is error


def test_values_that_change_are_not_static():
    assert tf.get_static_value(tf.Variable([1])) is None
    assert tf.get_static_value(tf.ragged.constant([[1]])) is None
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(3) == 3


def test_one_label_stands_for_all_classes():
    # Recorded from TensorFlow.
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0]], logits=[[1.0, 2.0]])
    assert losses.numpy() == pytest.approx([1.6265233])


def test_one_tensor_stacks_to_rows():
    # Recorded from TensorFlow.
    stacked = tf.ragged.stack([tf.ones([3])])
    assert isinstance(stacked, tf.RaggedTensor) and stacked.row_splits.dtype == tf.int32
    assert tf.ragged.stack([tf.ones([2, 3])]).row_splits.numpy().tolist() == [0, 2]
    assert tf.ragged.stack([tf.ones([2, 3])] * 2, axis=1).shape == [2, 2, 3]


def test_gradients_of_softmax_want_one_shape():
    for function in (tf._core.ops.softmax_grad, tf._core.ops.log_softmax_grad):
        with pytest.raises(tf.errors.InvalidArgumentError, match="same size and shape"):
            function(tf.ones([4, 4]), tf.ones([1, 1]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=">= 1 dimension"):
            function(tf.constant(1.0), tf.constant(1.0))


def test_operations_with_many_inputs_take_all_of_them():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf._core.ops.lstm_grad(*[tf.ones([1])] * 9)


def test_rates_above_the_highest_number():
    drawn = tf.random.stateless_poisson([3], [1, 2], 1e25, tf.int64)
    assert drawn.numpy().tolist() == [2**63 - 1024] * 3
    drawn = tf.random.stateless_poisson([3], [1, 2], 1e9, tf.int32)
    assert (abs(drawn.numpy() - 10**9) < 10**6).all()


@pytest.mark.parametrize("paddings", [[1, 2**63 - 1], [-5, 0], [0, -5], [3, 2], [2, 1]])
def test_gradients_of_paddings_that_do_not_fit(paddings):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Paddings must be non-negative"):
        tf._core.ops.mirror_pad_grad(tf.ones([4]), paddings, "REFLECT")


def test_negative_norms_clip_to_nothing():
    """Like TensorFlow, which uses the larger of the norm and 0."""
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        clipped = tf.clip_by_norm(x, -2.0)
    assert clipped.numpy().tolist() == [0.0, 0.0]
    assert tape.gradient(clipped, x).numpy().tolist() == [0.0, 0.0]


def failing(*_):
    raise MemoryError("the program's own")


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.map_fn(failing, x),
        lambda x: tf.cond(x[0] > 0, failing, failing),
        lambda x: tf.while_loop(lambda x: True, failing, [x]),
        lambda x: tf.while_loop(cond=lambda x: True, body=failing, loop_vars=[x]),
        lambda x: tf.scan(failing, x),
        lambda x: tf.switch_case(tf.constant(0), [failing]),
        lambda x: tf.switch_case(tf.constant(0), {0: failing}),
        lambda x: tf.case([(x[0] > 0, failing)]),
    ],
)
def test_a_memory_error_of_the_program_stays_one(call):
    with pytest.raises(MemoryError, match="the program's own") as raised:
        call(tf.ones([3]))
    assert type(raised.value) is MemoryError
