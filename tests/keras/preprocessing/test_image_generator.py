"""Images from folders and tables, changed and in batches."""

import numpy as np
import pytest

import eagerflow as tf

Generator = tf.keras.preprocessing.image.ImageDataGenerator


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(["cat", "dog", "owl"]):
        (tmp_path / name).mkdir()
        for k in range(4):
            image = np.full((4, 6, 3), 50 * number + 10 * k, "uint8")
            tf.keras.utils.save_img(tmp_path / name / f"{k}.png", image, scale=False)
    return tmp_path


def test_folders(folder, capsys):
    generator = Generator(rescale=1 / 2, validation_split=0.25)
    options = {"target_size": (3, 5), "batch_size": 4, "shuffle": False}
    train = generator.flow_from_directory(folder, subset="training", **options)
    val = generator.flow_from_directory(
        folder, subset="validation", class_mode="sparse", color_mode="grayscale", **options
    )
    assert capsys.readouterr().out == (
        "Found 9 images belonging to 3 classes.\nFound 3 images belonging to 3 classes.\n"
    )
    assert train.class_indices == {"cat": 0, "dog": 1, "owl": 2} and len(train) == 3
    x, y = next(train)
    assert x.shape == (4, 3, 5, 3) and x.dtype == np.float32
    assert x[:, 0, 0, 0].tolist() == [5.0, 10.0, 15.0, 30.0]
    assert y.tolist() == [[1, 0, 0]] * 3 + [[0, 1, 0]]
    x, y = val[0]
    assert x.shape == (3, 3, 5, 1) and y.tolist() == [0, 1, 2]
    assert (
        train.filenames[0].endswith("1.png")
        and train.labels.tolist() == [0] * 3 + [1] * 3 + [2] * 3
    )


def test_tables(folder, capsys):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {
            "filename": ["cat/0.png", "dog/1.png", "none.png", "owl/2.png"],
            "class": ["cat", "dog", "cat", "owl"],
            "number": [1.0, 2.0, 3.0, 4.0],
        }
    )
    generator = Generator()
    options = {"target_size": (4, 6), "shuffle": False}
    with pytest.warns(UserWarning, match="1 invalid image filename"):
        batches = generator.flow_from_dataframe(table, folder, **options)
    assert "Found 3 validated image filenames belonging to 3 classes." in capsys.readouterr().out
    assert next(batches)[1].argmax(-1).tolist() == [0, 1, 2]
    with pytest.warns(UserWarning, match="invalid"):
        batches = generator.flow_from_dataframe(
            table, folder, y_col="number", weight_col="number", class_mode="raw", **options
        )
    _, y, weights = next(batches)
    assert y.tolist() == [1.0, 2.0, 4.0] == weights.tolist()
    with pytest.warns(UserWarning, match="invalid"):
        few = generator.flow_from_dataframe(
            table, folder, classes=["owl", "cat"], class_mode="binary", **options
        )
    assert next(few)[1].tolist() == [1.0, 0.0]
    with pytest.raises(TypeError, match="strings"):
        generator.flow_from_dataframe(table, folder, x_col="number")


def test_changed_images_can_be_looked_at(folder, tmp_path):
    (tmp_path / "seen").mkdir()
    images = np.ones((3, 4, 4, 3))
    batches = Generator().flow(images, batch_size=3, save_to_dir=tmp_path / "seen", save_prefix="a")
    next(batches)
    assert len(list((tmp_path / "seen").glob("a_*.png"))) == 3


def test_training(folder):
    generator = Generator(rescale=1 / 255, horizontal_flip=True, rotation_range=10)
    batches = generator.flow_from_directory(folder, (4, 6), batch_size=4, seed=1)
    model = tf.keras.Sequential(
        [tf.keras.layers.Flatten(), tf.keras.layers.Dense(3, activation="softmax")]
    )
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(batches, epochs=2, verbose=0).history
    assert len(history["loss"]) == 2 and np.isfinite(history["loss"]).all()


def test_settings_that_need_others():
    with pytest.warns(UserWarning, match="overrides setting of `featurewise_center`"):
        generator = Generator(featurewise_std_normalization=True)
    assert generator.featurewise_center
    with pytest.warns(UserWarning, match="hasn't been fit"):
        generator.standardize(np.ones((2, 2, 3)))
