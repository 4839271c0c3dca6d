"""Weights of layers that cast: tensors of the compute dtype when read, variables otherwise."""

import copy
import pickle

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers
COMPUTE = {"float32": tf.float32, "mixed_float16": tf.float16, "mixed_bfloat16": tf.bfloat16}
HOLDERS = {
    "attribute": (lambda layer, v: setattr(layer, "held", v), lambda layer: layer.held),
    "list": (lambda layer, v: setattr(layer, "held", [v]), lambda layer: layer.held[0]),
    "dict": (lambda layer, v: setattr(layer, "held", {"k": v}), lambda layer: layer.held["k"]),
    "module": (
        lambda layer, v: setattr(layer, "module", tf.Module()) or setattr(layer.module, "v", v),
        lambda layer: layer.module.v,
    ),
    "weights": (lambda layer, v: None, lambda layer: layer.weights[0]),
}
READS = {
    "identity": tf.identity,
    "value": lambda v: v.value(),
    "read_value": lambda v: v.read_value(),
    "operator": lambda v: v + 1,
    "reflected": lambda v: 2 * v,
    "function": tf.square,
    "slice": lambda v: v[:1],
    "stack": lambda v: tf.stack([v, v]),
    "list": lambda v: tf.convert_to_tensor([v, v]),
    "gather": lambda v: tf.gather(v, [0]),
    "sparse_read": lambda v: v.sparse_read([0]),
    "like": tf.zeros_like,
    "dtype": lambda v: v,
    "while": lambda v: tf.while_loop(lambda i: i < 2, lambda i: [i + tf.reduce_sum(v)], [v[0]])[0],
}
CHANGES = {
    "assign": lambda v, x: v.assign(x),
    "assign_add": lambda v, x: v.assign_add(x),
    "assign_sub": lambda v, x: v.assign_sub(x),
    "of itself": lambda v, x: v.assign(v * 2),
    "other dtype": lambda v, x: v.assign(tf.ones([2])),
    "array": lambda v, x: v.assign_add(np.ones(2)),
    "scatter": lambda v, x: v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))),
    "rows": lambda v, x: v.scatter_nd_update([[1]], [5.0]),
    "products": lambda v, x: v.scatter_mul(tf.IndexedSlices(tf.constant([3.0]), tf.constant([0]))),
}
CHANGED = {
    "assign": [4, 4],
    "assign_add": [5, 5],
    "assign_sub": [-3, -3],
    "of itself": [2, 2],
    "other dtype": [1, 1],
    "array": [2, 2],
    "scatter": [2, 1],
    "rows": [1, 5],
    "products": [3, 1],
}


class Holding(layers.Layer):
    """Holds a weight somewhere, and calls a function with it."""

    def __init__(self, policy, run, hold=HOLDERS["attribute"], name=None, **options):
        super().__init__(dtype=policy, name=name)
        self.run, (self.hold, self.get), self.options = run, hold, options

    def build(self, shape):
        weight = self.add_weight("v", [2], initializer="ones", **self.options)
        self.hold(self, weight)
        super().build(shape)

    def call(self, inputs):
        return self.run(self.get(self), inputs)


@pytest.fixture(params=[False, True], ids=["eager", "function"])
def called(request):
    return tf.function if request.param else lambda layer: layer


@pytest.mark.parametrize("policy", COMPUTE)
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("read", READS)
def test_reads_have_the_compute_dtype_wherever_a_weight_is_held(policy, holder, read, called):
    seen = []
    layer = Holding(
        policy, lambda v, x: seen.append(READS[read](v).dtype) or x * v, HOLDERS[holder]
    )
    with tf.GradientTape() as tape:
        y = called(layer)(tf.fill([2], 3.0))
    assert set(seen) == {COMPUTE[policy]} == {y.dtype}
    assert tape.gradient(y, layer.weights[0]).dtype == tf.float32
    assert READS[read](layer.weights[0]).dtype == tf.float32


@pytest.mark.parametrize("policy", COMPUTE)
@pytest.mark.parametrize("change", CHANGES)
def test_changes_reach_the_variable_and_are_read_at_once(policy, change, called):
    layer = Holding(policy, lambda v, x: [CHANGES[change](v, x), tf.identity(v)][1])
    layer.build([2])
    seen = called(layer)(tf.fill([2], 4.0))
    assert seen.dtype == COMPUTE[policy]
    np.testing.assert_array_equal(tf.cast(seen, tf.float32), CHANGED[change])
    np.testing.assert_array_equal(layer.held, CHANGED[change])
    assert layer.held.dtype == tf.float32


@pytest.mark.parametrize("policy", COMPUTE)
def test_everything_but_the_value_is_the_variables(policy, called):
    def run(v, x):
        assert isinstance(v, tf.Variable) and tf.is_tensor(v)
        assert (v.name, v.trainable, v.shape) == ("w/v:0", True, [2])
        assert v.handle.dtype == tf.resource and v.device and v.ref() == v.ref()
        assert (v.constraint, v._dtype) == (None, tf.float32)
        if tf.executing_eagerly():
            assert v.assign_add([0.0, 0.0], read_value=False) is None
            assert v.numpy().dtype == np.asarray(v).dtype == np.float32
        return x * v

    layer = Holding(policy, run, name="w")
    called(layer)(tf.ones([2]))


def test_text_has_both_dtypes():
    texts = []
    layer = Holding("mixed_float16", lambda v, x: texts.append(repr(v)) or x, name="text")
    layer(tf.ones([2]))
    texts.append(repr(layer.held))
    assert texts == [
        f"<AutoCastVariable 'text/v:0' shape=(2,) dtype=float32 dtype_to_cast_to={dtype}, "
        f"numpy=array([1., 1.], dtype={dtype})>"
        for dtype in ("float16", "float32")
    ]


@pytest.mark.parametrize(
    "options, dtype",
    [
        ({"dtype": "int32"}, tf.int32),
        ({"autocast": False}, tf.float32),
        ({"dtype": "float64"}, None),
    ],
)
def test_which_weights_are_cast(options, dtype):
    seen = []
    layer = Holding("mixed_float16", lambda v, x: seen.append(tf.identity(v).dtype) or x, **options)
    layer(tf.ones([2]))
    assert seen == [dtype or tf.float16]


@pytest.mark.parametrize("outer", [*COMPUTE, "float64"])
@pytest.mark.parametrize("inner", [*COMPUTE, "float64"])
def test_the_innermost_layer_decides(outer, inner):
    dtypes = COMPUTE | {"float64": tf.float64}
    shared = Holding("mixed_float16", lambda v, x: x)
    shared.build([2])
    weight, seen = shared.held, []

    class Inner(layers.Layer):
        def build(self, shape):
            seen.append(weight.dtype)

        def call(self, inputs):
            seen.append(weight.dtype)
            return inputs

    class Outer(layers.Layer):
        def __init__(self, **options):
            super().__init__(**options)
            self.inner = Inner(dtype=inner)

        def call(self, inputs):
            inputs = self.inner(inputs)
            seen.append(weight.dtype)
            return inputs

    layer = Outer(dtype=outer)
    for _ in range(2):
        layer(tf.ones([2]))
        with pytest.raises(tf.errors.InvalidArgumentError):
            Holding(inner, lambda v, x: tf.reshape(v, [3]))(tf.ones([2]))
    there, here = dtypes[outer], dtypes[inner]
    assert seen == [there, here, there, here, there]
    assert weight.dtype == tf.float32


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("policy", COMPUTE)
def test_cells_may_change_their_weights(policy, unroll, called):
    class Cell(layers.Layer):
        state_size = output_size = 2

        def build(self, shape):
            self.kernel = self.add_weight("kernel", [2, 2], initializer="ones")
            self.count = self.add_weight("count", [], initializer="zeros", trainable=False)

        def call(self, inputs, states):
            self.count.assign_add(1.0)
            state = tf.matmul(inputs, self.kernel) + states[0]
            return state, [state]

    rnn = layers.RNN(Cell(dtype=policy), unroll=unroll, dtype=policy)
    with tf.GradientTape() as tape:
        y = called(rnn)(tf.ones([1, 3, 2]))
    assert y.dtype == COMPUTE[policy]
    np.testing.assert_array_equal(tf.cast(y, tf.float32), [[6, 6]])
    assert rnn.cell.count.numpy() >= 3  # shapes may be inferred by a further call
    np.testing.assert_array_equal(tape.gradient(y, rnn.cell.kernel), np.full([2, 2], 3.0))


@pytest.mark.parametrize("form", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_cast_too(form):
    layer = Holding("mixed_float16", lambda v, x: x * v)
    layer.build([2])
    layer.held, before = form(layer.held), layer.held
    layer.held.assign([5.0, 6.0])
    assert layer(tf.ones([2])).dtype == tf.float16
    assert (before.numpy().tolist(), layer.held.numpy().tolist()) == ([1, 1], [5, 6])


def test_variables_of_a_strategy():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        layer = Holding("mixed_bfloat16", lambda v, x: [v.assign_add(x), x * v][1])
        layer.build([2])
    weight = layer.held
    y = strategy.run(layer, [tf.ones([2])])
    assert (y.dtype, weight.dtype, weight.numpy().tolist()) == (tf.bfloat16, tf.float32, [2, 2])
    strategy.extended.update(weight, lambda v: v.assign_add([1.0, 1.0]))
    assert weight.numpy().tolist() == [3, 3]


def test_graphs_of_version_1():
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        layer = Holding("mixed_bfloat16", lambda v, x: tf.identity(v.assign_add(x)) * x)
        y = layer(tf.constant([1.0, 1.0]))
        assert y.dtype == tf.bfloat16
        assert [v.name for v in v1.global_variables()] == ["holding/v:0"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(tf.cast(y, tf.float32)).tolist() == [2, 2]
            assert session.run(layer.held).tolist() == [2, 2]
