"""Functions of a file are built when they are called, and calls that were seen before are native."""

import itertools

import pytest

import eagerflow as tf
from eagerflow.graphdef import importing, rules, state_ops


class Several(tf.Module):
    def __init__(self):
        self.weight = tf.Variable([2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def scaled(self, x):
        return {"result": x * self.weight}

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 2])])
    def difference(self, first, second):
        return {"result": self.inner(first) - second}

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def inner(self, x):
        return x + self.weight


MODULE = Several()
X = tf.constant([[1.0, 2.0]])
Y = tf.constant([[10.0, 20.0]])


@pytest.fixture
def folder(tmp_path):
    module = Several()
    module.bare = module.scaled.get_concrete_function()
    tf.saved_model.save(
        module, str(tmp_path), {"scaled": module.scaled, "difference": module.difference}
    )
    return str(tmp_path)


@pytest.fixture
def built(monkeypatch):
    names = []
    call = importing.Builder.call

    def counted(self, name, arguments):
        names.append(name)
        return call(self, name, arguments)

    monkeypatch.setattr(importing.Builder, "call", counted)
    return names


WAYS = {
    "attribute": lambda loaded: loaded.scaled(X),
    "signature": lambda loaded: loaded.signatures["scaled"](x=X),
    "concrete": lambda loaded: loaded.scaled.get_concrete_function(tf.TensorSpec([None, 2]))(X),
    "bare": lambda loaded: loaded.bare(X),
}


@pytest.mark.parametrize("way", WAYS)
def test_only_what_is_called_is_built(folder, built, way):
    loaded = tf.saved_model.load(folder)
    assert built == []
    for _ in range(3):
        assert WAYS[way](loaded)["result"].numpy().tolist() == [[2.0, 6.0]]
        assert built and all("scaled" in name for name in built)
        assert len(built) == len(set(built))


def test_a_function_that_is_called_builds_those_that_it_calls(folder, built):
    loaded = tf.saved_model.load(folder)
    loaded.difference(X, Y)
    assert any("inner" in name for name in built)
    assert not any("scaled" in name for name in built)


def expected(first, second):
    return (first + tf.constant([2.0, 3.0]) - second).numpy().tolist()


GIVEN = {
    "by position": lambda f: f(X, Y),
    "by name": lambda f: f(first=X, second=Y),
    "in another order": lambda f: f(second=Y, first=X),
    "from a dictionary": lambda f: f(**{"".join(["sec", "ond"]): Y, "".join(["fir", "st"]): X}),
    "both": lambda f: f(X, second=Y),
}


def functions(folder):
    loaded = tf.saved_model.load(folder)
    return {
        "signature": loaded.signatures["difference"],
        "attribute": loaded.difference,
        "traced": MODULE.difference,
        "concrete": MODULE.difference.get_concrete_function(),
    }


@pytest.mark.parametrize("way", ["signature", "attribute", "traced", "concrete"])
@pytest.mark.parametrize("given", GIVEN)
def test_later_calls_are_native(folder, way, given):
    function = functions(folder)[way]
    function._forget(), function._take_calls()
    for k in range(3):
        assert GIVEN[given](function)["result"].numpy().tolist() == expected(X, Y)
        assert function._take_calls() == (k > 0)


@pytest.mark.parametrize("way", ["signature", "attribute", "traced", "concrete"])
def test_ways_to_call_do_not_disturb_each_other(folder, way):
    function = functions(folder)[way]
    for given in itertools.chain(*itertools.permutations(GIVEN, 2)):
        assert GIVEN[given](function)["result"].numpy().tolist() == expected(X, Y)
    # A tensor that is passed twice is no hint which argument is which.
    for first, second in ((X, X), (X, Y), (Y, X)):
        found = function(second=second, first=first)["result"]
        assert found.numpy().tolist() == expected(first, second)


def test_other_tensors_are_checked(folder):
    function = tf.saved_model.load(folder).signatures["scaled"]
    function(x=X)
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        function(x=tf.constant([1, 2, 3]))
    with pytest.raises(TypeError, match="missing required arguments: x"):
        function(y=X)
    assert function(x=tf.zeros([4, 2]))["result"].shape == [4, 2]


def test_gradients_of_native_calls_reach_variables(folder):
    loaded = tf.saved_model.load(folder)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(loaded.signatures["scaled"](x=X)["result"])
        assert tape.gradient(y, loaded.weight).numpy().tolist() == [1.0, 2.0]


def test_an_operation_has_a_rule_or_a_handler():
    others = importing.handlers().keys() - state_ops.HANDLERS.keys()
    assert not others & rules.table().keys()
    assert all(importing.handler_of(op) is not None for op in importing.handlers())
