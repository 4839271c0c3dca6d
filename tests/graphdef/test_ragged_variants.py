"""Ragged tensors as variants, whose rows other operations move: stacked, sliced, gathered, in lists.

The answers and errors are TensorFlow 2.21's.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import eagerflow as tf

raw = tf.raw_ops

ROWS = {
    1: [[1.0, 2.0], [3.0], []],
    2: [[[1.0, 2.0], [3.0]], [], [[4.0]]],
    3: [[[[1.0], [2.0, 5.0]], [[3.0]]], [], [[[4.0]]]],
}


def ragged(rank, splits=tf.int64):
    return tf.ragged.constant(ROWS[rank], tf.float32, row_splits_dtype=splits)


def encoded(value, batched):
    return raw.RaggedTensorToVariant(
        rt_nested_splits=list(value.nested_row_splits),
        rt_dense_values=value.flat_values,
        batched_input=batched,
    )


def decoded(variants, input_rank, output_rank, dtype=tf.float32, splits=tf.int64):
    return raw.RaggedTensorFromVariant(
        encoded_ragged=variants, input_ragged_rank=input_rank, output_ragged_rank=output_rank,
        Tvalues=dtype, Tsplits=splits,
    )  # fmt: skip


def joined(variants, input_rank, output_rank, **kinds):
    """The ragged tensor, or the tensor, as a list."""
    splits, values = decoded(variants, input_rank, output_rank, **kinds)
    if not splits:
        return values.numpy().tolist()
    return tf.RaggedTensor.from_nested_row_splits(values, splits).to_list()


@pytest.mark.parametrize(
    ("rank", "batched", "inferred"),
    list(itertools.product([1, 2, 3], [True, False], [True, False])),
)
@pytest.mark.parametrize("traced", [False, True])
def test_round_trips(rank, batched, inferred, traced):
    value = ragged(rank)

    def back(value):
        variants = encoded(value, batched)
        assert variants.shape == ([3] if batched else [])
        splits, values = decoded(variants, -1 if inferred else rank - batched, rank)
        return tf.RaggedTensor.from_nested_row_splits(values, splits)

    run = tf.function(back) if traced else back
    assert run(value).to_list() == ROWS[rank]


@pytest.mark.parametrize("splits", [tf.int32, tf.int64])
def test_values_of_all_kinds(splits):
    words = tf.ragged.constant([["a", "b"], [], ["c"]], row_splits_dtype=splits)
    assert joined(encoded(words, True), 0, 1, dtype=tf.string, splits=splits) == [
        [b"a", b"b"], [], [b"c"],
    ]  # fmt: skip
    pairs = tf.RaggedTensor.from_row_splits([[1, 2], [3, 4]], tf.constant([0, 0, 2], splits))
    variants = encoded(pairs, True)
    assert joined(variants, 0, 1, dtype=tf.int32, splits=splits) == [[], [[1, 2], [3, 4]]]
    assert joined(variants[1], 0, 0, dtype=tf.int32) == [[1, 2], [3, 4]]


def test_tensors_without_splits():
    matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def of(value, batched):
        return raw.RaggedTensorToVariant(
            rt_nested_splits=[], rt_dense_values=value, batched_input=batched
        )

    rows = of(matrix, True)
    assert joined(rows, 0, 0) == matrix.numpy().tolist()
    assert joined(rows, 0, 1) == [[1, 2], [3, 4]]
    assert joined(tf.stack([rows, rows]), 0, 0) == 2 * matrix.numpy().tolist()
    assert joined(of(matrix, False), 0, 0) == matrix.numpy().tolist()
    scalars = tf.stack([of(tf.constant(3.0), False)] * 2)
    assert joined(scalars, 0, 0) == [3.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank >= 1"):
        decoded(scalars, 0, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can't unbatch rank-0"):
        of(tf.constant(3.0), True)


# What moves the rows, and what they are then.
MOVED = {
    "stack": (lambda v: tf.stack([v, v]), 2, 2 * [ROWS[1]]),
    "stack behind": (lambda v: tf.stack([v, v], 1), 2, [[row, row] for row in ROWS[1]]),
    "unstack": (lambda v: tf.stack(tf.unstack(v)[::-1]), 1, ROWS[1][::-1]),
    "split": (lambda v: tf.split(v, [1, 2])[1], 1, ROWS[1][1:]),
    "slice": (lambda v: v[1:], 1, ROWS[1][1:]),
    "strided slice": (lambda v: v[::-2], 1, ROWS[1][::-2]),
    "index": (lambda v: v[0], 0, ROWS[1][0]),
    "new axis": (lambda v: v[None], 2, [ROWS[1]]),
    "expand": (lambda v: tf.expand_dims(v, 0), 2, [ROWS[1]]),
    "reshape": (lambda v: tf.reshape(v, [3, 1]), 2, [[row] for row in ROWS[1]]),
    "transpose": (lambda v: tf.transpose(v[None]), 2, [[row] for row in ROWS[1]]),
    "gather": (lambda v: tf.gather(v, [2, 0]), 1, [[], [1.0, 2.0]]),
    "gather_nd": (lambda v: tf.gather_nd(v, [[0], [0]]), 1, 2 * [[1.0, 2.0]]),
    "mask": (lambda v: tf.boolean_mask(v, [True, False, True]), 1, [[1.0, 2.0], []]),
    "tile": (lambda v: tf.tile(v, [2]), 1, 2 * ROWS[1]),
    "broadcast": (lambda v: tf.broadcast_to(v, [2, 3]), 2, 2 * [ROWS[1]]),
    "fill": (lambda v: tf.fill([2], v[1]), 1, [[3.0], [3.0]]),
    "where": (lambda v: tf.where([True, False, True], v, v[::-1]), 1, ROWS[1]),
    "identity": (tf.identity, 1, ROWS[1]),
    "stop": (tf.stop_gradient, 1, ROWS[1]),
    "array": (lambda v: tf.TensorArray(tf.variant, 3).unstack(v).stack(), 1, ROWS[1]),
    "empty": (lambda v: v[:0], 1, []),
}  # fmt: skip


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", MOVED)
def test_rows_are_moved(name, traced):
    move, rank, expected = MOVED[name]
    function = tf.function(move) if traced else move
    assert joined(function(encoded(ragged(1), True)), 0, rank) == expected


def test_lists_hold_them():
    rows = encoded(ragged(2), True)
    scalar = tf.constant([], tf.int32)
    items = raw.TensorListFromTensor(tensor=rows, element_shape=scalar)

    def item(index):
        return raw.TensorListGetItem(
            input_handle=items, index=index, element_shape=scalar, element_dtype=tf.variant
        )

    assert [joined(item(k), 1, 1) for k in range(3)] == ROWS[2]
    items = raw.TensorListSetItem(input_handle=items, index=0, item=item(2))
    stacked = raw.TensorListStack(
        input_handle=items, element_shape=scalar, element_dtype=tf.variant
    )
    assert joined(stacked, 1, 2) == [ROWS[2][2], ROWS[2][1], ROWS[2][2]]
    gathered = raw.TensorListGather(
        input_handle=items, indices=[1, 2], element_shape=scalar, element_dtype=tf.variant
    )
    assert joined(gathered, 1, 2) == ROWS[2][1:]


def test_sums_and_zeros():
    value = encoded(ragged(2), False)
    assert joined(tf.add_n([value, value]), 2, 2) == [[[2.0, 4.0], [6.0]], [], [[8.0]]]
    assert joined(raw.ZerosLike(x=value), 2, 2) == [[[0.0, 0.0], [0.0]], [], [[0.0]]]
    other = encoded(tf.ragged.constant([[[1.0]]]), False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="different row_splits"):
        tf.add_n([value, other])


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("rank", "batched"), list(itertools.product([0, 1, 2, 3], [True, False])))
def test_gradients(rank, batched, traced):
    values = ragged(rank).flat_values if rank else tf.constant([[1.0, 2.0], [3.0, 4.0]])
    splits = list(ragged(rank).nested_row_splits) if rank else []

    def gradient(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            variants = raw.RaggedTensorToVariant(
                rt_nested_splits=splits, rt_dense_values=values, batched_input=batched
            )
            found = decoded(variants, max(rank - batched, 0), rank)[1]
            loss = tf.reduce_sum(found**3)
        return tape.gradient(loss, values)

    run = tf.function(gradient) if traced else gradient
    np.testing.assert_allclose(run(values), 3 * values**2)


# The rank of what is read of two rows `v`, or how it is read.
READ = {
    "stack": (lambda v: tf.stack([v, v]), 2, [4.0, 8.0, 12.0]),
    "index": (lambda v: v[0], 0, [2.0, 4.0, 0.0]),
    "indices": (lambda v: tf.stack([v[0], v[0], v[1]]), 1, [4.0, 8.0, 6.0]),
    "slice": (lambda v: v[1:], 1, [0.0, 0.0, 6.0]),
    "unstack": (lambda v: tf.unstack(v)[0], 0, [2.0, 4.0, 0.0]),
    "array": (lambda v: tf.TensorArray(tf.variant, 3).unstack(v).read(0), 0, [2.0, 4.0, 0.0]),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", READ)
def test_gradients_of_moved_rows(name, traced):
    read, rank, expected = READ[name]
    value = ragged(1)

    def gradient(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            rows = encoded(value.with_flat_values(values), True)
            loss = tf.reduce_sum(decoded(read(rows), 0, rank)[1] ** 2)
        return tape.gradient(loss, values)

    run = tf.function(gradient) if traced else gradient
    assert run(value.flat_values).numpy().tolist() == expected


def test_second_derivatives():
    value = ragged(2)
    values = value.flat_values
    with tf.GradientTape() as outer:
        outer.watch(values)
        with tf.GradientTape() as tape:
            tape.watch(values)
            rows = encoded(value.with_flat_values(values), True)
            loss = tf.reduce_sum(decoded(rows, 1, 2)[1] ** 3)
        first = tape.gradient(loss, values)
    np.testing.assert_allclose(outer.gradient(first, values), 6 * values)


def test_the_operation_of_gradients():
    value = ragged(1)

    def gradient(**given):
        return raw.RaggedTensorToVariantGradient(
            **{
                "encoded_ragged_grad": encoded(value, True), "row_splits": value.row_splits,
                "dense_values_shape": [3], "Tvalues": tf.float32, **given,
            }
        )  # fmt: skip

    assert gradient().numpy().tolist() == [1.0, 2.0, 3.0]
    assert gradient(row_splits=tf.cast(value.row_splits, tf.int32)).numpy().tolist() == [1, 2, 3]
    for wrong in (
        {"dense_values_shape": [4]},
        {"row_splits": tf.constant([0, 3], tf.int64)},
        {"row_splits": tf.constant([0, 1, 2, 3], tf.int64)},
        {"row_splits": tf.constant([], tf.int64)},
        {"Tvalues": tf.int32},
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            gradient(**wrong)


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ([[0, 5]], "last element of ragged splits must be the number of ragged values"),
        ([[1, 2]], "first element of ragged splits"),
        ([[0, 2, 1]], "monotonically increasing"),
        ([[]], "at least one"),
        ([[[0, 2]]], "must be rank 1 but is rank 2"),
        ([[0, 3], [0, 2]], "number of ragged values"),
    ],
)
@pytest.mark.parametrize("batched", [True, False])
def test_wrong_splits(splits, message, batched):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        raw.RaggedTensorToVariant(
            rt_nested_splits=[tf.constant(level, tf.int64) for level in splits],
            rt_dense_values=[1.0, 2.0], batched_input=batched,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("variants", "input_rank", "output_rank", "message"),
    [
        (lambda: encoded(ragged(1), True), 1, 1, "must be equal to input_ragged_rank"),
        (lambda: encoded(ragged(1), True), -1, 2, "has ragged_rank=0.  Expected ragged_rank=1"),
        (lambda: encoded(ragged(1), True), 0, 0, "must have compatible shapes"),
        (lambda: encoded(ragged(1), True)[None], -1, 1, "Inferred input_ragged_rank"),
        (
            lambda: encoded(tf.ragged.constant([[1], [2]]), True), 0, 1,
            "Expected values Tensor dtype: float",
        ),
        (
            lambda: encoded(ragged(1, splits=tf.int32), False), 1, 1,
            "Expected row_splits Tensor dtype: int64",
        ),
        (
            lambda: raw.TensorListReserve(element_shape=[2], num_elements=2, element_dtype=tf.float32),
            0, 0, "doesn't hold a RaggedTensorVariant",
        ),
        (lambda: encoded(ragged(1), True), -2, 1, "must be at least minimum -1"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined(variants, input_rank, output_rank, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        decoded(variants(), input_rank, output_rank)


def test_lists_are_no_ragged_variants():
    row = encoded(ragged(1), True)[0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        raw.TensorListLength(input_handle=row)
    assert str(row) == (
        "tf.Tensor(<RaggedTensorVariant(dtype=float, ragged_rank=0, splits_dtype=INVALID>, "
        "shape=(), dtype=variant)"
    )


def test_tensors_of_another_dtype():
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a variant tensor"):
        decoded(tf.constant(1.0), 0, 1)
    with tf.Graph().as_default(), pytest.raises(TypeError, match="does not match expected type"):
        decoded(tf.constant(1.0), 0, 1)


def test_graph_files():
    value = ragged(2)

    @tf.function
    def function(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            rows = encoded(value.with_flat_values(values), True)
            loss = tf.reduce_sum(decoded(tf.stack([rows, rows]), 1, 3)[1] ** 2)
        return tape.gradient(loss, values)

    concrete = function.get_concrete_function(tf.TensorSpec([None], tf.float32))
    definition = concrete.graph.as_graph_def()
    names = {node.op for node in definition.node}
    assert {"RaggedTensorToVariant", "RaggedTensorFromVariant"} <= names

    def again(x):
        return tf.graph_util.import_graph_def(
            definition, {concrete.inputs[0].name: x}, [concrete.outputs[0].name]
        )

    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None])
        found = again(x)[0]
        with tf.compat.v1.Session() as session:
            np.testing.assert_allclose(session.run(found, {x: [1.0, 2, 3, 4]}), [4.0, 8, 12, 16])
