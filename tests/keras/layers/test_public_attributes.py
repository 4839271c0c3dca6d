"""Attributes of layers and optimizers that are arguments in another form."""

import eagerflow as tf

layers = tf.keras.layers


def test_pooling_layers_name_their_functions():
    for rank in (1, 2, 3):
        largest = getattr(layers, f"MaxPooling{rank}D")()
        assert largest.pool_function is getattr(tf.nn, f"max_pool{rank}d")
        mean = getattr(layers, f"AveragePooling{rank}D")()
        assert mean.pool_function is getattr(tf.nn, f"avg_pool{rank}d")


def test_random_layers_have_their_limits():
    moved = layers.RandomTranslation(0.1, (-0.2, 0.3))
    assert (moved.height_lower, moved.height_upper) == (-0.1, 0.1)
    assert (moved.width_lower, moved.width_upper) == (-0.2, 0.3)
    zoomed = layers.RandomZoom((0.1, 0.2), 0.3)
    assert (zoomed.height_lower, zoomed.height_upper) == (0.1, 0.2)
    assert (zoomed.width_lower, zoomed.width_upper) == (-0.3, 0.3)
    assert not hasattr(layers.RandomZoom(0.1), "width_lower")
    assert layers.RandomHeight(0.1).height_upper == 0.1
    assert layers.RandomWidth((-0.1, 0.2)).width_lower == -0.1
    flipped = layers.RandomFlip("vertical")
    assert flipped.vertical and not flipped.horizontal


def test_layers_say_how_they_count():
    assert layers.Hashing(3, salt=1).strong_hash and not layers.Hashing(3).strong_hash


def test_legacy_optimizers_make_variables_of_their_own():
    class Counting(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self):
            super().__init__("counting")
            self.product = self.add_weight("product", [], tf.float32, "ones", trainable=False)

        def _resource_apply_dense(self, gradient, variable, apply_state=None):
            self.product.assign(self.product * 0.5)
            return variable.assign_sub(gradient * self.product)

        def get_config(self):
            return super().get_config()

    optimizer, v = Counting(), tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == 0.5 and float(optimizer.product) == 0.5
    assert any(weight is optimizer.product for weight in optimizer.weights)
