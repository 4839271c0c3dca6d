"""SavedModels with functions, written and read here; `tests/oracle/files.py` asks TensorFlow."""

import numpy as np
import pytest

import eagerflow as tf
from saved_model import modules


def test_functions_come_back(tmp_path):
    module = modules.make(tf, None)
    signatures = {"serving_default": module.look_up, "loop": module.loop}
    tf.saved_model.save(module, tmp_path / "m", signatures=signatures)
    modules.check(tf, tf.saved_model.load(tmp_path / "m"))


def test_what_is_loaded_can_be_saved_again(tmp_path):
    class Outer(tf.Module):
        def __init__(self, loaded):
            super().__init__()
            self.loaded = loaded

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def run(self, x):
            return self.loaded.structured(x)["y"] + 1.0

    module = modules.make(tf, None)
    tf.saved_model.save(module, tmp_path / "a", signatures={"serving_default": module.loop})
    outer = Outer(tf.saved_model.load(tmp_path / "a"))
    tf.saved_model.save(outer, tmp_path / "b")
    loaded = tf.saved_model.load(tmp_path / "b")
    assert loaded.run(tf.constant([1.0])).numpy().tolist() == [4.0]
    assert loaded.signatures["serving_default"](tf.constant([2.0]))["output_0"].numpy() == [7.0]
    assert repr(loaded.signatures).startswith(
        "_SignatureMap({'serving_default': <ConcreteFunction "
    )


def test_functions_that_were_loaded_are_saved_again(tmp_path):
    module = modules.make(tf, None)
    signatures = {"serving_default": module.look_up, "loop": module.loop}
    tf.saved_model.save(module, tmp_path / "a", signatures=signatures)
    loaded = tf.saved_model.load(tmp_path / "a")
    signatures = {"serving_default": loaded.look_up, "loop": loaded.signatures["loop"]}
    tf.saved_model.save(loaded, tmp_path / "b", signatures=signatures)
    modules.check(tf, tf.saved_model.load(tmp_path / "b"))


class Plain(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="given")])
    def double(self, x):
        return self.v * x


def test_signatures(tmp_path):
    module = Plain()
    tf.saved_model.save(module, tmp_path / "default")
    loaded = tf.saved_model.load(tmp_path / "default")
    signature = loaded.signatures["serving_default"]
    assert signature(given=tf.constant([3.0]))["output_0"].numpy().tolist() == [6.0]
    assert list(signature.structured_input_signature[1]) == ["given"]
    named = tf.function(lambda a, b: {"sum": a + b, "first": a})
    spec = tf.TensorSpec([], tf.int32)
    concrete = named.get_concrete_function(spec, b=spec)
    tf.saved_model.save(module, tmp_path / "named", signatures={"add": concrete})
    loaded = tf.saved_model.load(tmp_path / "named")
    result = loaded.signatures["add"](a=tf.constant(1), b=tf.constant(2))
    assert {key: int(value) for key, value in result.items()} == {"first": 1, "sum": 3}


def test_misuse_is_refused_before_anything_is_written(tmp_path):
    module = Plain()
    for signatures, text in [
        ({"a": 5}, "but got 5"),
        (tf.function(lambda x: x), "0 traces"),
        (
            tf.function(lambda: [[tf.constant(1)]], input_signature=[]),
            "non-Tensor value",
        ),
    ]:
        with pytest.raises(ValueError, match=text):
            tf.saved_model.save(module, tmp_path / "m", signatures=signatures)
    stray = tf.Variable(1.0)
    module.uses = tf.function(lambda: stray + 1.0, input_signature=[])
    with pytest.raises(AssertionError, match="'untracked' resource"):
        tf.saved_model.save(module, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_python_is_refused_by_function_and_line(tmp_path):
    module = Plain()

    @tf.function(input_signature=[tf.TensorSpec([1, 6, 6, 1], tf.float32)])
    def calls_python(x):
        return tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0])[0]

    module.bad = calls_python
    with pytest.raises(tf.errors.UnimplementedError, match="test_save_functions.py.*calls_python"):
        tf.saved_model.save(module, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_assets_are_copied(tmp_path):
    (tmp_path / "words.txt").write_text("a\n")
    module = Plain()
    module.words = tf.saved_model.Asset(str(tmp_path / "words.txt"))
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert tf.io.read_file(loaded.words).numpy() == b"a\n"
    assert str(tmp_path / "m") in loaded.words.asset_path.numpy().decode()


def test_keras_models_can_be_called_without_keras(tmp_path):
    layers = tf.keras.layers
    inputs = tf.keras.Input((3,), name="features")
    x = layers.BatchNormalization()(layers.Dense(4, "swish")(inputs))
    model = tf.keras.Model(inputs, layers.Dense(2, name="out")(layers.Dropout(0.5)(x)))
    model.compile("adam", "mse")
    data = np.ones((4, 3), "f")
    model.fit(data, np.ones((4, 2)), verbose=0)
    model.save(tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    expected = model(data).numpy()
    np.testing.assert_allclose(loaded(data, training=False), expected, rtol=1e-5)
    result = loaded.signatures["serving_default"](features=tf.constant(data))
    np.testing.assert_allclose(result["out"], expected, rtol=1e-5)
    assert loaded(data, training=True).shape == [4, 2]
    again = tf.keras.models.load_model(tmp_path / "m")
    again.fit(data, np.ones((4, 2)), verbose=0)


def test_functions_in_lists_and_dictionaries_come_back(tmp_path):
    module = Plain()
    signature = [tf.TensorSpec([], tf.float32)]
    module.losses = [tf.function(lambda: module.v * 0.1, input_signature=[])]
    module.named = {
        "twice": tf.function(lambda x: x * 2.0, input_signature=signature),
        "n": [module.v, tf.function(lambda x: x + module.v, input_signature=signature)],
    }
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert float(loaded.losses[0]()) == np.float32(0.2)
    assert float(loaded.named["twice"](3.0)) == 6.0
    loaded.named["n"][0].assign(5.0)
    assert float(loaded.named["n"][1](3.0)) == 8.0


def test_a_method_that_takes_the_place_of_a_function_is_not_saved(tmp_path):
    class Traced(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def __call__(self, x):
            return x

    class Plainly(Traced):
        def __call__(self, x):
            return x * 5.0

    tf.saved_model.save(Plainly(), tmp_path / "m")
    assert not callable(tf.saved_model.load(tmp_path / "m"))


def _default_names(path, **functions):
    module = tf.Module()
    for name, value in functions.items():
        setattr(module, name, value)
    tf.saved_model.save(module, path)
    signatures = tf.saved_model.load(path).signatures
    return [list(signatures[key].structured_outputs) for key in signatures]


def test_the_default_signature_is_the_only_function_for_one_signature(tmp_path):
    signature = [tf.TensorSpec([None], tf.float32)]
    typed = tf.function(lambda x, k=3: {"y": x * 2.0}, input_signature=signature)
    free = tf.function(lambda x: x * 2.0)
    free(tf.constant([1.0]))
    nothing = tf.function(lambda x: None, input_signature=signature)
    draw = tf.function(lambda: tf.constant(1.0), input_signature=[])
    concrete = free.get_concrete_function(*signature)
    for k, (functions, expected) in enumerate([
        ({"f": free}, []),
        ({"f": typed}, [["y"]]),
        ({"f": typed, "g": free}, [["y"]]),
        ({"f": typed, "g": draw}, []),
        ({"f": draw}, [["output_0"]]),
        ({"f": concrete}, [["output_0"]]),
        ({"f": concrete, "g": typed}, []),
        ({"f": nothing}, []),
    ]):  # fmt: skip
        assert _default_names(tmp_path / str(k), **functions) == expected, functions


def _trained(kind):
    """A module whose `train` makes a step of a model for sequences or images of any sizes."""
    layers = tf.keras.layers
    if kind == "recurrent":
        model = tf.keras.Sequential([layers.Masking(), layers.LSTM(3), layers.Dense(1)])
        shape = [None, None, 2]
    else:
        model = tf.keras.Sequential([
            layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(), layers.MaxPool2D(),
            layers.DepthwiseConv2D(3, padding="same"), layers.GlobalAveragePooling2D(),
            layers.LayerNormalization(), layers.Dense(1),
        ])  # fmt: skip
        shape = [None, None, None, 2]
    model.build(shape)
    optimizer = tf.keras.optimizers.Adam(0.05)
    optimizer.build(model.trainable_variables)
    module = tf.Module()
    module.model, module.optimizer = model, optimizer

    @tf.function(input_signature=[tf.TensorSpec(shape), tf.TensorSpec([None, 1])])
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    module.train = train
    return module, shape


@pytest.mark.parametrize("kind", ["recurrent", "images"])
def test_training_steps_for_any_sizes_come_back(tmp_path, kind):
    module, shape = _trained(kind)
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    rng = np.random.default_rng(0)
    x = rng.normal(size=[2, *[7 for _ in shape[1:-1]], 2]).astype("f")
    y = np.array([[0.5], [-0.5]], "f")
    expected = [module.train(x, y).numpy() for _ in range(4)]
    found = [loaded.train(tf.constant(x), tf.constant(y)).numpy() for _ in range(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert found[-1] < found[0]


def test_gradients_of_calls_with_effects_do_not_repeat_them(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(2.0)
    module.w = tf.Variable(tf.ones([4]))
    module.bn = tf.keras.layers.BatchNormalization()
    module.bn.build([None, 4])

    @tf.function
    def inner(x):
        module.w.assign_add(tf.ones([4]))
        return tf.nn.dropout(x, 0.5, seed=7) * module.w

    @tf.function
    def outer(x):
        before = module.v * tf.reduce_sum(x)
        module.v.assign(module.v * 3.0)
        return module.bn(x * module.v, training=True) + before * module.v, inner(x)

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            normal, dropped = outer(x)
            total = tf.reduce_sum(normal**2) + tf.reduce_sum(dropped)
        sources = [x, module.w, module.v, *module.bn.trainable_variables]
        return dropped, module.bn.moving_mean.read_value(), tape.gradient(total, sources)

    module.run = run
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.reshape(tf.range(1.0, 13.0), [3, 4])
    for step in range(2):
        (mask, mean, (_, to_w, *found)), (_, expected_mean, (_, _, *expected)) = (
            loaded.run(x),
            run(x),
        )
        np.testing.assert_allclose(mean, expected_mean, rtol=1e-5)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-3)
        # The gradient has the numbers that were drawn.
        np.testing.assert_allclose(to_w, tf.reduce_sum(mask, 0) / (2.0 + step), rtol=1e-5)
        np.testing.assert_allclose(loaded.v, module.v)


def test_gradients_of_choices_with_effects_do_not_repeat_them(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(2.0)
    module.w = tf.Variable([1.5, 1.0, 0.5])

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32)])
    def slopes(x, which):
        def dropped():
            module.v.assign_add(1.0)
            return tf.nn.dropout(x * module.w, 0.5) * module.v

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.switch_case(
                which,
                [dropped, lambda: tf.random.normal(tf.shape(x)) * x * module.v, lambda: x * x],
            )
        sources = [x, module.w, module.v]
        return y, tape.gradient(y, sources, unconnected_gradients="zero")

    module.slopes = slopes
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = np.random.default_rng(0).uniform(0.5, 1, [20, 3]).astype("f")
    for which, v in ((0, 3.0), (1, 3.0), (2, 3.0), (0, 4.0)):
        y, found = loaded.slopes(tf.constant(x), tf.constant(which))
        y = y.numpy()
        expected = {
            0: [y / x, y.sum(0) / module.w.numpy(), y.sum() / v],
            1: [y / x, np.zeros(3), y.sum() / v],
            2: [2 * x, np.zeros(3), 0.0],
        }[which]
        assert loaded.v.numpy() == v
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_gradients_in_loops_of_calls_before_them_are_refused(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def slopes(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * x, lambda: x)
        total = tf.zeros_like(x)
        for _ in tf.range(2):
            total += tape.gradient(y, x)
        return total

    module = tf.Module()
    module.slopes = slopes
    with pytest.raises(tf.errors.UnimplementedError, match="of another function"):
        tf.saved_model.save(module, tmp_path / "m")


def test_gradients_that_would_repeat_effects_are_refused(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0)

    @tf.function
    def counted(x):
        if tf.reduce_sum(x) > 0.0:
            module.v.assign_add(1.0)
            x = x * x
        return x

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = counted(x)
        return tape.gradient(y, x)

    module.gradient = gradient
    with pytest.raises(tf.errors.UnimplementedError, match="changes variables or draws") as error:
        tf.saved_model.save(module, tmp_path / "m")
    assert "test_save_functions.py" in str(error.value)


def _lookup(table, dtype=tf.string):
    module = tf.Module()
    module.table = table
    signature = [tf.TensorSpec([None], dtype)]
    module.find = tf.function(lambda keys: table.lookup(keys), input_signature=signature)
    return module


@pytest.mark.parametrize("words", [["a", "b", "c"], []])
def test_vocabularies_come_back_with_their_shared_ids(tmp_path, words):
    ids = tf.range(len(words), dtype=tf.int64)
    initializer = tf.lookup.KeyValueTensorInitializer(words, ids) if words else None
    table = tf.lookup.StaticVocabularyTable(initializer, 3, lookup_key_dtype=tf.string)
    tf.saved_model.save(_lookup(table), tmp_path / "m")
    keys = tf.constant(["a", "c", "other", "more"])
    found = tf.saved_model.load(tmp_path / "m").find(keys)
    assert found.numpy().tolist() == table.lookup(keys).numpy().tolist()


def test_tables_that_programs_change_come_back_with_what_they_hold(tmp_path):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, default_value=-1.0)
    module = _lookup(table)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None])])
    def put(keys, values):
        table.insert(keys, values)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def remove(keys):
        table.remove(keys)

    module.put, module.remove = put, remove
    module.items = tf.function(lambda: table.export(), input_signature=[])
    tf.saved_model.save(module, tmp_path / "empty")
    table.insert(["a"], [5.0])
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    loaded.put(tf.constant(["b"]), tf.constant([7.0]))
    assert loaded.find(tf.constant(["a", "b", "c"])).numpy().tolist() == [5.0, 7.0, -1.0]
    loaded.remove(tf.constant(["a"]))
    assert [part.numpy().tolist() for part in loaded.items()] == [[b"b"], [7.0]]
    assert tf.saved_model.load(tmp_path / "empty").items()[0].shape == [0]


def test_defaults_that_are_structures_come_back(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x, *, scale={"by": 2.0, "and": [1]}: x * scale["by"])
    module.f(tf.constant([1.0]))
    tf.saved_model.save(module, tmp_path / "m")
    assert tf.saved_model.load(tmp_path / "m").f(tf.constant([3.0])).numpy().tolist() == [6.0]


def _row(*values):
    return tf.ragged.constant([list(values), [], [3.0, -4.0, 5.0]])


HOSTED = {
    "factors": (
        lambda x: [tf.linalg.cholesky(x), *tf.linalg.qr(x), *tf.linalg.svd(x)],
        tf.eye(3) * 4.0,
    ),
    "eigenvalues": (lambda x: [*tf.linalg.eigh(x), tf.linalg.expm(x)], tf.eye(3) + 0.5),
    "systems": (
        lambda x: [tf.linalg.inv(x), tf.linalg.det(x), tf.linalg.solve(x, x)],
        tf.eye(3) + 1.0,
    ),
    "spectra": (lambda x: [tf.signal.rfft(x), tf.signal.irfft(tf.signal.rfft(x), [3])], tf.eye(3)),
    "tokens": (lambda t: tf.strings.split(t), tf.constant(["a b", "", "c d e"])),
    "bigrams": (
        lambda t: tf.strings.ngrams(tf.strings.split(t), 2),
        tf.constant(["a b", "", "c d e"]),
    ),
    "letters": (lambda t: tf.strings.unicode_split(t, "UTF-8"), tf.constant(["aé", "", "b"])),
    "sums of rows": (lambda r: [tf.reduce_sum(r, 1), tf.reduce_mean(r, 0)], _row(1.0, 2.0)),
    "rows": (lambda r: [tf.concat([r, r], 1), tf.stack([r, r]), r[:, ::-1], r[1:]], _row(1.0, 2.0)),
    "stretched rows": (
        lambda r: [
            r + tf.reduce_sum(r, 1, keepdims=True),
            r * tf.ones([1, 1]),
            tf.stack([r, r]) - tf.stack([r]),
            tf.expand_dims(r, 2) + tf.ones([3, 1, 2]),
        ],
        _row(1.0, 2.0),
    ),
    "dense rows": (lambda r: [r.to_tensor(-1.0), r.to_sparse()], _row(1.0, 2.0)),
    "sparse sums": (
        lambda s: [tf.sparse.reduce_sum(s, 1), tf.sparse.reduce_max(s, 0), tf.sparse.add(s, s)],
        tf.SparseTensor([[0, 1], [1, 2]], [2.0, 3.0], [2, 3]),
    ),
    "sparse shapes": (
        lambda s: [
            tf.sparse.transpose(s),
            tf.sparse.reshape(s, [3, 2]),
            tf.sparse.concat(1, [s, s]),
        ],
        tf.SparseTensor([[0, 1], [1, 2]], [2.0, 3.0], [2, 3]),
    ),
}


def _leaves(value):
    return [leaf.numpy() for leaf in tf.nest.flatten(value, expand_composites=True)]


@pytest.mark.parametrize("name", HOSTED)
def test_functions_that_work_on_the_host_come_back(tmp_path, name):
    """What is computed outside of the graph here is operations of TensorFlow in the file."""
    function, value = HOSTED[name]
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.type_spec_from_value(value)])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for found, expected in zip(_leaves(loaded.f(value)), _leaves(function(value)), strict=True):
        if expected.dtype.kind in "fc":
            np.testing.assert_allclose(np.abs(found), np.abs(expected), 1e-5, 1e-6)
        else:
            assert (found == expected).all()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.linalg.cholesky(x),
        lambda x: tf.linalg.inv(x) @ x[:, :1],
        lambda x: tf.linalg.logdet(x),
        lambda x: tf.linalg.triangular_solve(x, x[:, 1:]),
        lambda x: tf.linalg.eigh(x)[0],
        lambda x: tf.math.real(tf.signal.rfft(x)),
        lambda x: tf.gather(x, [0, 2, 0], axis=1),
    ],
)
def test_gradients_of_such_functions_come_back(tmp_path, function):
    @tf.function(input_signature=[tf.TensorSpec([3, 3])])
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x) ** 2)
        return tape.gradient(y, x)

    module = tf.Module()
    module.f = slope
    tf.saved_model.save(module, tmp_path)
    x = tf.constant([[4.0, 1.0, 0.5], [1.0, 5.0, 0.2], [0.5, 0.2, 3.0]])
    np.testing.assert_allclose(tf.saved_model.load(tmp_path).f(x), slope(x), 1e-4, 1e-5)


class Seeded(tf.Module):
    """Draws from a seed that is a variable, as generators of Keras keep it."""

    def __init__(self):
        super().__init__()
        self.seed = tf.Variable([3, -5], dtype=tf.int32, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)], jit_compile=True)
    def draw(self, x):
        seed = self.seed + 1
        whole = tf.random.stateless_uniform([3], seed, minval=None, maxval=None, dtype=tf.int32)
        noise = tf.random.stateless_normal(tf.shape(x), tf.cast(-seed, tf.int64))
        return x + tf.random.stateless_uniform([4], seed), noise, whole


def test_draws_from_seeds_that_are_not_known(tmp_path):
    """Seeds of 32 bits keep their sign; what is loaded is compiled as well where programs are."""
    module = Seeded()
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.ones([2, 4])
    for mine, theirs in zip(loaded.draw(x), module.draw(x), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), 1e-6, 1e-6)


def test_functions_have_further_names(tmp_path):
    module = tf.Module()
    module.double = tf.function(lambda x: 2 * x)
    module.double(tf.constant(1.0)), module.double(tf.constant([1, 2]))
    aliases = tf.saved_model.SaveOptions(function_aliases={"twice": module.double})
    tf.saved_model.save(module, tmp_path, options=aliases)
    assert not hasattr(tf.saved_model.load(tmp_path), "function_aliases")
    options = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(tmp_path, options=options)
    assert list(loaded.function_aliases) == ["twice"]
    assert loaded.function_aliases["twice"](tf.constant(4.0)).numpy() == 8.0
    assert loaded.function_aliases["twice"](tf.constant([4, 5])).numpy().tolist() == [8, 10]


def test_functions_list_their_traces():
    @tf.function(input_signature=[tf.TensorSpec([])])
    def double(x):
        return 2 * x

    assert double._trackable_children() == {}
    traces = double._trackable_children("savedmodel")
    assert list(traces) == ["trace_0"] and traces["trace_0"](tf.constant(2.0)).numpy() == 4.0


def test_variables_that_tracing_makes_are_saved(tmp_path):
    class Late(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = None
            self.layer = tf.keras.layers.Dense(2, kernel_initializer="ones")

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def run(self, x):
            if self.v is None:
                self.v = tf.Variable(2.0)
            return self.layer(x) * self.v

    tf.saved_model.save(Late(), tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.run(tf.ones([1, 3])).numpy().tolist() == [[6.0, 6.0]]
    assert len(loaded.layer.variables) == 2


class Branching(tf.keras.Model):
    """A model whose `call` needs AutoGraph in a graph."""

    def call(self, x):
        if tf.reduce_sum(x) > 0.0:
            x = x * 2.0
        return x


@pytest.mark.parametrize("save", ["save", "export", "module"])
def test_calls_of_models_are_converted(tmp_path, save):
    model = Branching()
    model(tf.ones([1, 2]))
    if save == "save":
        model.save(tmp_path / "m", save_format="tf")
    elif save == "export":
        model.export(tmp_path / "m")
    else:
        tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    run = loaded.serve if save == "export" else loaded
    for sign in (1.0, -1.0):
        np.testing.assert_array_equal(
            run(tf.fill([1, 2], sign)), tf.fill([1, 2], max(2 * sign, sign))
        )


class Summing(tf.Module):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0)

    @tf.function
    def step(self, iterator):
        element = next(iterator)
        self.total.assign_add(tf.reduce_sum(element["x"]) * element["weight"])
        return element["x"]

    @tf.function
    def steps(self, iterator, count):
        for _ in tf.range(count):
            if self.total < 100.0:
                self.total.assign_add(tf.reduce_sum(next(iterator)["x"]))
        return self.total.read_value()


def elements():
    values = {"x": tf.reshape(tf.range(12.0), [6, 2]), "weight": tf.fill([6], 2.0)}
    return tf.data.Dataset.from_tensor_slices(values)


def test_functions_of_iterators_come_back(tmp_path):
    module = Summing()
    module.step(iter(elements()))
    module.steps(iter(elements()), tf.constant(2))
    module.total.assign(0.0)
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    iterator = iter(elements())
    assert loaded.step(iterator).numpy().tolist() == [0.0, 1.0]
    assert loaded.total.numpy() == 2.0
    # The loop goes on where the step stopped.
    assert loaded.steps(iterator, tf.constant(3)).numpy() == 2.0 + sum(range(2, 8))
    assert next(iterator)["x"].numpy().tolist() == [8.0, 9.0]
    loaded.step(iterator)
    with pytest.raises(tf.errors.OutOfRangeError):
        loaded.step(iterator)


def test_functions_of_iterators_want_iterators(tmp_path):
    module = Summing()
    module.step(iter(elements()))
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    with pytest.raises(ValueError, match="matching concrete function"):
        loaded.step(iter(tf.data.Dataset.range(3)))


def test_elements_that_are_no_tensors_are_not_exported(tmp_path):
    module = tf.Module()
    module.step = tf.function(lambda iterator: next(iterator).to_tensor())
    rows = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))
    module.step(iter(rows.batch(2)))
    with pytest.raises(
        tf.errors.UnimplementedError, match="elements of iterators in files are tensors"
    ):
        tf.saved_model.save(module, tmp_path / "m")


def test_functions_of_the_program_are_named_and_not_run(tmp_path):
    class Calling(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def run(self, x):
            return x + tf.numpy_function(lambda a: a * 2, [x], tf.float32)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def plain(self, x):
            tf.numpy_function(lambda a: a * 2, [x], tf.float32, stateful=False)
            return x * 3.0

    tf.saved_model.save(Calling(), tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.plain(2.0).numpy() == 6.0
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="calls a Python function of the program"
    ):
        loaded.run(2.0)


def test_signatures_take_the_tensors_of_ragged_and_sparse_arguments(tmp_path):
    module = tf.Module()

    @tf.function(
        input_signature=[
            tf.RaggedTensorSpec([None, None], tf.float32, 1),
            tf.SparseTensorSpec([2, 3]),
        ]
    )
    def total(x, s):
        return {"out": tf.reduce_sum(x, 1) + tf.sparse.reduce_sum(s, 1)}

    module.total = total
    tf.saved_model.save(module, tmp_path / "m")  # the only function with a signature is the default
    serve = tf.saved_model.load(tmp_path / "m").signatures["serving_default"]
    specs = serve.structured_input_signature[1]
    assert {name: spec.dtype.name for name, spec in specs.items()} == {
        "x": "float32",
        "x_1": "int64",
        "s": "int64",
        "s_1": "float32",
        "s_2": "int64",
    }
    found = serve(
        x=tf.constant([1.0, 2.0, 3.0]),
        x_1=tf.constant([0, 1, 3], tf.int64),
        s=tf.constant([[1, 0]], tf.int64),
        s_1=tf.constant([10.0]),
        s_2=tf.constant([2, 3], tf.int64),
    )
    assert found["out"].numpy().tolist() == [1.0, 15.0]


def test_functions_that_read_files(tmp_path):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def read(self, path):
            return tf.strings.length(tf.io.read_file(path))

        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def find(self, pattern):
            return tf.size(tf.io.matching_files(pattern))

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def double(self, x):
            return 2 * x

    (tmp_path / "text").write_text("four")
    folder = tmp_path / "model"
    tf.saved_model.save(Module(), folder)
    loaded = tf.saved_model.load(folder)
    assert loaded.double(2.0) == 4.0
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile"):
        loaded.read(str(tmp_path / "text"))
    options = tf.saved_model.LoadOptions(allowed_operations=["ReadFile", "MatchingFiles"])
    loaded = tf.saved_model.load(folder, options=options)
    assert loaded.read(str(tmp_path / "text")) == 4
    assert loaded.find(str(tmp_path / "te*")) == 1


@pytest.mark.parametrize("signatures", [lambda f: f, lambda f: {"serving_default": f}])
def test_variables_that_the_trace_of_a_signature_makes_are_saved(tmp_path, signatures):
    module = tf.Module()
    module.layer = late = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def serve(x):
        if not hasattr(late, "weight"):
            late.weight = tf.Variable([2.0, 3.0])
        return x * late.weight

    tf.saved_model.save(module, str(tmp_path), signatures(serve))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.layer.weight.numpy().tolist() == [2.0, 3.0]
    (result,) = loaded.signatures["serving_default"](x=tf.ones([1, 2])).values()
    assert result.numpy().tolist() == [[2.0, 3.0]]
