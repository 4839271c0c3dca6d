"""Weights in TensorFlow's format for a model with other layers: what does not match is logged."""

import gc
import logging

import pytest

import eagerflow as tf

keras = tf.keras


def chain(count, compiled=False):
    layers = [keras.layers.Dense(2, input_shape=[2], name=f"d{k}") for k in range(count)]
    model = keras.Sequential(layers)
    if compiled:
        model.compile("adam", "mse")
    return model


def functional(count, compiled=False):
    inputs = outputs = keras.Input([2])
    for k in range(count):
        outputs = keras.layers.Dense(2, name=f"d{k}")(outputs)
    model = keras.Model(inputs, outputs)
    if compiled:
        model.compile("adam", "mse")
    return model


class Own(keras.Model):
    def __init__(self, count, compiled=False, call=True):
        super().__init__()
        for k in range(count):
            setattr(self, f"d{k}", keras.layers.Dense(2))
        self.count = count
        if compiled:
            self.compile("adam", "mse")
        if call:
            self(tf.ones([1, 2]))

    def call(self, x):
        for k in range(self.count):
            x = getattr(self, f"d{k}")(x)
        return x


def logged(caplog, use):
    """The lines that `use` logs about objects, the model it gives kept until then."""
    caplog.clear()
    gc.collect()
    with caplog.at_level(logging.WARNING, "eagerflow"):
        kept = use()
        lines = [line for record in caplog.records for line in record.getMessage().splitlines()]
    del kept
    told = "Value in checkpoint could not", "Object without a value"
    return [line.rpartition(": ")[2] for line in lines if line.startswith(told)]


def saved(model, tmp_path):
    path = str(tmp_path / "weights")
    model.save_weights(path)
    return path


@pytest.mark.parametrize("make", [chain, functional, Own])
def test_layers_that_the_file_lacks_are_named(make, caplog, tmp_path):
    path = saved(make(2), tmp_path)
    model = make(3)

    def lines():
        model.load_weights(path)
        return model

    names = logged(caplog, lines)
    assert len(names) == 2
    assert {name.rpartition("/")[2] for name in names} == {"kernel", "bias"}
    assert not logged(caplog, lambda: [model, model.load_weights(path).expect_partial()])
    with pytest.raises(AssertionError, match="2 Python objects"):
        model.load_weights(path).assert_consumed()


@pytest.mark.parametrize("make", [chain, functional])
def test_layers_that_the_model_lacks_are_named_once(make, caplog, tmp_path):
    path = saved(make(3), tmp_path)
    model = make(2)

    def lines():
        model.load_weights(path)
        return model

    names = logged(caplog, lines)
    assert {name.rpartition(".")[2] for name in names} == {"kernel", "bias"}
    assert len(names) == 2
    assert not logged(caplog, lambda: [model, model.load_weights(path).expect_partial()])
    with pytest.raises(AssertionError, match="Unresolved"):
        model.load_weights(path).assert_consumed()
    fresh = make(2)
    fresh.load_weights(path)
    caplog.clear()

    def forgotten():
        nonlocal fresh
        fresh = None
        gc.collect()

    assert not logged(caplog, forgotten)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("make", [chain, functional, Own])
def test_what_matches_is_not_logged(make, compiled, caplog, tmp_path):
    model = make(2, compiled)
    if compiled:
        model.fit(tf.ones([2, 2]), tf.ones([2, 2]), verbose=0)
    path = saved(model, tmp_path)
    fresh = make(2, compiled)
    assert not logged(caplog, lambda: [fresh, fresh.load_weights(path)])
    # The optimizer's slots, which are made later, get their values.
    if compiled:
        fresh.optimizer.build(fresh.trainable_variables)
        for one, other in zip(fresh.optimizer.variables, model.optimizer.variables, strict=True):
            assert (one.numpy() == other.numpy()).all()


def test_layers_that_are_made_later_are_not_logged(caplog, tmp_path):
    path = saved(Own(3), tmp_path)
    fresh = Own(3, call=False)
    assert not logged(caplog, lambda: [fresh, fresh.load_weights(path)])
    fresh(tf.ones([1, 2]))
    fresh.load_weights(path).assert_consumed()


def test_arguments_that_need_hdf5_are_refused(tmp_path):
    path = saved(chain(2), tmp_path)
    with pytest.raises(ValueError, match="skip_mismatch"):
        chain(2).load_weights(path, skip_mismatch=True)
    with pytest.raises(NotImplementedError, match="by name"):
        chain(2).load_weights(path, by_name=True)
