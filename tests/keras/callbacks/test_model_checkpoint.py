"""ModelCheckpoint: which files it writes, and when."""

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


def test_checkpoints(tmp_path, capsys):
    path = str(tmp_path / "of" / "w{epoch:02d}-{val_loss:.1f}.weights.h5")
    callback = callbacks.ModelCheckpoint(
        path, save_best_only=True, save_weights_only=True, verbose=1
    )
    model = run_epochs(callback, [3.0, 4.0, 2.0])
    names = [path.rsplit("/", 1)[1] for _, path in model.saved]
    assert names == ["w01-3.0.weights.h5", "w03-2.0.weights.h5"]
    assert (tmp_path / "of").is_dir()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("Epoch 1: val_loss improved from inf to 3.00000, saving model to")
    assert lines[3] == "Epoch 2: val_loss did not improve from 3.00000"
    model = run_epochs(callbacks.ModelCheckpoint(tmp_path / "m.keras"), [1.0])
    assert model.saved == [("model", str(tmp_path / "m.keras"))]
    higher = callbacks.ModelCheckpoint("m", "val_acc", save_best_only=True)
    assert len(run_epochs(higher, [0.5, 0.4, 0.6], "val_acc").saved) == 2
    first = callbacks.ModelCheckpoint("m", save_best_only=True, initial_value_threshold=1.0)
    assert run_epochs(first, [2.0, 0.5]).saved == [("model", "m")]
    with pytest.raises(KeyError, match="accuracy"):
        run_epochs(callbacks.ModelCheckpoint("{accuracy}"), [1.0])
    with pytest.raises(ValueError, match="save_freq"):
        callbacks.ModelCheckpoint("m", save_freq="batch")


def test_checkpoints_by_batches():
    model = FakeModel()
    callback = callbacks.ModelCheckpoint("m{epoch}-{batch}", save_freq=3)
    every = callbacks.CallbackList(callback, model=model)
    for epoch in range(2):
        every.on_epoch_begin(epoch)
        for batch in range(4):
            every.on_train_batch_end(batch, {"loss": tf.constant(1.0)})
        every.on_epoch_end(epoch)
    assert [path for _, path in model.saved] == ["m1-3", "m2-2"]
