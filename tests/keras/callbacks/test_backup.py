"""BackupAndRestore: an interrupted training continues."""

import numpy as np
import pytest

import eagerflow as tf

callbacks = tf.keras.callbacks


def data():
    x = np.random.RandomState(0).rand(100, 4).astype("float32")
    return x, (x.sum(1) > 2).astype("int32")


def make_model(rate=0.1):
    layers = tf.keras.layers
    start = tf.keras.initializers.Constant(0.1)
    model = tf.keras.Sequential(
        [
            layers.Dense(8, activation="relu", kernel_initializer="ones"),
            layers.Dense(2, activation="softmax", kernel_initializer=start),
        ]
    )
    model.compile(
        tf.keras.optimizers.SGD(rate), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return model


def fit(model, callback=None, **options):
    options = {"epochs": 3, "verbose": 0, "shuffle": False, **options}
    return model.fit(*data(), callbacks=callback, **options)


def test_interrupted_training_goes_on(tmp_path):
    class Stop(callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 2:
                raise RuntimeError("stop")

    whole = fit(make_model(), epochs=5).history["loss"]
    model = make_model()
    model.build((None, 4))
    with pytest.raises(RuntimeError, match="stop"):
        fit(model, [callbacks.BackupAndRestore(tmp_path), Stop()], epochs=5)
    model = make_model()
    model.build((None, 4))
    history = fit(model, callbacks.BackupAndRestore(tmp_path), epochs=5)
    assert history.epoch == [3, 4]
    np.testing.assert_allclose(history.history["loss"], whole[3:], rtol=1e-5)
    assert not list(tmp_path.rglob("*.npz"))


def test_the_count_of_steps_goes_on(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd", "mse")

    class Interrupting(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 2:
                raise RuntimeError("interrupted")

    backup = tf.keras.callbacks.BackupAndRestore(tmp_path)
    with pytest.raises(RuntimeError, match="interrupted"):
        model.fit([[1.0]], [[1.0]], epochs=5, verbose=0, callbacks=[backup, Interrupting()])
    model.fit([[1.0]], [[1.0]], epochs=5, verbose=0, callbacks=[backup])
    assert int(model._train_counter) == 5


class Interrupting(callbacks.Callback):
    """Ends a training after a number of batches."""

    def __init__(self, batches):
        super().__init__()
        self.left = batches

    def on_train_batch_end(self, batch, logs=None):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def small(seed=3):
    tf.keras.utils.set_random_seed(seed)
    layers = [tf.keras.Input([4]), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(2)]
    model = tf.keras.Sequential(layers)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def test_a_training_without_backups_after_one_that_was_interrupted(tmp_path):
    wanted = small().fit(*data(), verbose=0).history
    model = small()
    first = model.get_weights()
    backup = callbacks.BackupAndRestore(tmp_path, 1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*data(), verbose=0, callbacks=[backup, Interrupting(2)])
    for _ in range(2):
        tf.keras.utils.set_random_seed(3)
        model.set_weights(first)
        model.compile("adam", model.loss)
        assert len(wanted) == len(model.fit(*data(), verbose=0).history)
    assert model.train_function is not None and "TrainingState" not in str(model.train_function)


def test_backups_of_earlier_versions(tmp_path, monkeypatch):
    from eagerflow.keras.callbacks import training_state

    with monkeypatch.context() as patch:
        patch.setattr(training_state.TrainingState, "arrays", lambda self, logs: {})
        with pytest.raises(KeyboardInterrupt):
            backup = callbacks.BackupAndRestore(tmp_path, 1)
            small().fit(*data(), epochs=3, verbose=0, callbacks=[backup, Interrupting(6)])
    model = small()
    history = model.fit(
        *data(), epochs=3, verbose=0, callbacks=[callbacks.BackupAndRestore(tmp_path, 1)]
    )
    assert history.epoch == [1, 2]


def test_what_cannot_be_resumed_is_said(tmp_path):
    noisy = tf.data.Dataset.from_tensor_slices(data()).map(
        lambda x, y: (x + tf.random.normal([4]), y)
    )
    stop = callbacks.EarlyStopping("loss")
    with pytest.warns(UserWarning, match="cannot be resumed exactly: .*Normal"):
        with pytest.raises(KeyboardInterrupt):
            backup = callbacks.BackupAndRestore(tmp_path, 1)
            small().fit(noisy.batch(8), verbose=0, callbacks=[stop, backup, Interrupting(3)])
    with pytest.warns(UserWarning, match="EarlyStopping"):
        small().fit(noisy.batch(8), verbose=0, callbacks=[callbacks.BackupAndRestore(tmp_path, 9)])


def test_callbacks_of_the_program_and_the_last_good_state(tmp_path):
    class Counting(callbacks.Callback):
        seen = 0

        def on_train_batch_end(self, batch, logs=None):
            self.seen += 1

        def training_state(self):
            return {"seen": self.seen, "arrays": [np.arange(3)]}

        def restore_training_state(self, state):
            assert isinstance(state["arrays"][0], np.ndarray)
            self.seen = state["seen"]

    class Look(callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            noted.append((good._state.epoch, good._state.batch))

    noted = []
    for end in ([Interrupting(5)], [Look()]):
        own, good = Counting(), callbacks.RestoreOnNaN(every=3, verbose=0)
        backup = callbacks.BackupAndRestore(tmp_path, 1)
        try:
            small().fit(*data(), epochs=2, verbose=0, callbacks=[own, good, backup, *end])
        except KeyboardInterrupt:
            assert own.seen == 5
    assert own.seen == 8
    assert noted[0] == (0, 2)


class InterruptedAt(callbacks.Callback):
    """Ends a training after so many batches and ends of epochs, and keeps the logs of the last epoch."""

    def __init__(self, events):
        super().__init__()
        self.left = events
        self.ended_with = None

    def on_train_batch_end(self, batch, logs=None):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt

    def on_epoch_end(self, epoch, logs=None):
        self.on_train_batch_end(0)

    def on_train_end(self, logs=None):
        self.ended_with = logs


def ended(folder, data, events=0, stop_after=None, scaled=False):
    """The weights, the logs and the state of a training that may be interrupted."""
    model = small()
    if scaled:
        own = tf.keras.optimizers.Adam()
        scale = tf.keras.mixed_precision.LossScaleOptimizer(own, dynamic_growth_steps=3)
        model.compile(scale, model.loss)
    stop = callbacks.EarlyStopping("loss", patience=stop_after or 9, min_delta=9.0)
    last = InterruptedAt(events)
    backup = callbacks.BackupAndRestore(folder, 1)
    try:
        model.fit(epochs=3, verbose=0, callbacks=[stop, backup, last], **data())
    except KeyboardInterrupt:
        return None
    values = [*model.get_weights(), *(each.numpy() for each in model.optimizer.variables)]
    if scaled:
        values += [model.optimizer.loss_scale.numpy(), model.optimizer.dynamic_counter.numpy()]
    return [value.tobytes() for value in values], last.ended_with, stop.stopped_epoch


def arrays():
    x, y = data()
    return {"x": x, "y": y}


def with_shuffled_validation():
    rows = tf.data.Dataset.from_tensor_slices(data()).shuffle(100).batch(8)
    return arrays() | {"validation_data": rows, "validation_steps": 3}


def with_a_generator_for_validation():
    x, y = data()
    batches = ((x[k : k + 8], y[k : k + 8]) for k in range(90))
    return arrays() | {"validation_data": batches, "validation_steps": 3}


@pytest.mark.parametrize(
    "options",
    [
        {"data": arrays},
        {"data": with_shuffled_validation},
        {"data": with_a_generator_for_validation},
        {"data": arrays, "stop_after": 1},
        {"data": arrays, "scaled": True},
    ],
    ids=["arrays", "validation by a dataset", "by a generator", "stopped early", "scaled losses"],
)
def test_the_same_bits_after_each_batch_and_epoch(options, tmp_path):
    wanted = ended(tmp_path / "whole", **options)
    events = 0
    while ended(tmp_path / str(events + 1), events=events + 1, **options) is None:
        events += 1
        assert ended(tmp_path / str(events), **options) == wanted, events
    assert events == 5 * (2 if "stop_after" in options else 3)


def test_a_stopped_training_that_has_ended_goes_on_if_its_backup_is_kept(tmp_path):
    epochs = []
    for _ in range(2):
        stop = callbacks.EarlyStopping("loss", patience=1, min_delta=9.0)
        backup = callbacks.BackupAndRestore(tmp_path, delete_checkpoint=False)
        fitted = small().fit(*data(), epochs=9, verbose=0, callbacks=[stop, backup])
        epochs.append(fitted.epoch)
    assert epochs == [[0, 1], [2]]
