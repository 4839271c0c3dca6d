"""tf.variable_creator_scope: what creators are given, and in which order."""

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
    assert 'name="v"' in repr(handle) and hash(handle) == hash(variable.handle)
