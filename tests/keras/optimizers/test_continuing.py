"""Training that goes on from a saved state, in a model of its own, as if it had not stopped."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras
new, legacy = keras.optimizers, keras.optimizers.legacy
scaled = keras.mixed_precision.LossScaleOptimizer

OPTIMIZERS = {
    **{
        name: lambda name=name: getattr(new, name)(0.01)
        for name in (
            "Adadelta Adafactor Adagrad Adam AdamW Adamax Ftrl Lion Nadam RMSprop SGD Lamb Muon "
            "ScheduleFreeAdamW"
        ).split()
    },
    **{
        f"legacy-{name}": lambda name=name: getattr(legacy, name)(0.01)
        for name in "Adadelta Adagrad Adam Adamax Ftrl Nadam RMSprop SGD".split()
    },
    "momentum": lambda: new.SGD(0.01, momentum=0.9, nesterov=True),
    "legacy-momentum": lambda: legacy.SGD(0.01, momentum=0.9, nesterov=True, decay=0.1),
    "amsgrad": lambda: new.Adam(0.01, amsgrad=True),
    "centered": lambda: new.RMSprop(0.01, centered=True, momentum=0.5),
    "averaged": lambda: new.Adam(
        0.01, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=3, weight_decay=0.01
    ),
    "schedule": lambda: new.Adam(new.schedules.ExponentialDecay(0.01, 2, 0.5)),
    "clipped": lambda: new.Adam(0.01, global_clipnorm=0.1),
    "scaled": lambda: scaled(new.Adam(0.01), initial_scale=4.0, dynamic_growth_steps=2),
    "scaled-fixed": lambda: scaled(new.Adam(0.01), dynamic=False, initial_scale=4.0),
    "scaled-legacy": lambda: scaled(legacy.Adam(0.01), initial_scale=4.0, dynamic_growth_steps=2),
    "scaled-legacy-fixed": lambda: scaled(legacy.SGD(0.01, 0.9), dynamic=False, initial_scale=4.0),
    "scaled-averaged": lambda: scaled(
        new.Adam(0.01, use_ema=True), initial_scale=4.0, dynamic_growth_steps=2
    ),
}
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=[20, 5]).astype(np.float32)
Y = RANDOM.normal(size=[20, 3]).astype(np.float32)


def made(name, seed=1):
    keras.utils.set_random_seed(seed)
    layers = [keras.layers.Dense(4, "tanh", input_shape=[5]), keras.layers.Dense(3)]
    model = keras.Sequential(layers)
    model.compile(OPTIMIZERS[name](), "mse")
    return model


def eagerly(model, x, y):
    optimizer = model.optimizer
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        if isinstance(optimizer, scaled):
            loss = optimizer.get_scaled_loss(loss)
    gradients = tape.gradient(loss, model.trainable_variables)
    if isinstance(optimizer, scaled):
        gradients = optimizer.get_unscaled_gradients(gradients)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))


def fitted(model, x, y):
    model.fit(x, y, batch_size=2, shuffle=False, verbose=0)


def train(model, step, first, last):
    for k in range(first, last):
        step(model, X[4 * k : 4 * k + 4], Y[4 * k : 4 * k + 4])


def variables_of(model):
    return [*model.weights, *model.optimizer.variables]


def state_of(model):
    """The bytes of all that training changes."""
    values = [variable.numpy() for variable in variables_of(model)]
    if isinstance(model.optimizer, scaled):
        values += [model.optimizer.loss_scale.numpy()]
        values += [int(model.optimizer.dynamic_counter or 0)]
    return [np.asarray(value).tobytes() for value in values]


def built(name):
    model = made(name, seed=2)
    model.optimizer.build(model.trainable_variables)
    return model


def through_set_weights(name, model, folder):
    fresh = built(name)
    fresh.set_weights(model.get_weights())
    fresh.optimizer.set_weights(model.optimizer.get_weights())
    return fresh


def through_assignments(name, model, folder):
    fresh = built(name)
    for to, value in zip(variables_of(fresh), variables_of(model), strict=True):
        to.assign(value)
    return fresh


def through_checkpoint(name, model, folder):
    path = tf.train.Checkpoint(model).write(folder / "checkpoint")
    fresh = built(name)
    tf.train.Checkpoint(fresh).read(path).assert_consumed()
    return fresh


def through_late_checkpoint(name, model, folder):
    """One that is restored before the optimizer has variables."""
    path = tf.train.Checkpoint(o=model.optimizer, m=model).save(folder / "checkpoint")
    fresh = made(name, seed=2)
    tf.train.Checkpoint(o=fresh.optimizer, m=fresh).restore(path)
    return fresh


def through_weights(file, make):
    def restored(name, model, folder):
        model.save_weights(folder / file)
        fresh = make(name)
        fresh.load_weights(folder / file)
        return fresh

    return restored


def through_model(file):
    def restored(name, model, folder):
        model.save(folder / file, **({} if "." in file else {"save_format": "tf"}))
        return keras.models.load_model(folder / file)

    return restored


WAYS = {
    "set_weights": through_set_weights,
    "assign": through_assignments,
    "checkpoint": through_checkpoint,
    "checkpoint-late": through_late_checkpoint,
    "weights": through_weights("weights", built),
    "weights-late": through_weights("weights", lambda name: made(name, seed=2)),
    "weights.h5": through_weights("model.weights.h5", built),
    "keras": through_model("model.keras"),
    "h5": through_model("model.h5"),
    "saved-model": through_model("model"),
}


@pytest.mark.parametrize("step", [eagerly, fitted])
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.filterwarnings("ignore:Save.*HDF5")
def test_training_goes_on_from_a_state_to_the_bit(name, step, tmp_path):
    model = made(name)
    train(model, step, 0, 2)
    before = state_of(model)
    continued = {}
    for way, restored in WAYS.items():
        folder = tmp_path / way
        folder.mkdir()
        continued[way] = restored(name, model, folder)
        if isinstance(model.optimizer, scaled) and way in ("set_weights", "assign"):
            # The scale is none of the variables that an optimizer lists.
            continued[way].optimizer._scale.assign(model.optimizer._scale)
            continued[way].optimizer._counter.assign(model.optimizer._counter)
        assert state_of(model) == before, f"{way} has changed the model"
    train(model, step, 2, 5)
    expected = state_of(model)
    differing = []
    for way, fresh in continued.items():
        train(fresh, step, 2, 5)
        if state_of(fresh) != expected:
            differing.append(way)
    assert not differing
