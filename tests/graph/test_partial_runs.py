"""Runs of sessions in parts."""

import pytest

import eagerflow as tf

v1 = tf.compat.v1


@pytest.fixture
def parts():
    with v1.Graph().as_default(), v1.Session() as session:
        a, b = (v1.placeholder(tf.float32, [], name) for name in "ab")
        total = a + 1.0
        yield session, a, b, total, tf.multiply(total, b, name="product")


def test_parts_use_what_was_computed_before(parts):
    session, a, b, total, product = parts
    handle = session.partial_run_setup([total, product], [a, b])
    first = session.partial_run(handle, total, {a: 1.0})
    assert first == 2.0
    assert session.partial_run(handle, {"product": product}, {b: first * 2}) == {"product": 8.0}
    with pytest.raises(tf.errors.InvalidArgumentError, match="setup"):
        session.partial_run(handle, total)


def test_no_operation_runs_twice():
    with v1.Graph().as_default(), v1.Session() as session:
        counter = v1.get_variable("counter", initializer=1.0)
        a, b = (v1.placeholder(tf.float32, []) for _ in range(2))
        counted = v1.assign_add(counter, a)
        drawn = tf.random.uniform([])
        first, second = drawn + a * 0.0, drawn + b * 0.0
        session.run(v1.global_variables_initializer())
        handle = session.partial_run_setup([counted, first, second], [a, b])
        value, one = session.partial_run(handle, [counted, first], {a: 1.0})
        two = session.partial_run(handle, second, {b: 2.0})
        assert value == 2.0
        assert one == two
        assert session.run(counter) == 2.0


def test_what_was_not_announced_or_is_missing(parts):
    session, a, b, total, product = parts
    handle = session.partial_run_setup([total, product], [a, b])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Fetch b:0 can't be computed"):
        session.partial_run(handle, product, {a: 1.0})
    session.partial_run(handle, total, {a: 1.0})
    for fetch, feed, text in (
        (total, {}, "fetch add:0 has already been fetched"),
        (product, {a: 1.0}, "feed a:0 has already been fed"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.partial_run(handle, fetch, feed)
    other = session.partial_run_setup([total], [a])
    with pytest.raises(tf.errors.InvalidArgumentError, match="fetch product:0 was not specified"):
        session.partial_run(other, product, {a: 1.0})
    with pytest.raises(tf.errors.InvalidArgumentError, match="feed b:0 was not specified"):
        session.partial_run(other, total, {b: 1.0})


def test_an_order_between_parts_is_refused():
    with v1.Graph().as_default(), v1.Session() as session:
        a, b = (v1.placeholder(tf.float32, []) for _ in range(2))
        first = a + 1.0
        with v1.control_dependencies([first.op]):
            second = b + 1.0
        handle = session.partial_run_setup([first, second], [a, b])
        session.partial_run(handle, first, {a: 1.0})
        with pytest.raises(tf.errors.UnimplementedError, match="earlier part"):
            session.partial_run(handle, second, {b: 1.0})


@pytest.mark.parametrize("fetch", [None, [None], {"a": [None]}, (None,)])
def test_none_is_not_fetched(fetch):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        result = x + 1.0
        handle = session.partial_run_setup([result], [x])
        for run in (
            session.run,
            session.make_callable,
            session.partial_run_setup,
            lambda fetch: session.partial_run(handle, fetch, {x: 1.0}),
        ):
            with pytest.raises(TypeError, match="None"):
                run(fetch)
