"""Weights come back into models that make their layers later, however they hold them."""

import collections
import gc
import logging

import numpy as np
import pytest

import eagerflow as tf

L = tf.keras.layers


X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)


Pair = collections.namedtuple("Pair", "left right")


class SharedByLists(tf.keras.Model):
    def __init__(self):
        super().__init__()
        shared = L.Dense(4)
        self._a = [shared, L.Dense(2)]
        self._b = [shared, L.BatchNormalization(), L.Dense(3)]

    def call(self, x):
        a = b = x
        for layer in self._a:
            a = layer(a)
        for layer in self._b:
            b = layer(b)
        return tf.concat([a, b], -1)


class PrivateAttributes(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self._layer = L.Dense(4)
        self._named = [("first", L.Dense(3)), {"second": L.Dense(3)}]
        self._variable = tf.Variable(tf.random.normal([3]))
        self._numbers, self._empty, self._options = [1, 2], [], {"a": 1}

    def call(self, x):
        x = self._layer(x)
        return self._named[0][1](x) * self._variable + self._named[1]["second"](x)


class InTuples(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.pair = Pair(L.Dense(4), (L.Dense(4), [L.Dense(4)]))
        self.ordered = collections.OrderedDict(a=L.Dense(3))

    def call(self, x):
        left, (middle, (right,)) = self.pair
        return self.ordered["a"](right(middle(left(x))))


class ListGrowsInCall(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.parts = []

    def call(self, x):
        if not self.parts:
            self.parts.extend([L.Dense(4), L.Dense(4)])
        for layer in self.parts:
            x = layer(x)
        return x


class Growing(L.Layer):
    def __init__(self):
        super().__init__()
        self.parts, self.weights_here, self.nested = [], [], {"a": [], "b": {}}

    def build(self, shape):
        self.parts.append(L.Dense(4))
        self.weights_here.append(self.add_weight("first", [4], initializer="random_normal"))
        self.weights_here.append(tf.Variable(tf.random.normal([4])))
        self.nested["a"].append(L.Dense(4))
        self.nested["b"]["c"] = L.Dense(4)

    def call(self, x):
        x = self.parts[0](x) * self.weights_here[0] + self.weights_here[1]
        return self.nested["b"]["c"](self.nested["a"][0](x))


class ListsGrowInBuild(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self._parts = [Growing(), Growing()]

    def call(self, x):
        return self._parts[1](self._parts[0](x))


class LaterModule(tf.Module):
    def __init__(self):
        super().__init__()
        self.w, self.inside = None, []

    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.random.normal([4]))
            self.inside.append(tf.Variable(tf.random.normal([4])))
            self.both = (tf.Variable(tf.random.normal([4])), L.Dense(4))
        return self.both[1](x * self.w + self.inside[0] + self.both[0])


class Modules(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.module, self.more = LaterModule(), {"a": [LaterModule()]}

    def call(self, x):
        return self.more["a"][0](self.module(x))


class Wrappers(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.each = [L.TimeDistributed(L.Dense(3))]
        self.both = {"b": L.Bidirectional(L.GRU(2, return_sequences=True))}
        self.cells = L.RNN([L.LSTMCell(3), L.GRUCell(2)])

    def call(self, x):
        return self.cells(self.both["b"](self.each[0](x[:, None])))


class Owner(L.Layer):
    def __init__(self, shared):
        super().__init__()
        self._shared, self.own = shared, L.Dense(4)

    def call(self, x):
        return self.own(self._shared(x))


class TwoOwners(tf.keras.Model):
    def __init__(self):
        super().__init__()
        shared = L.Dense(4)
        self.zone, self.area = Owner(shared), [Owner(shared)]

    def call(self, x):
        return self.area[0](self.zone(x))


class SequentialInside(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self._s = tf.keras.Sequential(
            [L.Dense(3), L.Dropout(0.1), tf.keras.Sequential([L.Dense(3), L.Dense(2)])]
        )

    def call(self, x):
        return self._s(x)


class FunctionalWithMore(tf.keras.Model):
    def __init__(self):
        inputs = tf.keras.Input((4,))
        super().__init__(inputs, L.Dense(3)(inputs))
        self._more = [L.Dense(2)]

    def call(self, x):
        return self._more[0](super().call(x))


KINDS = [
    SharedByLists,
    PrivateAttributes,
    InTuples,
    ListGrowsInCall,
    ListsGrowInBuild,
    Modules,
    Wrappers,
    TwoOwners,
    SequentialInside,
    FunctionalWithMore,
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("through", ["save_weights", "Checkpoint"])
def test_unbuilt_models_wait_for_all_of_a_checkpoint(kind, through, tmp_path):
    path = str(tmp_path / "w")
    model = kind()
    expected = model(X)
    fresh = kind()
    if through == "save_weights":
        model.save_weights(path)
        status = fresh.load_weights(path)
    else:
        tf.train.Checkpoint(model=model).write(path)
        status = tf.train.Checkpoint(model=fresh).read(path)
    np.testing.assert_array_equal(fresh(X), expected)
    status.assert_consumed().assert_nontrivial_match()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", [".h5", ".weights.h5"])
def test_built_models_take_all_of_an_hdf5_file(kind, ending, tmp_path):
    path = str(tmp_path / ("w" + ending))
    model, fresh = kind(), kind()
    expected = model(X)
    model.save_weights(path)
    fresh(X)
    fresh.load_weights(path)
    np.testing.assert_array_equal(fresh(X), expected)


def test_weights_files_name_layers_as_keras_2_does(tmp_path):
    import h5py

    model = TwoOwners()
    model(X)
    model.save_weights(str(tmp_path / "w.weights.h5"))
    with h5py.File(tmp_path / "w.weights.h5") as file:
        # Keras goes from the last attribute to the first: `zone` before `layers` before `area`.
        for path in ("zone/own", "zone/_shared", "layers/owner/own"):
            assert file[path]["vars"]["0"].shape == (4, 4)
        # Keras 3 looks for the same values elsewhere.
        np.testing.assert_array_equal(
            file["area/owner/_shared/vars/0"], file["zone/_shared/vars/0"]
        )


def test_files_of_keras_3_with_its_order_of_attributes_are_read(tmp_path):
    import h5py

    model, fresh = TwoOwners(), TwoOwners()
    expected = model(X)
    fresh(X)
    area, zone = model.area[0], model.zone
    with h5py.File(tmp_path / "w.weights.h5", "w") as file:
        for path, layer in {
            "area/owner/own": area.own,
            "area/owner/_shared": area._shared,
            "zone/own": zone.own,
        }.items():
            for k, variable in enumerate(layer.weights):
                file[f"{path}/vars/{k}"] = variable.numpy()
    fresh.load_weights(str(tmp_path / "w.weights.h5"))
    np.testing.assert_array_equal(fresh(X), expected)


def test_metrics_are_no_weights_of_an_hdf5_file(tmp_path):
    import h5py

    class Measuring(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self._layer, self._mean = L.Dense(2), tf.keras.metrics.Mean()
            self._scale = tf.Variable(2.0)

        def call(self, x):
            return self._layer(x) * self._scale

    model = Measuring()
    model(X)
    model.save_weights(str(tmp_path / "w.h5"))
    with h5py.File(tmp_path / "w.h5") as file:
        assert len(file["top_level_model_weights"].attrs["weight_names"]) == 1


class One(tf.keras.Model):
    def __init__(self, units=2, more=False, name_of="a"):
        super().__init__()
        setattr(self, name_of, L.Dense(units))
        self.first = name_of
        if more:
            self.b = L.Dense(units)

    def call(self, x):
        y = getattr(self, self.first)(x)
        return y + self.b(x) if hasattr(self, "b") else y


def saved(model, tmp_path):
    model(X)
    path = str(tmp_path / "w")
    model.save_weights(path)
    return path


def test_a_checkpoint_that_has_nothing_for_a_model_is_refused(tmp_path):
    path = saved(One(name_of="other"), tmp_path)
    built = One()
    built(X)
    with pytest.raises(AssertionError, match=r"Nothing except the root object[^$]*a/kernel"):
        built.load_weights(path)
    with pytest.raises(AssertionError, match="Nothing to load"):
        One().load_weights(path)


def test_assertions_about_what_is_there_and_what_is_not(tmp_path):
    path = saved(One(more=True), tmp_path)
    model = One()
    status = model.load_weights(path)
    status.assert_existing_objects_matched().assert_nontrivial_match()
    with pytest.raises(AssertionError, match=r"\(root\).a.kernel"):
        status.assert_consumed()
    model(X)
    status.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint") as raised:
        status.assert_consumed()
    assert "(root).b.bias" in str(raised.value) and "(root).a" not in str(raised.value)
    fuller = One(more=True)
    fuller(X)
    status = fuller.load_weights(saved(One(), tmp_path))
    with pytest.raises(AssertionError, match="Found 2 Python objects that were not bound"):
        status.assert_existing_objects_matched()


@pytest.mark.parametrize("expected", [False, True])
def test_what_was_never_placed_is_logged_unless_expected(expected, tmp_path, caplog):
    path = saved(One(more=True), tmp_path)
    model = One()
    with caplog.at_level(logging.WARNING):
        status = model.load_weights(path)
        if expected:
            assert status.expect_partial() is status
        model(X)
        del status, model
        gc.collect()
    assert ("(root).b.kernel" in caplog.text) is not expected
    assert "(root).a" not in caplog.text


def test_a_list_takes_the_values_of_the_latest_checkpoint(tmp_path):
    model = ListGrowsInCall()
    model(X)
    older, newer = str(tmp_path / "1"), str(tmp_path / "2")
    model.save_weights(older)
    for variable in model.weights:
        variable.assign(variable + 1)
    model.save_weights(newer)
    fresh = ListGrowsInCall()
    fresh.load_weights(older).expect_partial()
    fresh.load_weights(newer)
    np.testing.assert_array_equal(fresh(X), model(X))


def test_complete_restorations_leave_nothing_behind(tmp_path):
    model = SharedByLists()
    path = saved(model, tmp_path)
    status = model.load_weights(path)
    status.assert_consumed()
    held = [
        module for module in (model, *model.submodules) if hasattr(module, "_pending_restorations")
    ]
    assert held == []
