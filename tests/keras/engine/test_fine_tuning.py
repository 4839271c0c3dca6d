"""Freezing by patterns, and weights from files with other names."""

import json

import numpy as np
import pytest

import eagerflow as tf

safetensors = pytest.importorskip("safetensors.numpy")
K = tf.keras
L = K.layers


class Block(L.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(4)
        self.norm = L.BatchNormalization()

    def build(self, shape):
        self.scale = self.add_weight("scale", [4], initializer="ones")
        super().build(shape)

    def call(self, x, training=None):
        return self.norm(self.dense(x), training=training) * self.scale


class Own(K.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(), Block()]
        self.head = L.Dense(2)

    def call(self, x, training=None):
        for block in self.blocks:
            x = block(x, training=training)
        return self.head(x)


def functional():
    x = K.Input([4])
    encoder = K.Sequential([Block(name="first"), Block(name="second")], name="encoder")
    return K.Model(x, L.Dense(2, name="head")(encoder(x)))


def own():
    model = Own()
    model(tf.ones([1, 4]))
    return model


def trained(model):
    ids = {id(weight) for weight in model.trainable_weights}
    from eagerflow.checkpoint.arrays import named_variables

    return {path for path, weight in named_variables(model).items() if id(weight) in ids}


INNER = ("scale", "dense/kernel", "dense/bias", "norm/gamma", "norm/beta")
BLOCKS = {functional: ("encoder/first", "encoder/second"), own: ("blocks/0", "blocks/1")}


@pytest.mark.parametrize("make", BLOCKS)
def test_layers_and_weights(make):
    model = make()
    first, second = BLOCKS[make]
    every = {f"{block}/{name}" for block in (first, second) for name in INNER}
    head = {"head/kernel", "head/bias"}
    assert trained(model) == every | head
    assert model.freeze(first) == [first]
    rest = {path for path in every if not path.startswith(first)} | head
    assert trained(model) == rest
    matched = model.freeze(".*/kernel", ".*scale")
    assert {"head/kernel", f"{first}/scale", f"{second}/dense/kernel"} <= set(matched)
    assert trained(model) == {p for p in rest if not p.endswith(("kernel", "scale"))}
    # What was frozen as a whole is opened in part.
    model.unfreeze(f"{first}/dense")
    opened = {f"{first}/dense/kernel", f"{first}/dense/bias"}
    expected = {p for p in rest if not p.endswith(("kernel", "scale"))} | opened
    assert trained(model) == expected
    model.unfreeze(f"{second}/.*", "head/kernel")
    assert trained(model) == rest | opened
    model.trainable = False
    assert trained(model) == set()
    model.unfreeze("head/bias")
    assert trained(model) == {"head/bias"}
    model.unfreeze(".*")
    assert trained(model) == every | head


@pytest.mark.parametrize("eager", [True, False])
def test_frozen_weights_stay(eager, tmp_path):
    model = functional()
    model.freeze("encoder/.*/kernel", "encoder/first/norm")
    model.compile("adam", "mse", run_eagerly=eager)
    kept = [weight.numpy() for weight in model.non_trainable_weights]
    changed = [weight.numpy() for weight in model.trainable_weights]
    x = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
    model.fit(x, x[:, :2], epochs=2, verbose=0)
    second = model.get_layer("encoder").layers[1].norm
    for before, weight in zip(kept, model.non_trainable_weights, strict=True):
        moving = any(weight is w for w in (second.moving_mean, second.moving_variance))
        assert np.array_equal(before, weight) != moving
    for before, weight in zip(changed, model.trainable_weights, strict=True):
        assert not np.array_equal(before, weight)
    # The order of weights in files does not depend on what is frozen.
    model.save_weights(tmp_path / "a.weights.h5")
    other = functional()
    other.load_weights(tmp_path / "a.weights.h5")
    np.testing.assert_array_equal(other(x), model(x))


def test_unfreezing_leaves_what_lora_froze():
    model = functional()
    model.get_layer("head").enable_lora(1)
    model.freeze(".*")
    assert trained(model) == set()
    model.unfreeze("head")
    assert trained(model) == {"head/bias", "head/lora_kernel_a", "head/lora_kernel_b"}


def test_patterns_that_match_nothing_or_are_wrong():
    model = functional()
    with pytest.raises(ValueError, match=r"'encoder/third'.*encoder/first"):
        model.freeze("head", "encoder/third")
    assert len(trained(model)) == 12
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        model.unfreeze("(")


NAMES = {
    r"encoder\.(first|second)\.dense\.weight": (r"encoder/\1/dense/kernel", (1, 0)),
    r"encoder\.(first|second)\.dense\.bias": r"encoder/\1/dense/bias",
    r"encoder\.(\w+)\.norms": [
        (r"encoder/\1/norm/gamma", lambda a: a[0]),
        (r"encoder/\1/norm/beta", lambda a: a[1]),
        (r"encoder/\1/norm/moving_mean", lambda a: a[2]),
        (r"encoder/\1/norm/moving_variance", lambda a: a[3]),
        (r"encoder/\1/scale", lambda a: a[0]),
    ],
    r"classifier\.weight": ("head/kernel", (1, 0)),
    r"classifier\.(bias)": r"head/\1",
    ".*position_ids": None,
}


def contents(dtype="float32"):
    random = np.random.default_rng(0)

    def array(*shape):
        return random.normal(size=shape).astype(dtype)

    arrays = {
        "position_ids": np.arange(4),
        "classifier.weight": array(2, 4),
        "classifier.bias": array(2),
    }
    for block in ("first", "second"):
        arrays[f"encoder.{block}.dense.weight"] = array(4, 4)
        arrays[f"encoder.{block}.dense.bias"] = array(4)
        arrays[f"encoder.{block}.norms"] = abs(array(4, 4))
    return arrays


def check(model, arrays):
    first = model.get_layer("encoder").layers[0]
    for weight, name, change in (
        (first.dense.kernel, "encoder.first.dense.weight", np.transpose),
        (first.norm.beta, "encoder.first.norms", lambda a: a[1]),
        (model.get_layer("head").kernel, "classifier.weight", np.transpose),
    ):
        np.testing.assert_array_equal(weight, change(arrays[name]).astype("float32"))


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
)
def test_one_file(dtype, tmp_path):
    arrays = contents(tf.as_dtype(dtype).as_numpy_dtype)
    safetensors.save_file(arrays, tmp_path / "model.safetensors")
    for path in (tmp_path, tmp_path / "model.safetensors"):
        model = functional()
        loaded = model.load_pretrained(path, NAMES)
        assert len(loaded) == 16
        check(model, arrays)


def sharded(arrays, folder):
    parts = [{}, {}, {}]
    for k, (name, array) in enumerate(arrays.items()):
        parts[k % 3][name] = array
    places = {}
    for k, part in enumerate(parts):
        file = f"model-{k + 1:05}-of-00003.safetensors"
        safetensors.save_file(part, folder / file)
        places |= dict.fromkeys(part, file)
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def test_parts(tmp_path):
    arrays = contents()
    sharded(arrays, tmp_path)
    model = functional()
    model.load_pretrained(tmp_path, NAMES)
    check(model, arrays)
    (tmp_path / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(tf.errors.NotFoundError, match="model-00002"):
        model.load_pretrained(tmp_path, NAMES)
    index = tmp_path / "model.safetensors.index.json"
    for text in ("{", "[]", '{"weight_map": {"a": "../b"}}', '{"weight_map": {"a": 1}}'):
        index.write_text(text)
        with pytest.raises(tf.errors.DataLossError, match="index"):
            model.load_pretrained(tmp_path, NAMES)


def test_errors_name_both_sides(tmp_path):
    arrays = contents()
    arrays["pooler.weight"] = np.ones([4, 4], "float32")
    del arrays["classifier.bias"]
    arrays["classifier.weight"] = np.ones([3, 4], "float32")
    arrays["encoder.third.norms"] = np.ones([5, 4], "float32")
    safetensors.save_file(arrays, tmp_path / "model.safetensors")
    model = functional()
    before = model.get_weights()
    with pytest.raises(ValueError, match="nothing was loaded") as error:
        model.load_pretrained(tmp_path, NAMES)
    for text in (
        "array pooler.weight (4, 4) matches no pattern",
        "weight head/bias (2,) gets no array",
        "array classifier.weight has shape (4, 3) for weight head/kernel, whose shape is (4, 2)",
        "array encoder.third.norms is for encoder/third/norm/beta, which is no weight",
    ):
        assert text in str(error.value)
    for old, now in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, now)
    twice = {
        **NAMES,
        "encoder.third.norms": None,
        "pooler.weight": ("head/kernel", lambda a: a[:, :2]),
    }
    with pytest.raises(
        ValueError, match="arrays classifier.weight and pooler.weight are for the same"
    ):
        model.load_pretrained(tmp_path, twice)
    some = {r"encoder\.(\w+)\.dense\.bias": r"encoder/\1/dense/bias", ".*": None}
    with pytest.raises(ValueError, match="gets no array"):
        model.load_pretrained(tmp_path, some)
    loaded = model.load_pretrained(tmp_path, some, strict=False)
    assert loaded == ["encoder/first/dense/bias", "encoder/second/dense/bias"]


def test_no_file(tmp_path):
    model = functional()
    with pytest.raises(tf.errors.NotFoundError, match="neither"):
        model.load_pretrained(tmp_path, NAMES)
    with pytest.raises(tf.errors.NotFoundError):
        model.load_pretrained(tmp_path / "none.safetensors", NAMES)
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(tf.errors.DataLossError):
        model.load_pretrained(tmp_path, NAMES)
    with pytest.raises(ValueError, match="no weights yet"):
        K.Sequential([L.Dense(2)]).load_pretrained(tmp_path, NAMES)
