"""Variables: construction, assignment, sparse updates, names and copies."""

import copy
import pickle

import numpy as np
import pytest

import eagerflow as tf


def slices(values, indices):
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices))


def test_text():
    assert repr(tf.Variable(1.0)) == str(tf.Variable(1.0))
    assert repr(tf.Variable(1.0)) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"
    assert repr(tf.Variable([[1, 2], [3, 4]], name="m")) == (
        "<tf.Variable 'm:0' shape=(2, 2) dtype=int32, numpy=\n"
        "array([[1, 2],\n       [3, 4]], dtype=int32)>"
    )


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1.0, None, tf.float32),
        ([1, 2], None, tf.int32),
        ([1, 2], tf.float32, tf.float32),
        (np.array([1.0]), None, tf.float64),
        (np.array([1.0]), "float32", tf.float32),
        (lambda: tf.ones([2]), None, tf.float32),
        ("text", None, tf.string),
        (range(3), None, tf.int32),
    ],
)
def test_initial_values(value, dtype, expected):
    assert tf.Variable(value, dtype=dtype).dtype is expected


def test_wrong_initial_values():
    with pytest.raises(ValueError, match="initial_value"):
        tf.Variable()
    with pytest.raises(ValueError, match="initial_value: Tensor conversion requested"):
        tf.Variable(tf.constant([1]), dtype=tf.float32)
    with pytest.raises(TypeError, match="Cannot convert 1.5"):
        tf.Variable(1.5, dtype=tf.int32)
    with pytest.raises(ValueError, match="not compatible with the explicitly supplied `shape`"):
        tf.Variable([1.0, 2.0], shape=[3])
    with pytest.raises(ValueError, match="variable synchronization"):
        tf.Variable(1.0, synchronization="x")
    with pytest.raises(ValueError, match="variable aggregation"):
        tf.Variable(1.0, aggregation="x")
    with pytest.raises(ValueError, match="`constraint`"):
        tf.Variable(1.0, constraint=5)


def test_declared_shapes():
    variable = tf.Variable([1.0, 2.0], shape=[None])
    assert variable.shape == [None]
    variable.assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="incompatible"):
        variable.assign([[1.0]])
    anything = tf.Variable(1.0, shape=tf.TensorShape(None))
    assert anything.shape.rank is None
    anything.assign([[1.0]])


def test_assignments_return_the_variable():
    variable = tf.Variable([1.0, 2.0])
    assert variable.assign([3.0, 4.0]) is variable
    assert variable.assign_add([1.0, 1.0]).numpy().tolist() == [4.0, 5.0]
    assert variable.assign_sub([1.0, 1.0], read_value=False) is None
    before = variable.read_value()
    variable.assign_add([10.0, 10.0])
    assert before.numpy().tolist() == [3.0, 4.0]
    assert variable.value().numpy().tolist() == [13.0, 14.0]


def test_wrong_assignments_change_nothing():
    variable = tf.Variable([1.0, 2.0])
    for wrong, error in (
        ([1.0], ValueError),
        (1.0, ValueError),
        ("a", TypeError),
        (tf.constant([1, 2]), ValueError),
    ):
        with pytest.raises(error):
            variable.assign(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        variable.assign_add(1.0)
    assert variable.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("scatter_add", [1.0, 7.0]),
        ("scatter_sub", [1.0, -3.0]),
        ("scatter_max", [1.0, 5.0]),
        ("scatter_min", [1.0, 2.0]),
        ("scatter_update", [1.0, 5.0]),
        ("scatter_mul", [1.0, 10.0]),
        ("scatter_div", [1.0, 0.4]),
    ],
)
def test_scatter(method, expected):
    variable = tf.Variable([1.0, 2.0])
    assert getattr(variable, method)(slices([5.0], [1])) is variable
    np.testing.assert_allclose(variable.numpy(), expected)
    with pytest.raises(TypeError, match="must be a `tf.IndexedSlices`"):
        getattr(variable, method)(1)


def test_repeated_indices():
    variable = tf.Variable([[1.0, 1.0], [2.0, 2.0]])
    variable.scatter_add(slices([[1.0, 2.0], [3.0, 4.0]], [0, 0]))
    assert variable.numpy().tolist() == [[5.0, 7.0], [2.0, 2.0]]
    variable.scatter_mul(slices([[2.0, 2.0], [3.0, 3.0]], [1, 1]))
    assert variable.numpy()[1].tolist() == [12.0, 12.0]


def test_scatter_nd():
    variable = tf.Variable([1.0, 2.0, 3.0])
    variable.scatter_nd_add([[0]], [1.0])
    variable.scatter_nd_sub([[1]], [1.0])
    variable.scatter_nd_update([[2]], [9.0])
    assert variable.numpy().tolist() == [2.0, 1.0, 9.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        variable.scatter_nd_update([[5]], [1.0])
    matrix = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    matrix.batch_scatter_update(slices([[9.0], [8.0]], [[0], [1]]))
    assert matrix.numpy().tolist() == [[9.0, 2.0], [3.0, 8.0]]


def test_lookups():
    variable = tf.Variable([10, 20, 30])
    assert variable.sparse_read([2, 0]).numpy().tolist() == [30, 10]
    assert variable.gather_nd([[1]]).numpy().tolist() == [20]
    assert variable[1:].numpy().tolist() == [20, 30]
    assert [int(item) for item in variable] == [10, 20, 30]


def test_keys_and_equality():
    variable = tf.Variable([1.0, 2.0])
    with pytest.raises(TypeError, match=r"use variable.ref\(\) as the key"):
        hash(variable)
    assert variable.ref() == variable.ref() and variable.ref().deref() is variable
    assert (variable == [1.0, 3.0]).numpy().tolist() == [True, False]


@pytest.mark.parametrize("sign", ["+=", "-=", "*=", "/="])
def test_in_place_operators_are_refused(sign):
    scope = {"v": tf.Variable([1.0])}
    with pytest.raises(RuntimeError, match=r"with `tf.Variable`s is not supported"):
        exec(f"v {sign} 1.0", scope)


def test_arithmetic():
    variable = tf.Variable([1.0, 2.0])
    for result in (variable + 1, 1 + variable, variable * 2, -variable, abs(variable)):
        assert isinstance(result, tf.Tensor)
    assert isinstance(variable, tf.Variable) and not isinstance(variable, tf.Tensor)
    assert int(tf.Variable(3)) == 3 and bool(tf.Variable(1)) and float(tf.Variable(2.0)) == 2


def test_names_and_scopes():
    assert tf.Variable(1.0, name="a/b").name == "a/b:0"
    with tf.name_scope("s"):
        assert tf.Variable(1.0).name == "s/Variable:0"
        with tf.name_scope("t") as name:
            assert name == "s/t/" and tf.get_current_name_scope() == "s/t"
            assert tf.Variable(1.0, name="q").name == "s/t/q:0"
        with tf.name_scope("u/"):
            assert tf.Variable(1.0, name="q").name == "u/q:0"
        with tf.name_scope(""):
            assert tf.Variable(1.0).name == "Variable:0"
    assert tf.get_current_name_scope() == ""
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(None)


def test_copies_and_pickles():
    variable = tf.Variable([1.0, 2.0], name="v", trainable=False, shape=[None])
    for other in (copy.deepcopy(variable), pickle.loads(pickle.dumps(variable))):
        assert other is not variable and other.name == "v:0" and not other.trainable
        assert other.shape == [None]
        other.assign([5.0])
        assert variable.numpy().tolist() == [1.0, 2.0]


def test_shallow_copies_share_the_state():
    variable = tf.Variable([1.0, 2.0])
    assert copy.copy(variable) is variable


class _Wrapper(tf.Variable):
    """Extends the type without a value of its own, as TensorFlow's abstract `tf.Variable` lets it."""

    def __init__(self, inner, name):
        self.inner = inner
        self._name = name

    name = property(lambda self: self._name)
    dtype = property(lambda self: self.inner.dtype)

    def value(self):
        return 2 * self.inner.value()

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


class _WithOwnState(_Wrapper):
    def __getstate__(self):
        return {"kept": self.inner.numpy()}

    def __setstate__(self, state):
        self.inner = tf.Variable(state["kept"])


@pytest.mark.parametrize("kind", [_Wrapper, _WithOwnState])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_wrappers_of_variables_are_pickled_as_objects(kind, protocol):
    wrapper = kind(tf.Variable(3.0), "w")
    other = pickle.loads(pickle.dumps([wrapper, wrapper], protocol))
    assert other[0] is other[1] and type(other[0]) is kind
    assert other[0].name == "w" and other[0].inner is not wrapper.inner
    assert other[0].value().numpy() == 6.0


@pytest.mark.parametrize("kind", [_Wrapper, _WithOwnState])
def test_wrappers_of_variables_are_copied_as_objects(kind):
    wrapper = kind(tf.Variable(3.0), "w")
    wrapper.itself = wrapper
    deep, shallow = copy.deepcopy(wrapper), copy.copy(wrapper)
    assert deep.inner is not wrapper.inner and deep.value().numpy() == 6.0 and deep.name == "w"
    assert shallow is not wrapper and shallow.value().numpy() == 6.0 and shallow.name == "w"
    if kind is _Wrapper:
        assert deep.itself is deep and shallow.inner is wrapper.inner


def test_functions_take_wrappers_of_variables_as_objects():
    inner, traces = tf.Variable(3.0), []
    first, second = _Wrapper(inner, "a"), _Wrapper(tf.Variable(5.0), "b")

    @tf.function
    def plus_one(wrapper, others=()):
        traces.append(wrapper.name)
        return wrapper.value() + 1.0 + sum(other.value() for other in others)

    assert plus_one(first).numpy() == 7.0
    inner.assign(4.0)
    assert plus_one(first).numpy() == 9.0 and plus_one(second).numpy() == 11.0
    assert plus_one(first, [second]).numpy() == 19.0 and traces == ["a", "b", "a"]
    assert tf.function(lambda given: plus_one(given["x"]))({"x": first}).numpy() == 9.0


def test_properties():
    variable = tf.Variable(1.0)
    assert variable.trainable and variable.constraint is None and variable.initializer is None
    assert variable.synchronization is tf.VariableSynchronization.AUTO
    assert variable.aggregation is tf.VariableAggregation.NONE
    on_read = tf.VariableSynchronization.ON_READ
    assert not tf.Variable(1.0, synchronization=on_read).trainable
    with pytest.raises(AttributeError, match="undefined when eager"):
        _ = variable.op
    with pytest.raises(RuntimeError, match="eager execution is enabled"):
        _ = variable.initial_value
    with pytest.raises(ValueError, match="are not compatible"):
        variable.set_shape([3])
    counter = tf.Variable(1)
    assert int(counter.count_up_to(2)) == 1 and int(counter) == 2
    with pytest.raises(tf.errors.OutOfRangeError):
        counter.count_up_to(2)


def test_slices_are_assigned():
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    before = v.read_value()
    assert v[0].assign([7.0, 8.0, 9.0]) is v
    v[tf.constant(1), ::2].assign(0.0)
    v[..., 1, tf.newaxis].assign([[10.0], [11.0]])
    np.testing.assert_array_equal(v.numpy(), [[7.0, 10.0, 9.0], [0.0, 11.0, 0.0]])
    np.testing.assert_array_equal(before.numpy(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_a_slice_takes_only_what_fits():
    v = tf.Variable([[1.0, 2.0, 3.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2\].*\[3\]"):
        v[0].assign([1.0, 2.0])
    with pytest.raises(ValueError, match="float32.*int32"):
        v[0].assign(tf.constant([1, 2, 3]))
    np.testing.assert_array_equal(v.numpy(), [[1.0, 2.0, 3.0]])
    with pytest.raises(AttributeError):
        tf.constant([1, 2])[0].assign(3)


def test_programs_change_whether_a_variable_is_trainable():
    variable = tf.Variable(1.0)
    variable._trainable = False
    assert not variable.trainable and not variable._trainable
    with tf.GradientTape() as tape:
        product = variable * 2
    assert tape.gradient(product, variable) is None
    variable._trainable = True
    with tf.GradientTape() as tape:
        product = variable * 2
    assert float(tape.gradient(product, variable)) == 2


def test_choices_are_written_as_tensorflow_does():
    assert repr(tf.VariableAggregation.MEAN) == "<VariableAggregationV2.MEAN: 2>"
    assert str(tf.VariableSynchronization.ON_READ) == "VariableSynchronization.ON_READ"


def test_a_variable_is_cast_to_its_own_dtype_as_it_is():
    v = tf.Variable(1.0)
    assert tf.cast(v, tf.float32) is v and tf.cast(v, "float32") is v
    assert not isinstance(tf.cast(v, tf.float64), tf.Variable)
    kept = tf.cast(v, tf.float32)
    v.assign(2.0)
    assert float(kept) == 2.0

    @tf.function
    def later():
        kept = tf.cast(v, tf.float32)
        v.assign_add(1.0)
        return kept + 0.0

    assert float(later()) == 3.0
    with tf.GradientTape() as tape:
        y = tf.cast(v, tf.float32) * 2.0
    assert float(tape.gradient(y, v)) == 2.0
