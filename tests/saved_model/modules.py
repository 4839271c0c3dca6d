"""A module with functions of every kind, for SavedModels that we and TensorFlow write."""

import collections
import inspect

import numpy as np

Pair = collections.namedtuple("Pair", "first rest")


def make(tf, vocabulary):
    """The module; `vocabulary` is a file with words in its lines."""

    class Inner(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([1.0, 2.0], name="w")

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def __call__(self, x):
            return {"scaled": x * self.w}

        @tf.function(input_signature=[{"a": tf.TensorSpec([2]), "b": [tf.TensorSpec([])]}])
        def nested(self, parts):
            return [parts["a"] + self.w, parts["b"][0]]

    class Everything(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(3.0)
            self.inner = Inner()
            self.empty = tf.Module()
            self.parts = [tf.Variable(1), tf.Variable(2.0)]
            self.named = {"k": tf.Variable(5.0)}
            self.table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
            )
            if vocabulary is not None:
                lines = tf.lookup.TextFileInitializer(
                    vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                    tf.lookup.TextFileIndex.LINE_NUMBER,
                )  # fmt: skip
                self.lines = tf.lookup.StaticVocabularyTable(lines, 1)
                self.asset = tf.saved_model.Asset(vocabulary)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def structured(self, x):
            return {"y": x * self.v, "z": (x, self.inner.w)}

        @tf.function
        def __call__(self, x, negative=False):
            result = self.inner(x)["scaled"]
            return -result if negative else result

        @tf.function
        def options(self, x, training=False, scale=2.0):
            if training:
                self.v.assign_add(1.0)
                return x * 10.0
            return x * scale + self.v

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def look_up(self, s):
            return self.table.lookup(s)

        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
        def ragged(self, r):
            return tf.reduce_sum(r.flat_values), r * 2.0

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def pair(self, x):
            slices = tf.IndexedSlices(x, tf.constant([0, 3]), tf.constant([4]))
            return Pair(x, [slices, None, tf.sparse.from_dense(x)])

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def loop(self, n):
            total = 0.0
            for i in tf.range(n):
                total += self.v * tf.cast(i, tf.float32)
            return total

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def custom(self, x):
            e = tf.exp(x)

            @tf.custom_gradient
            def scaled(x):
                def gradient(dy, variables=None):
                    return dy * 7.0 * e * self.v, [tf.reduce_sum(dy) * 5.0]

                return x * self.v, gradient

            return scaled(x) + x

        @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
        def slopes(self, x, y):
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = tf.concat([x * self.inner.w + 1.0, tf.nn.relu(x)], 1)
                z = tf.reduce_sum(tf.square(z), 1) * y[: tf.shape(x)[0]]
                z = tf.where(z > 2.0, tf.reshape(z, [-1]), tf.math.softplus(z))
            return tape.gradient(z, [x, y])

        @tf.function(input_signature=[])
        def draw(self):
            return tf.random.uniform([3])

    if vocabulary is not None:

        class WithLines(Everything):
            @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
            def number(self, s):
                return self.lines.lookup(s)

        module = WithLines()
    else:
        module = Everything()
    module.options(tf.constant([1.0]))
    module.options(tf.constant([1.0]), training=True)
    module.options(tf.constant([1.0]), scale=tf.constant(3.0))
    module.v.assign(3.0)
    module(tf.constant([1.0, 2.0]))
    module(tf.constant([1.0, 2.0]), negative=True)
    return module


def check(tf, loaded):
    """Calls every function of a loaded module."""

    def same(result, expected):
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)

    x = tf.constant([1.0, 2.0])
    result = loaded.structured(x)
    same(result["y"], [3.0, 6.0])
    same(result["z"][1], [1.0, 2.0])
    same(loaded(x), [1.0, 4.0])
    same(loaded(x, negative=True), [-1.0, -4.0])
    assert str(inspect.signature(loaded.__call__)) == "(x, negative=False)"
    same(loaded.inner(x)["scaled"], [1.0, 4.0])
    same(loaded.inner.nested({"a": x, "b": [5.0]})[0], [2.0, 4.0])
    (called,) = loaded.inner.__call__.concrete_functions
    assert called.structured_outputs == {"scaled": tf.TensorSpec([2], tf.float32, "scaled")}
    (nested,) = loaded.inner.nested.concrete_functions
    assert [spec.name for spec in nested.structured_outputs] == ["tensor_0", "tensor_1"]
    assert not callable(loaded.empty)
    one = tf.constant([1.0])
    same(loaded.options(one), [5.0])
    same(loaded.options(one, scale=tf.constant(4.0)), [7.0])
    same(loaded.options(x=one, training=True), [10.0])
    same(loaded.v, 4.0)
    loaded.v.assign(3.0)
    same(loaded.look_up(tf.constant(["a", "b", "c"])), [1, 2, -1])
    total, doubled = loaded.ragged(tf.ragged.constant([[1.0], [2.0, 3.0]]))
    same(total, 6.0)
    assert doubled.to_list() == [[2.0], [4.0, 6.0]]
    first, (slices, nothing, sparse) = loaded.pair(x)
    same(first, [1.0, 2.0])
    same(tf.convert_to_tensor(slices), [1.0, 0.0, 0.0, 2.0])
    assert nothing is None
    same(tf.sparse.to_dense(sparse), [1.0, 2.0])
    (pair,) = loaded.pair.concrete_functions
    assert pair.structured_outputs.first == tf.TensorSpec([2], tf.float32, "first")
    assert pair.structured_outputs.rest[0] == tf.IndexedSlicesSpec(
        [4], tf.float32, tf.int32, tf.int32, [2]
    )
    same(loaded.loop(tf.constant(4)), 18.0)
    assert loaded.draw().shape == [3]
    assert sorted(loaded.signatures) == ["loop", "serving_default"]
    loop = loaded.signatures["loop"]
    assert loop.structured_outputs == {"output_0": tf.TensorSpec([], tf.float32, "output_0")}
    same(loop(n=tf.constant(3))["output_0"], 9.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded.structured(x)["y"])
    same(tape.gradient(y, loaded.v), 3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.custom(x)
    dx, dv = tape.gradient(y, [x, loaded.v])
    same(dx, 21.0 * np.exp([1.0, 2.0]) + 1.0)
    same(dv, 10.0)
    dx, dy = loaded.slopes(tf.constant([[1.0, -2.0], [0.5, 0.1]]), tf.constant([2.0, 0.1, 5.0]))
    slope = 1.0 / (1.0 + np.exp(-0.395))  # of softplus
    same(dx, [[12.0, -24.0], [0.4 * slope, 0.5 * slope]])
    same(dy, [14.0, 3.95 * slope, 0.0])
    same(loaded.parts[1], 2.0)
    same(loaded.named["k"], 5.0)
    if hasattr(loaded, "number"):
        same(loaded.number(tf.constant(["b", "z"])), [1, 3])
