"""LearningRateScheduler and ReduceLROnPlateau."""

import pytest

import eagerflow as tf

callbacks = tf.keras.callbacks


class FakeModel:
    """What callbacks ask of a model."""

    def __init__(self, rate=0.5):
        self.optimizer = tf.keras.optimizers.SGD(rate)
        self.stop_training = False
        self.saved = []
        self.metrics = []

    def save_weights(self, path, overwrite=True, **options):
        self.saved.append(("weights", path))

    def save(self, path, overwrite=True, **options):
        self.saved.append(("model", path))


def run_epochs(callback, values, name="val_loss", model=None):
    model = model or FakeModel()
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, value in enumerate(values):
        callback.on_epoch_begin(epoch, {})
        callback.on_epoch_end(epoch, {name: value})
        if model.stop_training:
            break
    callback.on_train_end()
    return model


def test_lowering_rules():
    callback = callbacks.ReduceLROnPlateau(patience=1, cooldown=2, factor=0.1, min_lr=0.01)
    model = run_epochs(callback, [1.0] * 8)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.01)
    with pytest.raises(ValueError, match="factor >= 1.0"):
        callbacks.ReduceLROnPlateau(factor=1.0)


def test_a_schedule_of_the_epoch_alone_and_a_wrong_one():
    model = run_epochs(callbacks.LearningRateScheduler(lambda epoch: 0.1 * (epoch + 1)), [1, 1])
    assert float(model.optimizer.learning_rate) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="should be float"):
        run_epochs(callbacks.LearningRateScheduler(lambda epoch: 1), [1])
