"""Public functions as objects, and the order of overrides of their calls."""

import copy
import functools
import inspect
import pickle
import weakref

import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework.op_function import op_function


class Base:
    """Returns its name, or leaves calls to the next override."""

    answer = "base"

    def __op_function__(self, function, args, kwargs):
        return self.answer


class Derived(Base):
    answer = "derived"


class Other:
    answer = "other"
    __op_function__ = Base.__op_function__


class Passes(Base):
    answer = NotImplemented


@op_function
def doubled(x, *, by=2):
    """Twice the value."""
    return tf.multiply(x, by)


@pytest.mark.parametrize("function", [tf.add, tf.nn.moments])
def test_is_like_a_function(function):
    assert inspect.isroutine(function) and callable(function)
    assert "name" in inspect.signature(function).parameters
    assert function.__doc__ and function.__qualname__ == function.__name__
    assert copy.deepcopy(function) is function and weakref.ref(function)() is function
    assert pickle.loads(pickle.dumps(function)) is function

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    assert wrapper.__name__ == function.__name__ and inspect.unwrap(wrapper) is not wrapper

    class Owner:
        method = function
        static = staticmethod(function)

    assert Owner().method.__self__.__class__ is Owner
    assert Owner.method is Owner().static is function


def test_shows_its_body():
    assert inspect.getsource(doubled).startswith("@op_function\ndef doubled")
    assert doubled.__wrapped__.__code__ is doubled.__code__
    assert doubled.__kwdefaults__ == {"by": 2} and doubled.__module__ == __name__
    with pytest.raises(AttributeError, match="nothing"):
        _ = doubled.nothing
    doubled.note = 1
    assert doubled.__wrapped__.note == 1
    with pytest.raises(TypeError, match=r"doubled\(\) missing 1 required positional argument"):
        doubled()


@pytest.mark.parametrize("function", [tf.add, tf.math.truediv])
def test_subclasses_go_before_their_bases_and_others_from_left_to_right(function):
    assert function(Base(), Derived()) == function(Derived(), Base()) == "derived"
    assert function(Base(), Other()) == "base" and function(Other(), Base()) == "other"
    assert function(Base(), tf.ones([2])) == function(1.0, y=Base()) == "base"
    assert function([1, [Base()]], 2) == "base" and function((1, Other()), 2) == "other"


def test_the_next_is_asked_where_one_passes():
    assert tf.add(Passes(), Other()) == "other"
    assert doubled(Passes(), by=Other()) == "other"
    with pytest.raises(ValueError, match="unsupported type"):
        doubled(Passes())


def test_dictionaries_and_what_a_body_calls_are_looked_at():
    assert tf.math.add_n(inputs={"a": Base()}) == "base"

    def plain(x):
        return doubled(x), tf.add(x, 1)

    assert plain(Base()) == ("base", "base")


def test_functions_may_deal_with_such_arguments_themselves():
    @op_function(overridable=False)
    def names(x):
        return type(x).__name__

    assert names(Base()) == "Base"


def test_each_gets_keyword_arguments_of_its_own():
    class Greedy(Passes):
        def __op_function__(self, function, args, kwargs):
            kwargs.clear()
            return NotImplemented

    class Counts:
        def __op_function__(self, function, args, kwargs):
            return sorted(kwargs)

    assert tf.add(x=Greedy(), y=Counts()) == ["x", "y"]


def test_all_calls_are_added_to_a_graph_that_is_built():
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        total = v1.add(1.0, 2.0)
        mean, _ = v1.nn.moments(v1.ones([4, 3]), [0])
        assert [total.name, mean.name] == ["Add:0", "moments/Squeeze:0"]
        assert tf.is_symbolic_tensor(tf.add(1.0, 2.0)) and graph.version > 4
        with v1.Session() as session:
            assert session.run(total) == 3.0 and session.run(mean).tolist() == [1.0] * 3
    assert v1.add(1.0, 2.0).numpy() == 3.0
    assert v1.add is tf.add


@pytest.mark.parametrize(
    "call",
    [
        lambda dy: _core.ops.gather_grad(dy, tf.constant([0, 0, 1, 1]), [5]),
        lambda dy: _core.ops.gather_nd_grad(dy, tf.constant([[0], [0], [1]]), [5]),
    ],
)
@pytest.mark.parametrize("sizes", [[2], [None]], ids=["known", "unknown"])
def test_gradients_of_slices_have_the_shape_of_the_slices(call, sizes):
    function = tf.function(call, input_signature=[tf.TensorSpec(sizes, tf.float32)])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="the slices"):
        function(tf.ones([2]))


def test_sums_of_integers_wrap_around():
    ends = tf.constant([2**63 - 1, 1], tf.int64)
    assert tf.cumsum(ends)[1] == -(2**63)
    assert tf.math.cumprod(ends * 3)[0] == 2**63 - 3
    assert tf.scatter_nd([[0], [0]], ends, [1])[0] == -(2**63)


def test_operations_that_keras_finds_by_name_are_made_from_a_configuration():
    for function in (tf.nn.leaky_relu, tf.nn.relu6):
        assert function.from_config(None) is function


def test_operations_are_pickled_by_programs_that_pickle_functions_by_their_code():
    cloudpickle = pytest.importorskip("cloudpickle")
    for function in (tf.nn.relu, tf.nn.leaky_relu, tf.tanh):
        assert cloudpickle.loads(cloudpickle.dumps(function)) is function
