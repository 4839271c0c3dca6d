"""tf.variable_creator_scope: the arguments of creators, and their order."""

import contextlib

import pytest

import eagerflow as tf


def test_a_creator_gets_all_arguments():
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(kwargs)
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        variable = tf.Variable(1.0, False, name="a")
    assert variable.name == "a:0" and not variable.trainable
    (given,) = seen
    assert given.pop("initial_value") == 1.0 and given.pop("trainable") is False
    assert given.pop("name") == "a" and given.pop("validate_shape") is True
    assert given.pop("synchronization") is tf.VariableSynchronization.AUTO
    assert given.pop("aggregation") is tf.VariableAggregation.NONE
    assert given == dict.fromkeys(
        "caching_device variable_def dtype import_scope constraint shape "
        "experimental_enable_variable_lifting".split()
    )


def test_the_innermost_creator_is_asked_first():
    order = []

    def named(name):
        def creator(next_creator, **kwargs):
            order.append(name)
            return next_creator(**kwargs)

        return creator

    with tf.variable_creator_scope(named("outer")), tf.variable_creator_scope(named("inner")):
        tf.Variable(1.0)
    assert order == ["inner", "outer"]


def test_a_handle_stands_for_its_variable():
    variable = tf.Variable([1.0, 2.0], name="v")
    handle = variable.handle
    assert handle == variable.handle and handle != tf.Variable([1.0, 2.0]).handle
    assert handle.dtype is tf.resource and handle.shape == []
    assert handle.get_shape() == [] and handle.ndim == 0
    keys = {handle.ref(): "handle", variable.ref(): "variable"}
    assert keys[variable.handle.ref()] == "handle" and handle.ref().deref() is handle
    assert tf.Variable([1.0, 2.0]).handle.ref() not in keys
    assert 'name="v"' in repr(handle) and hash(handle) == hash(variable.handle)


class Doubled(tf.Variable):
    """A variable of a program's own that wraps another one."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def read_value(self):
        return self.inner.read_value() * 2.0

    value = read_value

    def assign(self, *args, **kwargs):
        return self.inner.assign(*args, **kwargs)


Doubled._OverloadAllOperators()


def test_a_subclass_may_wrap_a_variable():
    inner = tf.Variable([1.0, 2.0])
    doubled = Doubled(inner)
    assert doubled.shape == [2] and doubled.dtype is tf.float32 and doubled.handle == inner.handle
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.concat([doubled, doubled + 1.0], 0)) + tf.tensordot(
            doubled, doubled, 1
        )
    assert total.numpy() == 2 * (2 + 4) + 2 + (4 + 16)
    assert tape.gradient(total, doubled).numpy().tolist() == [4 + 8, 4 + 16]
    doubled.assign([0.0, 1.0])
    assert tf.convert_to_tensor(doubled).numpy().tolist() == [0.0, 2.0]

    @tf.function
    def triple(v):
        return doubled * 3.0

    assert triple(1).numpy().tolist() == [0.0, 6.0]


def test_a_variable_without_a_value_is_refused():
    with pytest.raises(ValueError, match="never initialised"):
        tf.Variable.__new__(tf.Variable) + 1.0


# Arguments that TensorFlow 2.21 passes besides those of tf.Variable.
VERSION_1 = {"collections", "expected_shape", "use_resource"}


@pytest.mark.parametrize(
    "make, more",
    [
        (lambda: tf.Variable(1.0), set()),
        (lambda: tf.compat.v1.Variable(1.0), VERSION_1),
        (lambda: tf.compat.v1.get_variable("v", [2]), VERSION_1),
    ],
    ids=["Variable", "v1.Variable", "get_variable"],
)
@pytest.mark.parametrize("in_graph", [False, True])
def test_creators_get_the_arguments_of_the_version(make, more, in_graph):
    plain = set(tf.Variable.__signature__.parameters)
    seen = []

    def note(next_creator, **kwargs):
        seen.append(kwargs)
        return next_creator(**kwargs)

    with contextlib.ExitStack() as stack:
        if in_graph:
            stack.enter_context(tf.Graph().as_default())
        stack.enter_context(tf.variable_creator_scope(note))
        make()
    assert [set(kwargs) for kwargs in seen] == [plain | more]


def test_creators_belong_to_the_graph_in_which_they_were_set():
    seen = []

    def note(next_creator, **kwargs):
        seen.append(kwargs["name"])
        return next_creator(**kwargs)

    with tf.variable_creator_scope(note):
        with tf.Graph().as_default():
            tf.Variable(1.0, name="inside")
        tf.compat.v1.Variable(1.0, name="outside")
    assert seen == ["outside"]
