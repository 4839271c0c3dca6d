"""Pictures of values: tensors, datasets, histories, models and what a classifier mistakes."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.debug import confusion, draw_tape, picture, trace
from eagerflow.util.pictures import Picture

layers = tf.keras.layers


def small_model():
    return tf.keras.Sequential([layers.Dense(2, name="only", input_shape=[3])], name="small")


def history():
    made = tf.keras.callbacks.History()
    made.set_model(type("Model", (), {})())
    for epoch in range(3):
        made.on_epoch_end(epoch, {"loss": 1.0 / (epoch + 1), "val_loss": 0.5, "lr": 1e-4})
    return made


def traced():
    return tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([3]))


def recorded():
    with trace(), tf.GradientTape(persistent=True) as tape:
        tf.square(tf.Variable(1.0, name="v"))
    return tape


SHOWN = {
    "model": (small_model, "only (Dense)"),
    "history": (history, "epoch    loss  val_loss          lr"),
    "dataset": (lambda: tf.data.Dataset.range(3), "RangeDataset, 3 elements"),
    "batched": (lambda: tf.data.Dataset.range(3).batch(2), "int64 [None]"),
    "function": (traced, "Mul(x, 2.0)"),
    "tape": (recorded, "Square(t1)"),
    "scores": (lambda: confusion([0, 1], [1, 1]), "1 of 2 are right"),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_each_value_has_a_picture(kind):
    make, text = SHOWN[kind]
    shown = picture(make())
    assert isinstance(shown, Picture) and text in str(shown)
    assert picture(shown) is shown


@pytest.mark.parametrize("kind", ["model", "history", "dataset", "batched"])
def test_notebooks_show_them(kind):
    make, text = SHOWN[kind]
    shown = make()._repr_mimebundle_()
    assert text in shown["text/plain"] and len(shown) > 1


def test_nothing_to_show_yet():
    unbuilt, untrained = tf.keras.Sequential([layers.Dense(1)]), tf.keras.callbacks.History()
    for value in (unbuilt, untrained):
        assert value._repr_mimebundle_() == {}
        with pytest.raises(ValueError, match="nothing to show yet"):
            picture(value)
    assert str(untrained) == repr(untrained)
    for value in (3, "text", len):
        with pytest.raises(TypeError, match="traced function or a graph"):
            picture(value)


def test_values_of_epochs_are_a_table():
    made = history()
    made.history["late"] = [2.0]
    made.history["vector"] = [np.ones(2)] * 3
    assert str(made).splitlines() == [
        "epoch    loss  val_loss          lr    late",
        "-----  ------  --------  ----------  ------",
        "    1  1.0000    0.5000  1.0000e-04  2.0000",
        "    2  0.5000    0.5000  1.0000e-04",
        "    3  0.3333    0.5000  1.0000e-04",
    ]


def test_curves_of_training_and_validation_share_a_graph():
    figures = pytest.importorskip("matplotlib.figure")
    figure = figures.Figure()
    made = history()
    for name in ("accuracy", "val_accuracy", "recall", "val_alone"):
        made.history[name] = [0.1, 0.2, 0.3]
    made._picture()._draw(figure)
    drawn = {axes.get_title(): len(axes.lines) for axes in figure.axes}
    assert drawn == {"loss": 2, "lr": 1, "accuracy": 2, "recall": 1, "alone": 1}
    assert figure.axes[0].lines[0].get_xydata().tolist() == [[1, 1.0], [2, 0.5], [3, 1 / 3]]


def test_elements_are_shown_by_their_structure():
    data = {"b": np.zeros([7, 2, 3], "float32"), "a": (np.arange(7), np.array(["x"] * 7))}
    shown = str(picture(tf.data.Dataset.from_tensor_slices(data))).splitlines()
    assert shown[0] == "TensorSliceDataset, 7 elements"
    assert shown[1].split() == ["#", "a.0", "a.1", "b"]
    assert shown[2].split("  ")[-1].strip() == "float32 [2, 3]"
    assert shown[4].split(maxsplit=3) == ["0", "0", "b'x'", "[2, 3] from 0 to 0"]
    assert len(shown) == 4 + 5 + 1 and shown[-1] == "..."


def test_only_the_first_elements_are_read():
    read = []

    def numbers():
        for k in range(100):
            read.append(k)
            yield k

    dataset = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32))
    text = str(picture(dataset))
    assert "an unknown number of elements" in text and text.endswith("...") and len(read) <= 6
    assert "endless" in str(picture(tf.data.Dataset.range(2).repeat()))
    assert "1 element\n" in str(picture(tf.data.Dataset.range(1)))


def test_elements_that_are_not_tensors():
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))
    windows = tf.data.Dataset.range(4).window(2)
    sparse = tf.data.Dataset.from_tensors(tf.sparse.from_dense([[1, 0]]))
    empty = tf.data.Dataset.range(0)
    for dataset, text in (
        (ragged, "RaggedTensorSpec"),
        (windows, "DatasetSpec"),
        (sparse, "SparseTensorSpec"),
        (empty, "0 elements"),
    ):
        assert text in str(picture(dataset))


@pytest.mark.parametrize(
    "predictions",
    [
        [1, 0, 1],
        [[0.2, 0.8], [0.9, 0.1], [0.4, 0.6]],
        [[0.8], [0.1], [0.6]],
        tf.constant([1, 0, 1]),
    ],
    ids=["classes", "scores", "probabilities", "tensor"],
)
@pytest.mark.parametrize(
    "labels", [[1, 0, 0], [[0, 1], [1, 0], [1, 0]]], ids=["classes", "one-hot"]
)
def test_confusion(labels, predictions):
    assert str(confusion(labels, predictions, ["no", "yes"])).splitlines() == [
        "2 of 3 are right (66.7 %)",
        "true \\ predicted  no  yes",
        "----------------  --  ---",
        "no                 1    1",
        "yes                0    1",
    ]


def test_confusion_checks_its_arguments():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bound"):
        confusion([0, 2], [0, 1], ["no", "yes"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must match"):
        confusion([0, 1], [0])


@pytest.mark.parametrize(
    ("shape", "dtype", "images"),
    [
        ([5], "float32", 1),
        ([4, 5], "float64", 1),
        ([4, 5], "bool", 1),
        ([6, 7, 3], "uint8", 1),
        ([6, 7, 1], "float32", 1),
        ([3, 6, 7], "int32", 3),
        ([20, 6, 7, 4], "float32", 16),
        ([4, 5], "bfloat16", 1),
    ],
)
def test_tensors(shape, dtype, images):
    figures = pytest.importorskip("matplotlib.figure")
    value = tf.cast(tf.reshape(tf.range(int(np.prod(shape))), shape), dtype)
    for given in (value, value.numpy(), tf.Variable(value)):
        drawn = picture(given)
        figure = figures.Figure()
        drawn._draw(figure)
        shown = [axes for axes in figure.axes if axes.images or axes.lines]
        assert len(shown) == images and str(shape) in str(drawn)


@pytest.mark.parametrize("shape", [[], [0, 3], [2, 3, 4, 5], [1, 1, 1, 1, 3]])
def test_tensors_of_other_shapes(shape):
    with pytest.raises(ValueError, match="the shape is"):
        picture(tf.zeros(shape))


def test_tapes_name_what_operations_return():
    with trace(), tf.GradientTape() as tape:
        v = tf.Variable(2.0, name="v")
        tf.exp(v) * tf.square(v)
    drawn = draw_tape(tape).to_string()
    assert drawn.count("<b>v</b>") == 1 and drawn.count(" -> ") == 4
    assert "label=<&#160;t1 float32[]>" in drawn
