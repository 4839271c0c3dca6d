"""What the TensorBoard callback writes; the names are those of tf_keras."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.protos.event import MESSAGES as EVENTS
from eagerflow.protos.graph import MESSAGES

loader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")


def events(folder):
    """(tag, step, value) of all summaries below a folder."""
    found = []
    for path in sorted(folder.glob("*tfevents*")):
        for event in loader.EventFileLoader(str(path)).Load():
            for value in event.summary.value:
                array = np.asarray(value.tensor.float_val or value.tensor.tensor_content)
                found.append((value.tag, event.step, array))
    return found


def fit(folder, epochs=2, **options):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="d", input_shape=(3,))])
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)
    model.compile(tf.keras.optimizers.SGD(rate), "mse", metrics=["mae"])
    x, y = np.ones((8, 3), "float32"), np.zeros((8, 2), "float32")
    callback = tf.keras.callbacks.TensorBoard(folder, **options)
    return model.fit(
        x,
        y,
        batch_size=2,
        epochs=epochs,
        verbose=0,
        validation_data=(x, y),
        callbacks=[callback],
    )


def test_epochs(tmp_path):
    history = fit(tmp_path).history
    train = events(tmp_path / "train")
    scalars = [(tag, step) for tag, step, _ in train if tag.startswith("epoch")]
    assert scalars == [
        ("epoch_loss", 0),
        ("epoch_mae", 0),
        ("epoch_learning_rate", 0),
        ("epoch_loss", 1),
        ("epoch_mae", 1),
        ("epoch_learning_rate", 1),
    ]
    val = events(tmp_path / "validation")
    assert sorted({tag for tag, _, _ in val}) == [
        "epoch_loss",
        "epoch_mae",
        "evaluation_loss_vs_iterations",
        "evaluation_mae_vs_iterations",
    ]
    assert [step for tag, step, _ in val if tag.startswith("evaluation_loss")] == [4, 8]
    losses = [
        np.frombuffer(value.tobytes(), "float32")[0] if value.dtype.kind == "S" else value.item()
        for tag, _, value in train
        if tag == "epoch_loss"
    ]
    np.testing.assert_allclose(losses, history["loss"], rtol=1e-5)


def test_the_graph_of_layers(tmp_path):
    layers = tf.keras.layers
    first, second = tf.keras.Input((3,), name="first"), tf.keras.Input((3,), name="second")
    joined = layers.Concatenate(name="joined")([layers.Dense(2, name="dense")(first), second])
    model = tf.keras.Model([first, second], layers.Dense(1, name="last")(joined))
    tf.keras.callbacks.TensorBoard(tmp_path).set_model(model)
    graph = next(
        MESSAGES["GraphDef"].FromString(event.graph_def)
        for path in (tmp_path / "train").iterdir()
        for event in loader.RawEventFileLoader(str(path)).Load()
        for event in [EVENTS["Event"].FromString(event)]
        if event.graph_def
    )
    assert {node.name: (node.op, list(node.input)) for node in graph.node} == {
        "first": ("InputLayer", []),
        "second": ("InputLayer", []),
        "dense": ("Dense", ["first"]),
        "joined": ("Concatenate", ["dense", "second"]),
        "last": ("Dense", ["joined"]),
    }


def test_batches_weights_and_speed(tmp_path):
    fit(
        tmp_path,
        epochs=1,
        update_freq=2,
        histogram_freq=1,
        write_images=True,
        write_steps_per_second=True,
    )
    found = events(tmp_path / "train")
    assert [(tag, step) for tag, step, _ in found if tag == "batch_loss"] == [
        ("batch_loss", 2),
        ("batch_loss", 4),
    ]
    tags = {tag for tag, _, _ in found}
    assert {"d/kernel_0/histogram", "d/bias_0/image", "epoch_steps_per_second"} <= tags


def test_the_programs_own_summaries(tmp_path):
    class Noted(tf.keras.layers.Layer):
        def call(self, inputs):
            tf.summary.scalar("own", tf.reduce_sum(inputs))
            return inputs

    model = tf.keras.Sequential([Noted(), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callback = tf.keras.callbacks.TensorBoard(tmp_path, update_freq=1)
    model.fit(np.ones((4, 2)), np.ones((4, 1)), 2, epochs=1, verbose=0, callbacks=[callback])
    assert len([tag for tag, _, _ in events(tmp_path / "train") if tag == "own"]) == 2


def test_unknown_arguments(tmp_path):
    with pytest.raises(ValueError, match="write_all"):
        tf.keras.callbacks.TensorBoard(tmp_path, write_all=True)
