"""Indexing by arrays of integers and booleans, beside NumPy: values, gradients, graphs, assignments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eagerflow as tf

DATA = np.arange(24.0).reshape(2, 3, 4)
MASK = DATA[0] % 3 == 1
ROWS, COLUMNS = [1, 0, -1], [0, 2, 2]

KEYS = {
    "two lists": (ROWS, COLUMNS),
    "one list": (ROWS,),
    "array": np.array([[1, 0], [0, 0]]),
    "list of lists": [[1, 0], [0, 0]],
    "list of booleans": [False, True],
    "after a slice": (slice(None), ROWS),
    "broadcast": ([[0], [1]], ROWS, 2),
    "apart": (ROWS, slice(1, None), COLUMNS),
    "apart from an integer": (0, slice(None), ROWS),
    "apart by an ellipsis of no axes": (None, [0, 1], ..., [1, 0], [0, 0]),
    "after an ellipsis": (..., ROWS, COLUMNS),
    "new axes": (None, slice(None), ROWS, None),
    "negative step": (slice(None, None, -1), slice(None, None, -2), ROWS),
    "mask": MASK[None].repeat(2, 0),
    "mask of the last axes": (slice(None), MASK),
    "mask after an ellipsis": (..., MASK[1], None),
    "mask and integers": (ROWS, slice(0, 2), [True, False, True, True]),
    "nothing": ([],),
    "unsigned": (np.array([1, 1], np.uint8), 0),
}


@st.composite
def indexed(draw):
    """A shape, and a key with arrays that NumPy accepts for it."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    common = draw(st.sampled_from([(3,), (2, 3), (0,)]))
    bound, step = st.one_of(st.none(), st.integers(-5, 5)), st.sampled_from([None, 1, -1, 2, -2])

    def part(size):
        kind = draw(st.sampled_from(["array", "mask", "slice", "integer"]))
        if kind == "mask" and common[-1] == 3:  # its indices are as many as the arrays'
            chosen = np.zeros(size, bool)
            chosen[draw(st.permutations(range(size)))[: 3 if size > 3 else 1]] = True
            return chosen
        if kind in ("array", "mask"):
            sizes = [
                draw(st.sampled_from([1, k])) for k in common[draw(st.integers(0, len(common))) :]
            ]
            return np.array(draw(st.integers(-size, size - 1))) + np.zeros(sizes or [1], int)
        return draw(
            st.builds(slice, bound, bound, step)
            if kind == "slice"
            else st.integers(-size, size - 1)
        )

    first = draw(st.integers(0, len(shape)))
    last = draw(st.integers(first, len(shape)))
    key = [*map(part, shape[:first]), ..., *map(part, shape[last:])]
    if last == len(shape) and draw(st.booleans()):
        key.pop()
    for extra in draw(st.lists(st.none(), max_size=2)):
        key.insert(draw(st.integers(0, len(key))), extra)
    return shape, tuple(key)


def equal(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.numpy(), expected)


@settings(max_examples=400, deadline=None)
@given(indexed())
def test_random_keys(case):
    shape, key = case
    data = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    x = tf.constant(data)
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = x[key]
        loss = tf.reduce_sum(found * found)
    equal(found, data[key])
    expected = np.zeros(shape)
    np.add.at(expected, key, 2 * data[key])
    equal(tf.convert_to_tensor(tape.gradient(loss, x)), expected)
    values = np.random.default_rng(0).random(data[key].shape)
    added = data.copy()
    np.add.at(added, key, values)
    np.testing.assert_allclose(x.at[key].add(values).numpy(), added, rtol=1e-12)
    equal(x.at[key].set(7.0), np.where(expected_places(shape, key), 7.0, data))


def expected_places(shape, key):
    places = np.zeros(shape, bool)
    places[key] = True
    return places


def as_tensors(key):
    """The key with tensors in place of lists and arrays."""
    if isinstance(key, np.ndarray):
        return tf.constant(key)
    if isinstance(key, tuple):
        return tuple(
            tf.constant(p) if isinstance(p, list | np.ndarray) and len(p) else p for p in key
        )
    return key


SIGNATURES = {
    "known": [2, 3, 4],
    "unknown sizes": [None, None, None],
    "some sizes": [None, 3, None],
}


@pytest.mark.parametrize("signature", [*SIGNATURES, "xla"])
@pytest.mark.parametrize("name", KEYS)
def test_graphs(name, signature):
    key = KEYS[name]
    spec = tf.TensorSpec(SIGNATURES.get(signature, [2, 3, 4]), tf.float64)

    @tf.function(input_signature=[spec], jit_compile=signature == "xla")
    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            part = x[key]
            loss = tf.reduce_sum(part**2)
        return (
            part,
            tape.gradient(loss, x),
            x[as_tensors(key)],
            x.at[key].add(1.0),
            x.at[key].set(-1.0),
        )

    numpy_key = key if not isinstance(key, list) else np.array(key)
    part, gradient, by_tensors, added, replaced = both(tf.constant(DATA))
    equal(part, DATA[numpy_key])
    equal(by_tensors, DATA[numpy_key])
    expected, sums, last = np.zeros_like(DATA), DATA.copy(), DATA.copy()
    np.add.at(expected, numpy_key, 2 * DATA[numpy_key])
    np.add.at(sums, numpy_key, 1.0)
    last[numpy_key] = -1.0
    equal(tf.convert_to_tensor(gradient), expected)
    equal(added, sums)
    equal(replaced, last)


def test_indices_that_graphs_compute():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float64), tf.TensorSpec([None], tf.int32)])
    def rows(x, indices):
        return x[indices], x[indices, indices], x.at[indices].set(0.0)

    found = rows(DATA, [1, 1])
    zeroed = DATA.copy()
    zeroed[1] = 0.0
    for value, expected in zip(found, (DATA[[1, 1]], DATA[[1, 1], [1, 1]], zeroed), strict=True):
        equal(value, expected)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)])
    def above(x):
        return x[x[:, 0] > 3, 1:], x.at[x > 5].multiply(2.0)

    part, doubled = above(DATA[0])
    equal(part, DATA[0][DATA[0][:, 0] > 3, 1:])
    equal(doubled, np.where(DATA[0] > 5, 2 * DATA[0], DATA[0]))

    with pytest.raises(ValueError, match="known rank"):
        tf.function(lambda x: x[..., [0]], input_signature=[tf.TensorSpec(None)])(DATA)


@pytest.mark.parametrize(
    "key",
    [
        (slice(None), [0, 2], [1, 3]),
        (0, slice(None), [1, -1]),
        ([1, 0], slice(1, None), [2, 2]),
        (slice(None), [[0], [1]], [1, 3]),
        (None, [0, 1], slice(None), 2),
    ],
    ids=str,
)
def test_arrays_anywhere_in_tensors_of_unknown_rank(key):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float64)])
    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            part = x[key]
            loss = tf.reduce_sum(part**2)
        return part, tf.convert_to_tensor(tape.gradient(loss, x)), x.at[key].add(1.0)

    for data in (DATA, DATA[..., None] * [1.0, -1.0]):
        part, gradient, added = both(data)
        equal(part, data[key])
        expected, sums = np.zeros_like(data), data.copy()
        np.add.at(expected, key, 2 * data[key])
        np.add.at(sums, key, 1.0)
        equal(gradient, expected)
        equal(added, sums)


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64", "float16", "bfloat16", "uint8"])
def test_dtypes(dtype):
    x = tf.cast(DATA, dtype)
    equal(x[ROWS, :, COLUMNS], x.numpy()[ROWS, :, COLUMNS])
    expected = x.numpy().copy()
    expected[:, COLUMNS] = 0
    equal(x.at[:, COLUMNS].set(tf.zeros([], dtype)), expected)


def test_strings():
    x = tf.constant([["a", "b"], ["c", "d"]])
    assert x[[1, 0], [0, 1]].numpy().tolist() == [b"c", b"b"]
    assert x.at[0].set("z").numpy().tolist() == [[b"z", b"z"], [b"c", b"d"]]


def test_changes():
    x = tf.constant([1.0, 5.0, 3.0])
    at = x.at[[0, 0, 2]]
    assert at.get().numpy().tolist() == [1.0, 1.0, 3.0]
    values = [2.0, 4.0, 0.5]
    results = {
        "set": [4.0, 5.0, 0.5],
        "add": [7.0, 5.0, 3.5],
        "subtract": [-5.0, 5.0, 2.5],
        "multiply": [8.0, 5.0, 1.5],
        "divide": [0.125, 5.0, 6.0],
        "power": [1.0, 5.0, 3**0.5],
        "min": [1.0, 5.0, 0.5],
        "max": [4.0, 5.0, 3.0],
    }
    for name, expected in results.items():
        np.testing.assert_allclose(getattr(at, name)(values), expected, 1e-6, err_msg=name)
    assert at.apply(tf.negative).numpy().tolist() == [-1.0, 5.0, -3.0]
    assert tf.constant([7, 2]).at[0].divide(2).numpy().tolist() == [3, 2]
    assert tf.constant([7, 2]).at[[1, 1]].power(2).numpy().tolist() == [7, 16]
    assert x.numpy().tolist() == [1.0, 5.0, 3.0]
    assert tf.Variable(x).at[1].add(1.0).numpy().tolist() == [1.0, 6.0, 3.0]
    assert tf.zeros([2, 2]).at[:, -1].add([1, 2]).numpy().tolist() == [[0.0, 1.0], [0.0, 2.0]]


@pytest.mark.parametrize("traced", [False, True])
def test_gradients_of_changes(traced):
    x, values = tf.constant([1.0, 5.0, 3.0]), tf.constant([2.0, 4.0])
    gradients = {
        "set": ([1, 0, 0], [1, 1]),
        "add": ([1, 1, 1], [1, 1]),
        "subtract": ([1, 1, 1], [-1, -1]),
        "multiply": ([1, 2, 4], [5, 3]),
        "divide": ([1, 0.5, 0.25], [-1.25, -0.1875]),
        "min": ([1, 0, 1], [1, 0]),
        "max": ([1, 1, 0], [0, 1]),
    }

    def of(name, x, values):
        with tf.GradientTape() as tape:
            tape.watch([x, values])
            y = getattr(x.at[[1, 2]], name)(values)
        return tape.gradient(y, [x, values])

    for name, expected in gradients.items():
        found = (tf.function(of) if traced else of)(name, x, values)
        for gradient, numbers in zip(found, expected, strict=True):
            assert gradient.numpy().tolist() == numbers, name


@pytest.mark.parametrize("sizes", [None, "unknown", "unknown rank"])
@pytest.mark.parametrize("key", [([1, 0],), ([1, 1], [0, -1]), ([True, False],)], ids=str)
def test_slices_without_elements(key, sizes):
    x = np.zeros([2, 3, 0], np.float32)

    def changed(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            part = x[key]
            results = part, x.at[key].add(1.0), x.at[key].set(part), x.at[key].multiply(2.0)
        return *results, tf.convert_to_tensor(tape.gradient(results, x))

    if sizes is not None:
        spec = tf.TensorSpec([None] * 3 if sizes == "unknown" else None)
        changed = tf.function(changed, input_signature=[spec])
    part, *whole = changed(tf.constant(x))
    equal(part, x[key])
    for result in whole:
        equal(result, x)
    v = tf.Variable(x)
    v[key].assign(1.0)
    equal(v, x)


MASKED = {
    "known": lambda shape: shape,
    "unknown sizes": lambda shape: [None] * len(shape),
    "unknown rank": lambda shape: None,
}


@pytest.mark.parametrize("of_mask", MASKED)
@pytest.mark.parametrize("of_value", MASKED)
@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, 0), (0, 3, 4)], ids=str)
def test_masks_alone(shape, axes, of_value, of_mask):
    data = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    mask = np.random.default_rng(1).random(shape[:axes]) > 0.5
    specs = [
        tf.TensorSpec(MASKED[of_value](shape), tf.float64),
        tf.TensorSpec(MASKED[of_mask](mask.shape), tf.bool),
    ]

    @tf.function(input_signature=specs)
    def masked(x, mask):
        with tf.GradientTape() as tape:
            tape.watch(x)
            part = x[mask]
            loss = tf.reduce_sum(part**2)
        return part, tf.convert_to_tensor(tape.gradient(loss, x))

    part, gradient = masked(data, mask)
    equal(part, data[mask])
    expected = np.zeros_like(data)
    expected[mask] = 2 * data[mask]
    equal(gradient, expected)
    if of_mask != "unknown rank":
        added = data.copy()
        added[mask] += 1
        equal(tf.function(lambda x, mask: x.at[mask].add(1.0), specs)(data, mask), added)


@pytest.mark.parametrize("key", ["alone", "in a tuple", "after an axis", "assigned"])
@pytest.mark.parametrize("length", [1, 2, 4])
def test_masks_of_other_sizes_in_graphs(length, key):
    use = {
        "alone": lambda x, mask: x[mask],
        "in a tuple": lambda x, mask: x[mask, 0],
        "after an axis": lambda x, mask: tf.transpose(x)[:, mask],
        "assigned": lambda x, mask: x.at[mask].set(0.0),
    }[key]
    specs = [tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.bool)]
    masked = tf.function(use, input_signature=specs)
    x = np.ones([3, 2], np.float32)
    masked(x, [True, False, True])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=rf"mask of shape \[{length}\].*sizes \[3\]"
    ):
        masked(x, [True] * length)
    with pytest.raises(tf.errors.InvalidArgumentError, match="mask of shape"):
        masked(x, [False] * length)


def test_masks_of_known_sizes_are_checked_when_traced():
    specs = [tf.TensorSpec([3, 2]), tf.TensorSpec([2], tf.bool)]
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        tf.function(lambda x, mask: x[mask], specs).get_concrete_function()
    with pytest.raises(ValueError, match="A mask of unknown rank can only be the whole index"):
        tf.function(
            lambda x, m: x[m, 0], [specs[0], tf.TensorSpec(None, tf.bool)]
        ).get_concrete_function()


@pytest.mark.parametrize("jit", [None, True])
def test_axes_of_no_elements(jit):
    for shape, key in [
        ((0, 3), ([],)),
        ((0, 3), (np.zeros([0], bool),)),
        ((2, 0), (slice(None), [])),
        ((2, 0, 3), ([0, 1],)),
        ((2, 0, 3), ([0, 1], slice(None), [0, 2])),
        ((0, 2), ([], [])),
    ]:
        data = np.zeros(shape, np.float32)

        def both(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                part = x[key]  # noqa: B023
            gradient = tf.convert_to_tensor(tape.gradient(part, x))
            return part, x.at[key].add(1.0), gradient  # noqa: B023

        part, added, gradient = tf.function(both, jit_compile=jit)(tf.constant(data))
        equal(part, data[tuple(np.array(p, int) if isinstance(p, list) else p for p in key)])
        equal(added, data)
        equal(gradient, data)


@pytest.mark.parametrize("traced", [False, True])
def test_variables(traced):
    v = tf.Variable(DATA)
    expected = DATA.copy()

    def change():
        v[v > 20].assign(0.0)
        v[[0, 0], 1].assign_add(1.0)
        v[:, [0, 2], 1].assign([[5.0], [6.0]])
        v[1, 0].assign_sub([1.0, 2.0, 3.0, 4.0])

    (tf.function(change) if traced else change)()
    expected[expected > 20] = 0.0
    np.add.at(expected, ([0, 0], 1), 1.0)
    expected[:, [0, 2], 1] = [[5.0], [6.0]]
    expected[1, 0] -= [1.0, 2.0, 3.0, 4.0]
    equal(v, expected)


def test_only_parts_of_variables_are_assigned():
    assert not hasattr(tf.constant([1.0])[0], "assign_add")
    assert "assign_add" not in dir(tf.constant(1.0))
    with pytest.raises(AttributeError, match="assign_sub"):
        tf.constant(1.0).assign_sub  # noqa: B018


def test_errors():
    x = tf.constant(DATA)
    with pytest.raises(tf.errors.InvalidArgumentError, match="has only 3 dims"):
        x[[0], [0], [0], [0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        x[[2],]
    with pytest.raises(tf.errors.InvalidArgumentError):
        x.at[[0, -3]].set(0.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast"):
        x.at[0].set([1.0, 2.0])
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        x[:, [True, False]]
    with pytest.raises(TypeError, match="are valid indices"):
        x[[0.5, 1.0],]


def test_vectorized():
    x = tf.constant(DATA)
    found = tf.vectorized_map(lambda row: row[[2, 0], 1:].at[0].add(1.0), x)
    expected = DATA[:, [2, 0], 1:].copy()
    expected[:, 0] += 1
    equal(found, expected)


def test_keras_tensors():
    inputs = tf.keras.Input([3, 4])
    model = tf.keras.Model(inputs, inputs[:, [2, 0], [1, 3]])
    equal(model(DATA), DATA[:, [2, 0], [1, 3]].astype("float32"))
    again = tf.keras.Model.from_config(model.get_config())
    equal(again(DATA), DATA[:, [2, 0], [1, 3]].astype("float32"))
