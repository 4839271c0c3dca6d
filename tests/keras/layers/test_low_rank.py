"""Layers with low-rank adaptation."""

import numpy as np
import pytest

import eagerflow as tf

K = tf.keras
L = K.layers

# How a layer is made, and an input for it.
LAYERS = {
    "dense": (lambda **kw: L.Dense(6, "tanh", **kw), (5, 4)),
    "dense_3d": (lambda **kw: L.Dense(6, **kw), (2, 3, 4)),
    "einsum": (lambda **kw: L.EinsumDense("abc,cde->abde", [None, 2, 3], bias_axes="e", **kw), (2, 3, 4)),
    "einsum_joined": (lambda **kw: L.EinsumDense("abcd,cde->abe", [None, 5], **kw), (2, 3, 2, 4)),
    "einsum_other": (lambda **kw: L.EinsumDense("abc,dc->abd", [None, 5], **kw), (2, 3, 4)),
    "embedding": (lambda **kw: L.Embedding(7, 5, **kw), None),
    "conv1d": (lambda **kw: L.Conv1D(6, 3, padding="causal", **kw), (2, 8, 4)),
    "conv2d": (lambda **kw: L.Conv2D(6, 3, strides=2, **kw), (2, 8, 8, 4)),
    "conv2d_groups": (lambda **kw: L.Conv2D(6, 3, groups=2, **kw), (2, 8, 8, 4)),
    "conv3d": (lambda **kw: L.Conv3D(3, 2, **kw), (2, 4, 4, 4, 2)),
    "transposed": (lambda **kw: L.Conv2DTranspose(3, 3, **kw), (2, 5, 5, 4)),
    "transposed_1d": (lambda **kw: L.Conv1DTranspose(3, 3, **kw), (2, 5, 4)),
}  # fmt: skip
MODES = {"eager": lambda f: f, "function": tf.function, "jit": tf.function(jit_compile=True)}


def input_of(name):
    shape = LAYERS[name][1]
    random = np.random.default_rng(0)
    if shape is None:
        return tf.constant(random.integers(0, 7, (3, 4)))
    return tf.constant(random.normal(size=shape).astype("float32"))


def adapted(name, rank=2, alpha=3.0, **kwargs):
    """A layer whose product is not zero, and the attribute of its weight."""
    K.utils.set_random_seed(0)
    layer = LAYERS[name][0](name="layer", **kwargs)
    layer(input_of(name))
    layer.enable_lora(rank, lora_alpha=alpha, b_initializer="glorot_uniform")
    return layer, "embeddings" if name == "embedding" else "kernel"


def parts(layer, weight):
    """The base, the matrices, and what the layer computes with."""
    base = next(w for w in layer.non_trainable_weights if weight in w.name).numpy()
    a, b = (getattr(layer, f"lora_{weight}_{key}").numpy() for key in "ab")
    return base, a, b, base + layer.lora_alpha / layer.lora_rank * (a @ b)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", LAYERS)
def test_results_and_gradients_are_those_of_the_sum(name, mode):
    layer, weight = adapted(name)
    x = input_of(name)
    base, a, b, total = parts(layer, weight)
    plain = LAYERS[name][0]()
    plain(x)
    bias = [] if name == "embedding" or layer.bias is None else [layer.bias]
    plain.set_weights([total, *bias])

    def gradients(layer, sources):
        with tf.GradientTape() as tape:
            y = layer(x)
            loss = tf.reduce_sum(y**2)
        return y, [tf.convert_to_tensor(g) for g in tape.gradient(loss, sources)]

    y, found = MODES[mode](lambda: gradients(layer, layer.trainable_weights))()
    expected, (by_total, *_) = gradients(plain, plain.trainable_weights)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    names = [w.name.partition(":")[0].rpartition("/")[2] for w in layer.trainable_weights]
    assert names == [*(["bias"] if bias else []), f"lora_{weight}_a", f"lora_{weight}_b"]
    scale = layer.lora_alpha / layer.lora_rank
    flat = by_total.numpy().reshape(-1, b.shape[1])
    np.testing.assert_allclose(
        found[-2], scale * (flat @ b.T).reshape(a.shape), rtol=1e-3, atol=1e-3
    )
    by_b = scale * (a.reshape(-1, a.shape[-1]).T @ flat)
    np.testing.assert_allclose(found[-1], by_b, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16", "float16", "float64"])
@pytest.mark.parametrize("name", ["dense", "einsum", "embedding", "conv1d", "conv2d"])
def test_dtypes(name, policy):
    layer, weight = adapted(name, dtype=policy)
    matrix = getattr(layer, f"lora_{weight}_a")
    assert matrix.dtype.name == ("float64" if policy == "float64" else "float32")
    x = input_of(name)
    with tf.GradientTape() as tape:
        y = layer(x)
        loss = tf.reduce_sum(tf.cast(y, tf.float32) ** 2)
    assert y.dtype.name == layer.compute_dtype
    assert tape.gradient(loss, matrix).dtype is matrix.dtype
    plain = LAYERS[name][0](dtype="float32")
    plain(x)
    bias = [] if name == "embedding" else [layer.bias.numpy()]
    plain.set_weights([parts(layer, weight)[3], *bias])
    np.testing.assert_allclose(tf.cast(y, tf.float32), plain(x), rtol=0.1, atol=0.1)


def test_zeros_at_first_and_what_is_trained():
    layer = L.Dense(6, kernel_regularizer="l2")
    x = input_of("dense")
    before = layer(x)
    layer.enable_lora(2)
    np.testing.assert_array_equal(layer(x), before)
    assert layer.lora_enabled
    assert (layer.lora_rank, layer.lora_alpha) == (2, 2)
    assert [w.name for w in layer.non_trainable_weights] == ["dense/kernel:0"]
    names = ["dense/bias:0", "dense/lora_kernel_a:0", "dense/lora_kernel_b:0"]
    assert [w.name for w in layer.trainable_weights] == names
    assert len(layer.losses) == 2  # of the matrices
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x))
    assert {v.name for v in tape.watched_variables()} == set(names)
    del loss


def model(**kwargs):
    K.utils.set_random_seed(0)
    return K.Sequential(
        [
            L.Embedding(20, 8, input_length=6, **kwargs),
            L.Conv1D(8, 3, **kwargs),
            L.Flatten(),
            L.Dense(3, **kwargs),
        ]
    )


X = np.random.default_rng(0).integers(0, 20, (64, 6))
Y = X.sum(1) % 3


def tuned():
    net = model()
    net.compile("adam", K.losses.SparseCategoricalCrossentropy(from_logits=True))
    net.fit(X, Y, verbose=0)
    for layer in net.layers:
        if hasattr(layer, "enable_lora"):
            layer.enable_lora(2)
    net.compile(K.optimizers.Adam(0.01), K.losses.SparseCategoricalCrossentropy(from_logits=True))
    return net


def test_training_changes_the_matrices_only():
    net = tuned()
    kept = [w.numpy() for w in net.non_trainable_weights]
    losses = net.fit(X, Y, epochs=20, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    assert len(kept) == 3
    for before, now in zip(kept, net.non_trainable_weights, strict=True):
        np.testing.assert_array_equal(before, now)


@pytest.mark.parametrize("ending", [".keras", ".weights.h5", ".h5", "", ".safetensors"])
def test_files(ending, tmp_path):
    net = tuned()
    net.fit(X, Y, epochs=2, verbose=0)
    expected = net.predict(X, verbose=0)
    path = str(tmp_path / f"model{ending}")
    if ending in (".weights.h5", ".safetensors"):
        net.save_weights(path)
        other = model(lora_rank=2)
        other(X)
        other.load_weights(path)
    else:
        net.save(path, save_format=None if ending else "tf")
        other = K.models.load_model(path)
    np.testing.assert_allclose(other.predict(X, verbose=0), expected, rtol=1e-4, atol=1e-5)
    assert [w.shape for w in other.trainable_weights] == [w.shape for w in net.trainable_weights]
    dense = other.layers[-1]
    assert (dense.lora_rank, dense.lora_alpha) == (2, 2)
    if ending in (".keras", ".weights.h5"):  # merged: it goes on from there
        np.testing.assert_array_equal(dense.lora_kernel_b, np.zeros([2, 3]))
        assert np.abs(dense.lora_kernel_a).max() > 0
    else:
        np.testing.assert_array_equal(dense.lora_kernel_a, net.layers[-1].lora_kernel_a)


def test_merged_weights_fit_layers_without_adaptation(tmp_path):
    net = tuned()
    net.fit(X, Y, epochs=2, verbose=0)
    net.save_weights(str(tmp_path / "a.weights.h5"))
    plain = model()
    plain(X)
    plain.load_weights(str(tmp_path / "a.weights.h5"))
    np.testing.assert_allclose(plain(X), net(X), rtol=1e-4, atol=1e-5)
    plain.save_weights(str(tmp_path / "b.weights.h5"))
    other = model(lora_rank=2)
    other(X)
    other.load_weights(str(tmp_path / "b.weights.h5"))
    np.testing.assert_allclose(plain(X), other(X), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("order", ["lora first", "quantized first"])
@pytest.mark.parametrize("mode", ["int8", "int4"])
def test_quantized_layers(mode, order, tmp_path):
    net = model()
    net(X)

    def enable():
        for layer in net.layers:
            if hasattr(layer, "enable_lora"):
                layer.enable_lora(2, b_initializer="glorot_uniform")

    if order == "lora first":
        enable()
    net.quantize(mode)
    if order == "quantized first":
        enable()
    net.compile(K.optimizers.Adam(0.01), K.losses.SparseCategoricalCrossentropy(from_logits=True))
    fixed = [w.numpy() for w in net.non_trainable_weights]
    losses = net.fit(X, Y, epochs=20, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    for before, now in zip(fixed, net.non_trainable_weights, strict=True):
        np.testing.assert_array_equal(before, now)
    net.save(tmp_path / "model.keras")
    other = K.models.load_model(tmp_path / "model.keras")
    assert [w.dtype for w in other.weights] == [w.dtype for w in net.weights]
    found, expected = other.predict(X, verbose=0), net.predict(X, verbose=0)
    limit = 0.05 if mode == "int8" else 0.5
    assert np.abs(found - expected).max() < limit * np.abs(expected).max()
    checkpoint = str(tmp_path / "checkpoint")
    net.save_weights(checkpoint)
    other.load_weights(checkpoint)
    np.testing.assert_allclose(other.predict(X, verbose=0), expected, rtol=1e-5, atol=1e-6)


def test_the_weight_as_a_value():
    layer, _ = adapted("dense")
    total = parts(layer, "kernel")[3]
    kernel = layer.kernel
    np.testing.assert_allclose(kernel.numpy(), total, rtol=1e-5)
    np.testing.assert_allclose(tf.reduce_sum(kernel**2), (total**2).sum(), rtol=1e-5)
    np.testing.assert_allclose(
        kernel[0] - 2.0 * kernel[1], total[0] - 2 * total[1], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(tf.transpose(kernel) / 2, total.T / 2, rtol=1e-5)
    assert kernel.shape == (4, 6)
    sparse = tf.sparse.from_dense(input_of("dense"))
    np.testing.assert_allclose(layer(sparse), layer(input_of("dense")), rtol=1e-4, atol=1e-6)


def test_what_cannot_be_adapted():
    with pytest.raises(ValueError, match="isn't yet built"):
        L.Dense(3).enable_lora(2)
    constrained = L.Dense(3, kernel_constraint="non_neg")
    constrained.build([None, 2])
    with pytest.raises(ValueError, match="incompatible with kernel constraints"):
        constrained.enable_lora(2)
    layer = L.Dense(3, lora_rank=1)
    layer.build([None, 2])
    with pytest.raises(ValueError, match="only be done once"):
        layer.enable_lora(2)
    for rank in (0, -1, 1.5, True):
        other = L.Dense(3)
        other.build([None, 2])
        with pytest.raises(ValueError, match="positive integer"):
            other.enable_lora(rank)
    for kind in (L.DepthwiseConv2D(3), L.SeparableConv1D(2, 3)):
        with pytest.raises(NotImplementedError, match="no weight"):
            kind.enable_lora(2)
