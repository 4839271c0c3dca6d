"""Variables among a session's fetches: what they are beside operations that change them."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.framework import context

v1 = tf.compat.v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


@pytest.fixture
def references(monkeypatch):
    """Variables as in version 1, where they are no resources."""
    monkeypatch.setattr(context.process, "resource_variables", False)


def test_references_have_the_value_after_the_run(references, session):
    step = v1.train.get_or_create_global_step()
    weight = v1.get_variable("weight", initializer=[1.0, 1.0])
    loss = tf.reduce_sum(weight * weight)
    train = v1.train.GradientDescentOptimizer(0.25).minimize(loss, step)
    session.run(v1.global_variables_initializer())
    for count in (1, 2):
        found = session.run({"steps": [train, step], "loss": loss, "weight": weight})
        assert found["steps"] == [None, count]
        assert found["loss"] == 2 * 0.25 ** (count - 1)
        np.testing.assert_allclose(found["weight"], 0.5**count)
    assert session.run([step, weight])[0] == session.run(step) == 2


def test_values_that_are_fed_stay(references, session):
    count = v1.get_variable("count", initializer=1)
    add = v1.assign_add(count, 10)
    session.run(v1.global_variables_initializer())
    assert session.run([count, add], {count: 5})[0] == 5
    assert session.run([count, count * 2, add])[::2] == [session.run(count)] * 2


def test_resources_have_the_value_before(references, session):
    count = v1.get_variable("count", initializer=1, use_resource=True)
    add = v1.assign_add(count, 10)
    session.run(v1.global_variables_initializer())
    assert session.run([count, add.op])[0] == 1 and session.run(count) == 11
