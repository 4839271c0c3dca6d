"""Values of checkpoints that wait for layers and slots which are made later."""

import numpy as np
import pytest

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


@pytest.mark.parametrize("shape", [None, (1,)])
def test_layers_that_are_added_after_the_checkpoint_was_read(tmp_path, shape):
    def first():
        options = {} if shape is None else {"input_shape": shape}
        return layers.Dense(4, **options)

    model = keras.Sequential([first(), layers.Dense(3)])
    model(tf.constant([[1.0]]))
    model.layers[1].bias.assign([1.0, 2.0, 3.0])
    path = tf.train.Checkpoint(model=model).write(str(tmp_path / "ck"))
    late = keras.Sequential()
    status = tf.train.Checkpoint(model=late).read(path)
    late.add(first())
    late.add(layers.Dense(3))
    late(tf.constant([[1.0]]))
    status.assert_consumed()
    assert late.layers[1].bias.numpy().tolist() == [1.0, 2.0, 3.0]
    x = tf.constant([[0.5], [2.0]])
    np.testing.assert_allclose(late(x).numpy(), model(x).numpy())


class Heavy(keras.optimizers.Optimizer):
    """A rule of a program, which makes its variables in `build`."""

    def __init__(self):
        super().__init__(name="Heavy")
        self._learning_rate = self._build_learning_rate(0.1)

    def build(self, var_list):
        super().build(var_list)
        if not getattr(self, "_built", False):
            self.momenta = [self.add_variable_from_reference(v, "m") for v in var_list]
            self._built = True

    def update_step(self, gradient, variable):
        momentum = self.momenta[self._index_dict[self._var_key(variable)]]
        momentum.assign(momentum * 0.9 + gradient)
        variable.assign_sub(self.learning_rate * momentum)


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda: tf.compat.v1.train.RMSPropOptimizer(0.1),
        lambda: tf.compat.v1.train.AdamOptimizer(0.1),
        lambda: tf.compat.v1.train.MomentumOptimizer(0.1, 0.9),
        lambda: keras.optimizers.legacy.Adam(0.1),
        lambda: keras.optimizers.Adam(0.1),
        lambda: keras.optimizers.Adafactor(0.1),
        lambda: Heavy(),
    ],
    ids=["v1 RMSProp", "v1 Adam", "v1 Momentum", "legacy Adam", "Adam", "Adafactor", "own"],
)
def test_slots_of_an_optimizer_that_comes_after_the_weights(tmp_path, optimizer):
    x, y = np.linspace(0, 1, 6, dtype="f").reshape(3, 2), np.linspace(1, 2, 3, dtype="f")
    path = str(tmp_path / "weights")

    def model():
        return keras.Sequential([layers.Dense(1, kernel_initializer="ones", input_shape=(2,))])

    trained = model()
    trained.compile(optimizer(), "mse")
    trained.train_on_batch(x, y)
    trained.save_weights(path, save_format="tf")
    trained.train_on_batch(x, y)
    resumed = model()
    resumed.load_weights(path)
    resumed.compile(optimizer(), "mse")
    resumed.train_on_batch(x, y)
    np.testing.assert_allclose(resumed(x).numpy(), trained(x).numpy(), rtol=1e-5)
