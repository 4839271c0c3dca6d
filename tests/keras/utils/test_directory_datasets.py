"""Datasets of the files in folders."""

import hashlib
import http.server
import io
import tarfile
import threading
import wave
import zipfile

import numpy as np
import pytest

import eagerflow as tf

utils = tf.keras.utils


CONTENT = b"some bytes" * 1000


HASH = hashlib.sha256(CONTENT).hexdigest()


NOWHERE = "http://localhost:9/data.bin"


def tar_bytes():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        info = tarfile.TarInfo("things/a.txt")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"abc"))
    return buffer.getvalue()


def zip_bytes():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("inside/b.txt", "xyz")
    return buffer.getvalue()


FILES = {"/data.bin": CONTENT, "/things.tar.gz": tar_bytes(), "/pack.zip": zip_bytes()}


@pytest.fixture
def server():
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            content = FILES.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("localhost", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        running.root = f"http://localhost:{running.server_port}"
        running.asked = asked
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def folders(tmp_path):
    for number, name in enumerate(["cat", "dog"]):
        (tmp_path / name).mkdir()
        for k in range(3):
            (tmp_path / name / f"{k}.txt").write_text(f"{name} {k}")
            image = np.full((4, 6, 3), 100 * number + 10 * k, "uint8")
            utils.save_img(tmp_path / name / f"{k}.png", image, scale=False)
            with wave.open(str(tmp_path / name / f"{k}.wav"), "wb") as sound:
                sound.setnchannels(1)
                sound.setsampwidth(2)
                sound.setframerate(100)
                sound.writeframes(np.full(4 + k, 16384 * number, "<i2").tobytes())
    return tmp_path


def test_texts(folders, capsys):
    data = utils.text_dataset_from_directory(folders, shuffle=False, batch_size=4, max_length=5)
    assert capsys.readouterr().out == "Found 6 files belonging to 2 classes.\n"
    texts, labels = next(iter(data))
    assert texts.numpy().tolist() == [b"cat 0", b"cat 1", b"cat 2", b"dog 0"]
    assert labels.numpy().tolist() == [0, 0, 0, 1] and labels.dtype == tf.int32
    assert data.class_names == ["cat", "dog"]
    utils.text_dataset_from_directory(folders, label_mode=None)
    assert capsys.readouterr().out == "Found 6 files belonging to 1 classes.\n"
    train, val = utils.text_dataset_from_directory(
        folders, validation_split=0.5, subset="both", seed=1, label_mode="binary"
    )
    found = [text for part in (train, val) for batch in part for text in batch[0].numpy()]
    assert sorted(found) == [f"{name} {k}".encode() for name in ("cat", "dog") for k in range(3)]
    assert next(iter(train))[1].shape == (3, 1)


def test_order_is_that_of_keras(folders):
    data = utils.text_dataset_from_directory(folders, seed=3, labels=None, batch_size=None)
    order = np.arange(6)
    np.random.RandomState(3).shuffle(order)
    names = [f"{name}/{k}.txt" for name in ("cat", "dog") for k in range(3)]
    assert [path[len(str(folders)) + 1 :] for path in data.file_paths] == [names[i] for i in order]


def test_sounds(folders):
    data = utils.audio_dataset_from_directory(folders, shuffle=False, label_mode="categorical")
    sounds, labels = next(iter(data))
    assert sounds.shape == (6, 6, 1) and labels.shape == (6, 2)
    assert sounds.numpy()[3, :, 0].tolist() == [0.5] * 4 + [0.0] * 2
    cut = utils.audio_dataset_from_directory(folders, labels=None, output_sequence_length=5)
    assert next(iter(cut)).shape == (6, 5, 1)


def test_wrong_folders(folders, tmp_path):
    with pytest.raises(ValueError, match="class_names"):
        utils.text_dataset_from_directory(folders, class_names=["cat", "cow"])
    with pytest.raises(ValueError, match="seed"):
        utils.text_dataset_from_directory(folders, validation_split=0.5, subset="training")
    with pytest.raises(ValueError, match="label_mode"):
        utils.text_dataset_from_directory(folders, label_mode="one_hot")
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="No text files found"):
        utils.text_dataset_from_directory(tmp_path / "none", labels=None)


def test_image_files(folders):
    path = folders / "dog" / "2.png"
    image = utils.load_img(path)
    assert image.size == (6, 4)
    array = utils.img_to_array(image)
    assert array.shape == (4, 6, 3) and array.dtype == np.float32 and (array == 120).all()
    small = utils.load_img(path, color_mode="grayscale", target_size=(2, 3))
    assert utils.img_to_array(small).shape == (2, 3, 1)
    cut = utils.load_img(path, target_size=(4, 4), keep_aspect_ratio=True, interpolation="bilinear")
    assert cut.size == (4, 4)
    with pytest.raises(ValueError, match="color_mode"):
        utils.load_img(path, color_mode="cmyk")


def test_images(folders):
    pytest.importorskip("PIL")
    data = utils.image_dataset_from_directory(
        folders, image_size=(2, 3), batch_size=4, shuffle=False, label_mode="categorical"
    )
    images, labels = next(iter(data))
    assert images.shape == (4, 2, 3, 3) and images.dtype == tf.float32
    np.testing.assert_allclose(images[:, 0, 0, 0], [0, 10, 20, 100], atol=1e-3)
    assert labels.numpy().tolist() == [[1, 0]] * 3 + [[0, 1]]
    cut = utils.image_dataset_from_directory(
        folders,
        labels=None,
        image_size=(4, 4),
        color_mode="grayscale",
        crop_to_aspect_ratio=True,
        validation_split=0.5,
        subset="both",
        seed=1,
    )
    assert [next(iter(part)).shape for part in cut] == [(3, 4, 4, 1)] * 2
    with pytest.raises(ValueError, match="color_mode"):
        utils.image_dataset_from_directory(folders, color_mode="cmyk")
    with pytest.raises(NotImplementedError, match="cubic"):
        utils.image_dataset_from_directory(folders, interpolation="cubic")


def test_folders_that_are_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="Could not find directory .*nowhere"):
        tf.keras.utils.image_dataset_from_directory(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="No image files found"):
        tf.keras.utils.image_dataset_from_directory(tmp_path / "nowhere", labels=None)
