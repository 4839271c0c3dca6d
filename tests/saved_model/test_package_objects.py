"""Objects of other packages, which say by TensorFlow's methods what is saved of them."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.internals import tracking, types_core
from eagerflow_compat.internals.tracking import AutoTrackable, Trackable


class Wrapped(types_core.Tensor, Trackable):
    """A variable that holds another one, as Keras 3's do."""

    def __init__(self, value):
        self.value = tf.Variable(value)

    def _serialize_to_tensors(self):
        return {"VARIABLE_VALUE": self.value}

    def _restore_from_tensors(self, restored):
        self.value.assign(restored["VARIABLE_VALUE"])

    def _write_object_proto(self, proto, options):
        raise AssertionError("not asked here")


class Layer(AutoTrackable):
    def __init__(self, value):
        self.weight = Wrapped(value)
        self.made = 0

    def _trackable_children(self, save_type="checkpoint", **kwargs):
        self.made += 1
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            children.pop("hidden", None)
            children["listed"] = [self.weight]
        return children

    @tf.function
    def hidden(self, x):
        return x

    @tf.function
    def untraced(self, x):
        return x

    @property
    def _default_save_signature(self):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def serving_default(x):
            return {"y": x * self.weight.value}

        return serving_default


def test_class_lists_its_children_and_default_signature(tmp_path):
    layer = Layer([2.0])
    tf.saved_model.save(layer, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    result = loaded.signatures["serving_default"](tf.constant([3.0]))
    np.testing.assert_array_equal(result["y"], [6.0])
    np.testing.assert_array_equal(loaded.listed[0], [2.0])
    assert loaded.listed[0] is loaded.weight
    assert not hasattr(loaded, "hidden")
    with pytest.raises(ValueError, match="zero restored functions"):
        loaded.untraced(1.0)


def test_checkpoints_ask_objects_for_their_tensors(tmp_path):
    path = tf.train.Checkpoint(layer=Layer([2.0])).save(tmp_path / "c")
    other = Layer([0.0])
    tf.train.Checkpoint(layer=other).restore(path).assert_existing_objects_matched()
    np.testing.assert_array_equal(other.weight.value, [2.0])


def test_class_that_extends_tensors_is_its_own():
    value = Wrapped(1.0)
    assert isinstance(value, types_core.Tensor) and tf.is_tensor(value)
    assert not isinstance(tf.constant(1.0), Wrapped)


def test_dictionaries_of_other_kinds_are_not_saved(tmp_path):
    import collections

    module = tf.Module()
    module.weight = tf.Variable(1.0)
    module.by_depth = collections.defaultdict(list, {0: [module.weight]})
    tf.train.Checkpoint(module=module).save(tmp_path / "c")
    tf.saved_model.save(module, tmp_path / "m")


def test_sparse_results_have_sizes_in_functions():
    shapes = []

    @tf.function
    def function(x):
        shapes.append(tf.sparse.transpose(x, (2, 0, 1)).shape.as_list())
        shapes.append(tf.sparse.transpose(x).shape.as_list())
        shapes.append(tf.sparse.expand_dims(x, -2).shape.as_list())

    function.get_concrete_function(tf.SparseTensorSpec((None, 3, 4)))
    assert shapes == [[4, None, 3], [4, 3, None], [None, 3, 1, 4]]


class Doubled(tf.Variable):
    """A variable of a package's class, which wraps another one."""

    def __init__(self, variable):
        self.inner = variable

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def read_value(self):
        return 2.0 * self.inner.read_value()

    def _gather_saveables_for_checkpoint(self):
        return self.inner._gather_saveables_for_checkpoint()

    name = property(lambda self: self.inner.name)
    shape = property(lambda self: self.inner.shape)
    dtype = property(lambda self: self.inner.dtype)
    trainable = property(lambda self: self.inner.trainable)


def test_wrapped_variables_are_saved_as_what_they_wrap(tmp_path):
    module = tf.Module()
    module.weight = Doubled(tf.Variable(3.0))
    module.times = tf.function(
        lambda x: x * module.weight, input_signature=[tf.TensorSpec([], tf.float32)]
    )
    assert float(module.times(5.0)) == 30.0
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert float(loaded.weight) == 3.0 and float(loaded.times(5.0)) == 30.0
    loaded.weight.assign(1.0)
    assert float(loaded.times(5.0)) == 10.0


@pytest.mark.parametrize("kind", [list, dict, tuple])
def test_an_object_depends_on_the_container_that_its_attribute_holds(kind):
    part = tf.Variable(1.0)
    value = {"a": part} if kind is dict else kind([part])
    owner = AutoTrackable()
    held = tracking.sticky_attribute_assignment(owner, "parts", value)
    assert isinstance(held, tracking.TrackableDataStructure)
    assert owner._lookup_dependency("parts") is held
    assert held._lookup_dependency("a" if kind is dict else "0") is part
    assert tracking.sticky_attribute_assignment(owner, "plain", (1, 2)) == (1, 2)
    assert owner._lookup_dependency("plain") is None
