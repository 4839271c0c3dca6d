"""Loops over datasets whose variables change their shapes."""

import pytest

import eagerflow as tf

ROWS = [[1.0, 2.0], [3.0, 4.0]]


def unknown_rows():
    return tf.data.Dataset.from_generator(lambda: iter(ROWS), output_signature=tf.TensorSpec(None))


def total(elements):
    result = 0.0
    for row in elements:
        result += row
    return result


@pytest.mark.parametrize(
    "elements", [tf.data.Dataset.from_tensor_slices(ROWS), unknown_rows()], ids=["known", "unknown"]
)
def test_a_scalar_may_become_an_array(elements):
    traced = tf.function(total)
    assert traced(elements).numpy().tolist() == [4.0, 6.0]
    assert traced.get_concrete_function(elements).output_shapes.rank is None
    assert float(traced(elements.take(0))) == 0.0


def test_shapes_stay_as_specific_as_they_can():
    seen = []

    @tf.function
    def joined(elements):
        rows, count = tf.zeros([1, 2]), 0
        for row in elements:
            rows = tf.concat([rows, row[None]], 0)
            count += 1
        seen.append((rows.shape.as_list(), count.shape.as_list()))
        return rows

    assert joined(unknown_rows()).shape == [3, 2]
    assert seen == [([None, 2], [])]


def test_every_part_of_a_structure_may_change():
    @tf.function
    def sums(elements):
        state = {"rows": [0.0, tf.zeros([1])], "n": 0}
        for row in elements:
            rows = [state["rows"][0] + row, tf.concat([state["rows"][1], row], 0)]
            state = {"rows": rows, "n": state["n"] + 1}
        return state

    result = sums(tf.data.Dataset.from_tensor_slices(ROWS))
    assert result["rows"][0].numpy().tolist() == [4.0, 6.0]
    assert result["rows"][1].numpy().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert int(result["n"]) == 2


def test_loops_with_breaks_and_gradients():
    weight = tf.Variable(2.0)

    @tf.function
    def step(elements):
        with tf.GradientTape() as tape:
            loss = 0.0
            for row in elements:
                if tf.reduce_sum(row) > 4.0:
                    break
                loss += row * weight
        return loss, tape.gradient(loss, weight)

    loss, gradient = step(tf.data.Dataset.from_tensor_slices(ROWS))
    assert loss.numpy().tolist() == [2.0, 4.0]
    assert float(gradient) == 3.0


def test_the_body_is_traced_again_only_where_shapes_change():
    traces = []

    @tf.function
    def kept(elements):
        result = tf.zeros([2])
        for row in elements:
            traces.append("kept")
            result += row
        return result

    kept(tf.data.Dataset.from_tensor_slices(ROWS))
    assert traces == ["kept"]


@pytest.mark.parametrize("iterated", [lambda rows: iter(rows), lambda rows: tf.constant(ROWS)])
def test_other_loops_keep_their_shapes(iterated):
    rows = iterated(tf.data.Dataset.from_tensor_slices(ROWS))
    with pytest.raises(ValueError, match="after one iteration"):
        tf.function(total)(rows)


def test_dtypes_and_structures_do_not_change():
    @tf.function
    def other_dtype(elements):
        result = 0
        for row in elements:
            result = row
        return result

    @tf.function
    def other_structure(elements):
        result = [0.0]
        for row in elements:
            result = [0.0, row]
        return result

    for function, text in ((other_dtype, "dtype int32"), (other_structure, "nested structure")):
        with pytest.raises(TypeError, match=text):
            function(tf.data.Dataset.from_tensor_slices(ROWS))
