"""Axes, structures, random values, chunks and control flow of mapped functions."""

import functools
import logging

import numpy as np
import pytest

import eagerflow as tf

func = tf.func
ROWS = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
BLOCK = np.arange(24.0).reshape(2, 3, 4)

MODES = {
    "eager": lambda f: f,
    "traced": tf.function,
    "xla": tf.function(jit_compile=True),
}


@pytest.fixture(params=MODES)
def mode(request):
    return MODES[request.param]


def close(found, expected):
    tf.nest.assert_same_structure(found, expected, check_types=False)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("out_dim", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("in_dim", [0, 1, 2, -1, -2, -3])
def test_axes(in_dim, out_dim, mode):
    found = mode(func.vmap(lambda x: 2 * x, in_dim, out_dim))(BLOCK)
    close(found, 2 * np.moveaxis(BLOCK, in_dim, out_dim))


@pytest.mark.parametrize("dims", [(0, 1), (-1, 0), (1, -1), (-2, -1)])
def test_axes_of_unknown_ranks(dims):
    call = tf.function(func.vmap(lambda x: 2 * x, *dims), [tf.TensorSpec(None, tf.float64)])
    close(call(BLOCK), 2 * np.moveaxis(BLOCK, *dims))


def test_outer_parts_of_structures(mode):
    def f(pair, scale):
        return {
            "sum": pair["a"][0] + pair["a"][1] + pair["b"],
            "scaled": (scale * pair["b"], scale),
        }

    values = {"a": (tf.constant(ROWS), tf.constant(ROWS)), "b": tf.constant(ROWS[0])}
    call = func.vmap(f, ({"a": 0, "b": None}, None), {"sum": 1, "scaled": (0, None)})
    close(
        mode(call)(values, tf.constant(2.0, tf.float64)),
        {"sum": (2 * ROWS + ROWS[0]).T, "scaled": (np.stack([2 * ROWS[0]] * 2), 2.0)},
    )
    lists = func.vmap(lambda x: x[0] + x[1], [[0, 1]])
    close(mode(lists)([tf.constant(ROWS), tf.constant(ROWS.T)]), 2 * ROWS)


def test_none_and_python_values_are_shared(mode):
    def f(x, bias=None, *, training=False, mode="plain"):
        assert bias is None and training is True and mode == "loud"
        return x + 1

    close(mode(func.vmap(f))(ROWS, None, training=True, mode="loud"), ROWS + 1)
    close(mode(func.vmap(lambda x: x["a"]))({"a": tf.constant(ROWS), "b": None}), ROWS)


def test_defaults_are_no_arguments(mode):
    """`in_dims` and `argnums` count what is passed, also where `tf.function` binds the arguments."""
    close(mode(func.vmap(tf.sin))(ROWS), np.sin(ROWS))
    close(mode(func.vmap(tf.reduce_sum, in_dims=(0,)))(tf.constant(ROWS)), ROWS.sum(1))

    def scaled(x, factor=3.0):
        return factor * tf.reduce_sum(x * x)

    close(mode(func.grad(scaled, -1))(tf.constant(ROWS)), 6 * ROWS)
    close(mode(func.vmap(func.grad(scaled), (0,)))(tf.constant(ROWS)), 6 * ROWS)
    named = tf.function(func.grad(scaled), input_signature=[tf.TensorSpec([None, 3], name="x")])
    close(named(tf.constant(ROWS, tf.float32)), 6 * ROWS)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_chunks(size, known):
    x = tf.constant(np.arange(10.0).reshape(5, 2))

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, total = func.vmap(lambda row: (row**2, tf.reduce_sum(row)), chunk_size=size)(x)
        return y, total, tape.gradient([y, total], x)

    signature = None if known else [tf.TensorSpec([None, None], tf.float64)]
    for call in [tf.function(both, signature)] + [both] * known:
        y, total, gradient = call(x)
        assert y.shape == [5, 2]
        close((y, total, gradient), (x**2, tf.reduce_sum(x, 1), 2 * x + 1))
    of_none = tf.function(func.vmap(tf.sin, chunk_size=size), signature)
    assert of_none(tf.zeros([0, 2], tf.float64)).shape == [0, 2]


def test_shared_results():
    outer = tf.constant(3.0)
    close(func.vmap(lambda x: (x, outer * 2), out_dims=(0, None))(ROWS), (ROWS, 6.0))
    with pytest.raises(ValueError, match="differs from slice to slice"):
        func.vmap(lambda x: x, out_dims=None)(ROWS)


DRAWS = {
    "normal": lambda: tf.random.normal([3]),
    "truncated": lambda: tf.random.truncated_normal([3]),
    "uniform": lambda: tf.random.uniform([3]),
    "integers": lambda: tf.random.uniform([3], 0, 1 << 30, tf.int32),
    "shuffle": lambda: tf.random.shuffle(tf.range(50)),
    "categorical": lambda: tf.random.categorical(tf.zeros([1, 1000]), 5)[0],
    "gamma": lambda: tf.random.gamma([3], 2.0),
    "poisson": lambda: tf.random.poisson([30], 50.0),
    "dropout": lambda: tf.nn.dropout(tf.ones([100]), 0.5),
    "generator": functools.partial(
        lambda generator: generator.normal([3]), tf.random.Generator.from_seed(1)
    ),
}


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", DRAWS)
def test_random_values(name, traced, chunk_size):
    draw = DRAWS[name]
    x = tf.zeros([4])

    def rows(randomness):
        call = func.vmap(lambda _: draw(), randomness=randomness, chunk_size=chunk_size)
        return (tf.function(call) if traced else call)(x).numpy()

    different, same = rows("different"), rows("same")
    assert len({row.tobytes() for row in different}) == 4
    assert len({row.tobytes() for row in same}) == 1
    assert same[0].tobytes() != rows("same")[0].tobytes()
    with pytest.raises(ValueError, match="randomness='error'"):
        rows("error")


def test_random_values_that_depend_on_slices():
    rates = tf.constant([1.0, 10.0, 100.0])
    assert func.vmap(lambda rate: tf.random.poisson([], rate))(rates).shape == [3]
    scaled = func.vmap(lambda x: x * tf.random.normal([]), randomness="same")(rates).numpy()
    np.testing.assert_allclose(scaled, scaled[0] * np.array([1, 10, 100]), rtol=1e-5)
    noise = func.vmap(lambda x: tf.random.stateless_normal([], tf.stack([x, 1])))(tf.range(3))
    assert len(set(noise.numpy().tolist())) == 3


def test_random_values_in_maps_of_maps_and_loops():
    x = tf.zeros([3, 4])
    found = func.vmap(func.vmap(lambda x: x + tf.random.normal([])))(x).numpy()
    assert len(set(found.flat)) == 12
    same = func.vmap(func.vmap(lambda x: x + tf.random.normal([])), randomness="same", in_dims=1)(x)
    assert same.shape == [4, 3]

    def walk(x):
        for _ in tf.range(3):
            x += tf.random.normal([])
        return x

    assert len(set(func.vmap(walk)(tf.zeros([5])).numpy())) == 5
    with pytest.raises(ValueError, match="in a loop, a conditional"):
        func.vmap(walk, randomness="same")(tf.zeros([5]))

    @tf.function
    def noisy(x):
        return x + tf.random.normal([])

    assert len(set(func.vmap(noisy)(tf.zeros([5])).numpy())) == 5
    with pytest.raises(ValueError, match="randomness='error'"):
        func.vmap(noisy, randomness="error")(tf.zeros([5]))


def test_random_values_of_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def noise(x):
        return func.vmap(lambda row: tf.random.normal(tf.shape(row)))(x)

    assert len(set(noise(tf.zeros([3, 4])).numpy().flat)) == 12


@pytest.mark.parametrize("traced", [False, True])
def test_seeded_values_are_those_of_one_draw(traced):
    """As in TensorFlow, the slices of `tf.vectorized_map` share the values that one call draws."""

    def draw(x):
        return x + tf.random.normal([2], seed=3)

    tf.random.set_seed(5)
    call = functools.partial(tf.vectorized_map, draw)
    found = (tf.function(call) if traced else call)(tf.zeros([4, 2]))
    tf.random.set_seed(5)
    np.testing.assert_array_equal(found, tf.random.normal([4, 2], seed=3))


def test_dropout_of_models():
    model = tf.keras.Sequential([tf.keras.Input([50]), tf.keras.layers.Dropout(0.5)])
    x = tf.ones([4, 50])
    one = lambda x: model(x[None], training=True)[0]  # noqa: E731
    assert len({row.tobytes() for row in func.vmap(one)(x).numpy()}) == 4
    assert len({row.tobytes() for row in func.vmap(one, randomness="same")(x).numpy()}) == 1


def test_control_flow_of_slices(mode):
    def branches(x):
        if tf.reduce_sum(x) > 2.0:
            return x * 2
        return -x

    def steps(x):
        while tf.reduce_sum(x) < 10.0:
            x = x * 2 + 1
        return x

    if mode is MODES["xla"]:
        pytest.skip("programs unroll maps over what runs at once")
    expected = np.stack([2 * r if r.sum() > 2 else -r for r in ROWS])
    close(mode(func.vmap(branches))(ROWS), expected)
    close(
        mode(func.vmap(lambda x: tf.cond(x[0] > 0.7, lambda: x, lambda: -x)))(ROWS),
        np.stack([ROWS[0], -ROWS[1]]),
    )
    expected = []
    for row in ROWS:
        while row.sum() < 10:
            row = row * 2 + 1
        expected.append(row)
    close(mode(func.vmap(steps))(ROWS), np.stack(expected))
    close(
        mode(func.vmap(func.grad(lambda x: tf.reduce_sum(branches(x)))))(ROWS),
        np.array([[-1.0] * 3, [2.0] * 3]),
    )


def test_python_control_flow_is_converted_in_functions():
    def f(x):
        if x > 1.0:
            return x**3
        return x

    for transformed, expected in [
        (func.grad(f), 12.0),
        (func.jacrev(f), 12.0),
        (func.jacfwd(f), 12.0),
        (func.hessian(f), 12.0),
        (lambda x: func.jvp(f, (x,), (tf.ones_like(x),))[1], 12.0),
        (lambda x: func.vjp(f, x)[1](tf.ones_like(x))[0], 12.0),
    ]:
        close(tf.function(transformed, [tf.TensorSpec([])])(2.0), expected)


def test_no_warnings(caplog):
    x = tf.constant(ROWS)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for transform in (func.vmap, func.jacrev, func.jacfwd, func.hessian):
            tf.function(transform(lambda x: tf.sin(x)))(x)
            tf.function(transform(tf.sin))(x)
            tf.function(func.jacrev(transform(lambda x: x**2)))(x)
        tf.function(func.grad(lambda x: tf.reduce_sum(x)))(x)
        tf.function(tf.custom_gradient(lambda x: (x, lambda dy: dy)))(x)
        tf.function(tf.recompute_grad(lambda x: 2 * x))(x)
        for _ in range(8):
            func.vmap(lambda x: x + 1)(x)
    assert not caplog.records


def test_embeddings_by_slices():
    table = tf.Variable(ROWS)
    ids = tf.constant([[0, 1], [1, 1], [0, 0]])
    close(func.vmap(lambda i: tf.gather(table, i))(ids), ROWS[ids.numpy()])
    close(func.vmap(lambda t, i: tf.gather(t, i))(tf.stack([table] * 3), ids), ROWS[ids.numpy()])
    gradients = func.vmap(
        func.grad(lambda table, i: tf.reduce_sum(tf.gather(table, i) ** 2)), (None, 0)
    )(table, ids)
    expected = np.zeros([3, 2, 3])
    for example, row in enumerate(ids.numpy()):
        np.add.at(expected[example], row, 2 * ROWS[row])
    close(gradients, expected)
    pairs = tf.constant([[[0, 1], [1, 2]], [[1, 0], [0, 0]]])
    close(func.vmap(lambda i: tf.gather_nd(table, i))(pairs), np.array([[2.0, 3.0], [0.5, 1.0]]))


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, None], tf.float64)]])
def test_shapes_that_depend_on_values(signature):
    mapped = {
        "mask": (lambda row: tf.reduce_sum(row[row > 0]), np.where(ROWS > 0, ROWS, 0).sum(1)),
        "unique": (lambda row: tf.size(tf.unique(tf.abs(row))[0]), np.array([2, 3])),
        "where": (lambda row: tf.size(tf.where(row == 0.0)), np.array([0, 1])),
    }
    for name, (f, expected) in mapped.items():
        call = tf.function(lambda x, f=f: func.vmap(f)(x), input_signature=signature)
        np.testing.assert_array_equal(call(tf.constant(ROWS)), expected, name)
    gradient = func.vmap(func.grad(lambda row: tf.reduce_sum(row[row > 0] ** 2)))(ROWS)
    close(gradient, np.where(ROWS > 0, 2 * ROWS, 0))


def test_values_of_several_tensors_are_refused():
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with pytest.raises(TypeError, match="RaggedTensor.*tf.map_fn"):
        func.vmap(tf.reduce_sum)(ragged)
    with pytest.raises(TypeError, match="got a SparseTensor"):
        func.vmap(tf.sparse.reduce_sum)(tf.sparse.from_dense([[1.0, 0.0]]))
    with pytest.raises(TypeError, match="returned a RaggedTensor"):
        func.vmap(lambda row: tf.RaggedTensor.from_row_lengths(row, [1, 2]))(tf.constant(ROWS))


def test_texts():
    found = func.vmap(lambda a, b: tf.strings.join([a, b]), (0, None))(tf.constant(["x", "y"]), "z")
    assert found.numpy().tolist() == [b"xz", b"yz"]
    lengths = func.vmap(tf.strings.length)(tf.constant([["a", "bc"], ["", "def"]]))
    close(lengths, np.array([[1, 2], [0, 3]]))


def test_errors():
    x = tf.constant(ROWS)
    for call, match in [
        (func.vmap(lambda a, b: a, (0,)), "1 items, but there are 2"),
        (func.vmap(lambda a, b: a, {"a": 0}), "in_dims must be"),
        (func.vmap(lambda a, b: a, (0, "b")), "integers and None"),
        (func.vmap(lambda a, b: a, (0, (0, 1))), "in_dims does not fit"),
        (func.vmap(lambda a, b: a, out_dims=5), "out_dims has the axis 5"),
        (func.vmap(lambda a, b: a, out_dims=(0, 1)), "out_dims does not fit"),
    ]:
        with pytest.raises((ValueError, TypeError), match=match):
            call(x, x)
    with pytest.raises(ValueError, match="randomness must be"):
        func.vmap(tf.sin, randomness="none")
    with pytest.raises(ValueError, match="chunk_size must be"):
        func.vmap(tf.sin, chunk_size=0)
    with pytest.raises(ValueError, match="no axis 0"):
        func.vmap(lambda x, y: x)(x, 2.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(func.vmap(lambda a, b: a + b), [tf.TensorSpec([None])] * 2)(
            [1.0], [1.0, 2.0, 3.0]
        )
