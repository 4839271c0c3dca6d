"""Modules: the variables and modules found in attributes."""

import pytest

import eagerflow as tf
from eagerflow.framework.composite import CompositeTensor


class Leaf(tf.Module):
    def __init__(self, name=None):
        super().__init__(name)
        self.w = tf.Variable(1.0, name="w")
        self.b = tf.Variable(0.0, name="b", trainable=False)


def names(variables):
    return [variable.name for variable in variables]


def test_variables_come_in_the_order_of_attribute_names():
    leaf = Leaf()
    assert names(leaf.variables) == ["b:0", "w:0"]
    assert names(leaf.trainable_variables) == ["w:0"]
    assert names(leaf.non_trainable_variables) == ["b:0"]
    assert isinstance(leaf.variables, tuple)


def test_lists_and_dictionaries_are_searched():
    class Tree(tf.Module):
        def __init__(self):
            super().__init__()
            self.z = tf.Variable(0.0, name="z")
            self.layers = [Leaf(), (Leaf(),)]
            self.table = {"y": tf.Variable(0.0, name="y"), "x": Leaf()}
            self.shared = self.layers[0].w
            self.text = "no variable"

    tree = Tree()
    assert names(tree.variables) == ["w:0", "y:0", "z:0", "b:0", "b:0", "w:0", "b:0", "w:0"]
    assert [type(module) for module in tree.submodules] == [Leaf] * 3
    paths = [path for path, _ in tree._flatten(predicate=tf.is_tensor, with_path=True)]
    assert paths[:2] == [("shared",), ("table", "y")] and ("layers", 1, 0, "b") in paths


def test_cycles_end():
    a, b = Leaf(), Leaf()
    a.other, b.other = b, a
    assert len(a.variables) == 4 and [m is b for m in a.submodules] == [True]


@pytest.mark.parametrize(
    ("class_name", "expected"),
    [
        ("Dense", "dense"),
        ("MyLayer", "my_layer"),
        ("Conv2D", "conv2_d"),
        ("HTTPServer", "http_server"),
    ],
)
def test_default_names(class_name, expected):
    assert type(class_name, (tf.Module,), {})().name == expected


def test_names_are_identifiers():
    assert Leaf(name="leaf_1").name == "leaf_1"
    with pytest.raises(ValueError, match="not a valid module name"):
        Leaf(name="1 leaf")


def test_name_scopes():
    class Scoped(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self):
            return tf.Variable(1.0, name="v").name

    assert Scoped()() == "scoped/v:0"
    with Scoped(name="outer").name_scope as scope:
        assert scope == "outer/" and Scoped(name="inner")() == "outer/inner/v:0"


class _PairSpec(tf.TypeSpec):
    value_type = property(lambda self: _Pair)
    _component_specs = None

    def _serialize(self):
        return ()

    def _to_components(self, value):
        return value.parts

    def _from_components(self, components):
        return _Pair(components)


class _Pair(CompositeTensor):
    def __init__(self, parts):
        self.parts = parts

    @property
    def _type_spec(self):
        return _PairSpec()


def test_variables_of_composite_tensors():
    x, y, z = (tf.Variable(1.0, name=name, trainable=name != "y") for name in "xyz")
    module = tf.Module()
    module.pair = _Pair([x, y])
    module.inner = tf.Module()
    module.inner.pairs = [_Pair([z, tf.constant(1.0)])]
    module.rows = tf.ragged.constant([[1], []])
    names = [variable.name for variable in module.variables]
    assert names == ["x:0", "y:0", "z:0"]
    assert [variable.name for variable in module.trainable_variables] == ["x:0", "z:0"]
    assert module.pair in list(module._flatten())
    paths = [path for path, _ in module._flatten(with_path=True, expand_composites=True)]
    assert ("pair", "_Pair", 1) in paths and ("inner", "pairs", 0, "_Pair", 1) in paths


def test_what_is_tracked_by_name_alone_is_no_attribute():
    module = tf.Module()
    module.other = tf.Variable(1.0)
    module._track_trackable(tf.Variable(2.0), "named")
    assert len(module.variables) == 1
    assert sorted(
        reference.name for reference in module._unconditional_checkpoint_dependencies
    ) == [
        "named",
        "other",
    ]


def test_weights_of_models_that_no_attribute_names():
    class Agent(tf.Module):
        def __init__(self):
            super().__init__()
            self.policy = tf.keras.Sequential(
                [tf.keras.layers.Dense(3, input_shape=(2,)), tf.keras.layers.BatchNormalization()]
            )
            inputs = tf.keras.Input((2,))
            self.value = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
            self.value.compile("sgd", "mse", metrics=["mae"])

    agent = Agent()
    first, dense = agent.policy.submodules[:2]
    assert type(first).__name__ == "InputLayer"
    assert [v.shape for v in dense.trainable_variables] == [(2, 3), (3,)]
    weights = [*agent.policy.trainable_variables, *agent.value.trainable_variables]
    assert {id(v) for v in agent.trainable_variables} == {id(v) for v in weights}
    assert len(agent.non_trainable_variables) == 2
    agent.value.fit(tf.zeros([2, 2]), tf.zeros([2, 1]), verbose=0)
    assert len(agent.trainable_variables) == 6
    assert [type(m).__name__ for m in agent.value.submodules if "Dense" in type(m).__name__]
