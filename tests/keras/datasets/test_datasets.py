"""The datasets from files in the cache that have their layout; there is no network in tests."""

import gzip
import io
import pickle
import tarfile

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.keras.utils import file_download

datasets = tf.keras.datasets


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder, and no network: files of any hash are taken."""
    monkeypatch.setattr(file_download, "validate_file", lambda *arguments: True)
    monkeypatch.setattr(file_download, "_download", refuse)
    (tmp_path / "datasets").mkdir()
    return tmp_path


def refuse(origin, folder):
    raise OSError("no network")


def test_mnist(cache):
    images = np.arange(2 * 784, dtype="uint8").reshape(2, 28, 28)
    labels = np.array([3, 4], "uint8")
    np.savez(
        cache / "datasets" / "mnist.npz",
        x_train=images,
        y_train=labels,
        x_test=images[:1],
        y_test=labels[:1],
    )
    (x, y), (x_test, y_test) = datasets.mnist.load_data(cache_dir=cache)
    assert x.dtype == np.uint8 and x.shape == (2, 28, 28) and y.tolist() == [3, 4]
    assert x_test.shape == (1, 28, 28) and y_test.tolist() == [3]


def test_a_file_of_another_hash_is_used_without_a_network(tmp_path, monkeypatch):
    monkeypatch.setattr(file_download, "_download", refuse)
    (tmp_path / "datasets").mkdir()
    arrays = {"x_train": [[1]], "y_train": [1], "x_test": [[2]], "y_test": [2]}
    np.savez(tmp_path / "datasets" / "mnist.npz", **arrays)
    with pytest.warns(UserWarning, match="mnist.npz.*hash is not 731c5ac6"):
        (x, _), _ = datasets.mnist.load_data(cache_dir=tmp_path)
    assert x.tolist() == [[1]]


def test_nothing_cached(cache):
    with pytest.raises(ConnectionError, match=r"put the file at .*datasets.mnist\.npz"):
        datasets.mnist.load_data(cache_dir=cache)


def test_fashion_mnist(cache):
    folder = cache / "datasets" / "fashion-mnist"
    folder.mkdir()
    for prefix, count in (("train", 3), ("t10k", 2)):
        with gzip.open(folder / f"{prefix}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(bytes(8) + bytes(range(count)))
        with gzip.open(folder / f"{prefix}-images-idx3-ubyte.gz", "wb") as file:
            file.write(bytes(16) + bytes([7]) * (784 * count))
    (x, y), (x_test, _) = datasets.fashion_mnist.load_data(cache_dir=cache)
    assert x.shape == (3, 28, 28) and y.tolist() == [0, 1, 2] and x_test.shape == (2, 28, 28)
    assert (x == 7).all()


def archive(path, folder, files):
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            data = pickle.dumps(content, protocol=2)
            info = tarfile.TarInfo(f"{folder}/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def cifar_batch(first, *keys):
    images = np.arange(2 * 3072).reshape(2, 3072).astype("uint8")
    return {b"data": images, **{key: [first, first + 1] for key in keys}}


def test_cifar10(cache):
    files = {f"data_batch_{n}": cifar_batch(n, b"labels") for n in range(1, 6)}
    files["test_batch"] = cifar_batch(7, b"labels")
    archive(cache / "datasets" / "cifar-10-batches-py.tar.gz", "cifar-10-batches-py", files)
    (x, y), (_, y_test) = datasets.cifar10.load_data(cache_dir=cache)
    assert x.shape == (10, 32, 32, 3) and x.dtype == np.uint8
    assert y[:, 0].tolist() == [1, 2, 2, 3, 3, 4, 4, 5, 5, 6] and y.dtype == np.uint8
    assert x[0, 0, 1].tolist() == [1, (1024 + 1) % 256, (2048 + 1) % 256]
    assert y_test.tolist() == [[7], [8]]


def test_cifar100(cache):
    batch = cifar_batch(0, b"coarse_labels") | {b"fine_labels": [50, 60]}
    files = {"train": batch, "test": batch}
    archive(cache / "datasets" / "cifar-100-python.tar.gz", "cifar-100-python", files)
    (_, fine), _ = datasets.cifar100.load_data(cache_dir=cache)
    (_, coarse), _ = datasets.cifar100.load_data("coarse", cache_dir=cache)
    assert fine.tolist() == [[50], [60]] and coarse.tolist() == [[0], [1]]
    with pytest.raises(ValueError, match="label_mode"):
        datasets.cifar100.load_data("medium")


class Evil:
    def __reduce__(self):
        return print, ("run",)


def test_cifar_files_cannot_run_code(cache):
    files = {"train": {b"data": Evil()}, "test": {}}
    archive(cache / "datasets" / "cifar-100-python.tar.gz", "cifar-100-python", files)
    with pytest.raises(pickle.UnpicklingError, match="print"):
        datasets.cifar100.load_data(cache_dir=cache)


def texts(*lists):
    array = np.empty(len(lists), object)
    array[:] = lists
    return array


def test_imdb(cache):
    x = texts([1, 2, 3], [4, 5], [6], [2, 2, 2, 2])
    y = np.array([0, 1, 0, 1])
    np.savez(cache / "datasets" / "imdb.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    (train, labels), _ = datasets.imdb.load_data(cache_dir=cache, num_words=7)
    order = np.arange(4)
    np.random.RandomState(113).shuffle(order)
    expected = [[1] + [w + 3 if w + 3 < 7 else 2 for w in x[i]] for i in order]
    assert [list(text) for text in train] == expected
    assert labels.tolist() == y[order].tolist()
    (short, _), _ = datasets.imdb.load_data(
        cache_dir=cache, maxlen=4, start_char=None, oov_char=None, skip_top=6
    )
    assert all(len(text) < 4 and min(text, default=9) >= 6 for text in short)
    with pytest.raises(ValueError, match="Increase maxlen"):
        datasets.imdb.load_data(cache_dir=cache, maxlen=1)
    with pytest.raises(TypeError, match="words"):
        datasets.imdb.load_data(words=3)


def test_reuters(cache):
    np.savez(
        cache / "datasets" / "reuters.npz",
        x=texts([1], [2], [3], [4], [5]),
        y=np.arange(5),
    )
    (x, y), (x_test, y_test) = datasets.reuters.load_data(cache_dir=cache)
    assert len(x) == 4 and len(x_test) == 1
    assert [text[1] - 4 for text in x] == y.tolist()
    assert sorted([*y, *y_test]) == list(range(5))


@pytest.mark.parametrize("name", ["boston_housing", "california_housing"])
def test_houses(cache, name):
    x = np.arange(20.0).reshape(10, 2)
    np.savez(cache / "datasets" / f"{name}.npz", x=x, y=x[:, 0])
    (x_train, y_train), (x_test, _) = getattr(datasets, name).load_data(cache_dir=cache)
    order = np.arange(10)
    np.random.RandomState(113).shuffle(order)
    assert x_train.tolist() == x[order[:8]].tolist() and (x_train[:, 0] == y_train).all()
    assert x_test.shape == (2, 2)


class Payload:
    def __reduce__(self):
        return print, ("this must not be printed",)


@pytest.mark.parametrize("dataset", ["imdb", "reuters"])
def test_objects_in_a_file_are_plain(cache, dataset, capsys):
    texts = np.empty(2, object)
    texts[:] = [[1, 2], Payload()]
    names = ("x", "y", "x_train", "y_train", "x_test", "y_test")
    np.savez(cache / "datasets" / f"{dataset}.npz", **dict.fromkeys(names, texts))
    with pytest.raises(pickle.UnpicklingError, match=r"print does not belong"):
        getattr(datasets, dataset).load_data(cache_dir=cache)
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["mnist", "boston_housing", "california_housing", "imdb", "reuters"]
)
def test_a_file_that_grows_beyond_measure(cache, name):
    zeros = np.zeros(1 << 28, bool)
    names = ("x", "y", "x_train", "y_train", "x_test", "y_test")
    np.savez_compressed(cache / "datasets" / f"{name}.npz", **dict.fromkeys(names, zeros))
    with pytest.raises(ValueError, match="would unpack to more than"):
        getattr(datasets, name).load_data(cache_dir=cache)
