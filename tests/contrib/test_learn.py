"""tf.contrib.learn: its data sets and what prepares text."""

import gzip
import struct

import numpy as np
import pytest

from eagerflow.contrib import learn

TEXTS = ["the cat saw the cat", "a dog saw the", "", "NASA's dogBone-like thing"]


def rows(found):
    return [row.tolist() for row in found]


def test_words_have_numbers_in_the_order_in_which_they_come():
    processor = learn.preprocessing.VocabularyProcessor(4)
    found = list(processor.fit_transform(iter(TEXTS)))
    assert rows(found)[:3] == [[1, 2, 3, 1], [4, 5, 3, 1], [0, 0, 0, 0]]
    assert found[0].dtype == np.int64
    assert rows(processor.transform(["the bird saw"])) == [[1, 0, 3, 0]]
    assert list(processor.reverse([[1, 2, 0]])) == ["the cat <UNK>"]
    assert processor.fit(["bird"]).vocabulary_.get("bird") == 0


def test_words_are_numbered_by_how_frequent_they_are(tmp_path):
    processor = learn.preprocessing.VocabularyProcessor(5, min_frequency=1)
    processor.fit(TEXTS)
    assert [processor.vocabulary_.reverse(k) for k in range(4)] == ["<UNK>", "the", "cat", "saw"]
    assert len(processor.vocabulary_) == 4
    path = str(tmp_path / "words")
    processor.save(path)
    again = learn.preprocessing.VocabularyProcessor.restore(path)
    assert rows(again.transform(TEXTS)) == rows(processor.transform(TEXTS))


def test_other_words():
    def letters(texts):
        return (list(text) for text in texts)

    processor = learn.preprocessing.VocabularyProcessor(3, tokenizer_fn=letters)
    assert rows(processor.fit_transform(["aba"])) == [[1, 2, 1]]
    words = list(learn.preprocessing.tokenizer(TEXTS))[3]
    assert words == ["NASA", "'s", "dogBone-like", "thing"]


def test_categories():
    words = learn.preprocessing.CategoricalVocabulary("?", support_reverse=False)
    for word, count in {"b": 3, "a": 3, "c": 9, "d": 1}.items():
        words.add(word, count)
    words.trim(1, max_frequency=9)
    assert [words.get(word) for word in "ab?"] == [1, 2, 0] and len(words) == 3
    with pytest.raises(ValueError, match="support_reverse"):
        words.reverse(1)
    table = [["x", "y"], ["y", "y"], ["x", "z"]]
    processor = learn.preprocessing.CategoricalProcessor(min_frequency=1)
    assert rows(processor.fit_transform(table)) == [[1, 1], [0, 1], [1, 0]]
    shared = learn.preprocessing.CategoricalProcessor(share=True)
    assert rows(shared.fit_transform(table)) == [[1, 2], [2, 2], [1, 3]]


def test_bytes():
    processor = learn.preprocessing.ByteProcessor(4)
    found = list(processor.fit(TEXTS).transform(["é", b"abcdef"]))
    assert rows(found) == [[195, 169, 0, 0], [97, 98, 99, 100]] and found[0].dtype == np.uint8
    assert list(processor.reverse(found)) == ["é", "abcd"]


def test_tables_of_files(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("2,2,small,large\n1.5,2,0\n3,4,1\n")
    base = learn.datasets.base
    table = base.load_csv_with_header(str(path), np.int32, np.float32)
    assert table.data.tolist() == [[1.5, 2.0], [3.0, 4.0]] and table.target.dtype == np.int32
    assert learn.datasets.load_iris(path).data.dtype == np.float64
    path.write_text("3,2,small,large\n1.5,2,0\n")
    with pytest.raises(ValueError, match="first line"):
        base.load_csv_with_header(path, np.int32, np.float32)
    path.write_text("7,1,2\n8,3,4\n")
    table = base.load_csv_without_header(path, np.int64, np.int64, target_column=0)
    assert table.target.tolist() == [7, 8] and table.data.tolist() == [[1, 2], [3, 4]]


def test_irises():
    pytest.importorskip("sklearn")
    iris = learn.datasets.load_dataset("iris")
    assert iris.data.shape == (150, 4) and np.bincount(iris.target).tolist() == [50, 50, 50]
    with pytest.raises(ValueError, match="not found"):
        learn.datasets.load_dataset("roses")


def test_houses_are_there_or_refused():
    datasets = pytest.importorskip("sklearn.datasets")
    try:
        datasets.load_boston()
    except ImportError:
        with pytest.raises(NotImplementedError, match="data_path"):
            learn.datasets.load_boston()
    else:
        assert learn.datasets.load_boston().data.shape == (506, 13)


def test_images_of_a_folder(tmp_path):
    for kind, count in (("train", 12), ("t10k", 4)):
        images = struct.pack(">4i", 2051, count, 28, 28) + bytes(count * 784)
        labels = struct.pack(">2i", 2049, count) + bytes(k % 10 for k in range(count))
        for name, data in (("images-idx3", images), ("labels-idx1", labels)):
            with gzip.open(tmp_path / f"{kind}-{name}-ubyte.gz", "wb") as file:
                file.write(data)
    found = learn.datasets.mnist.read_data_sets(str(tmp_path), one_hot=True, validation_size=2)
    assert found.train.labels.shape == (10, 10) and found.test.images.shape == (4, 784)


def test_modes():
    learn.ModeKeys.validate(learn.ModeKeys.INFER)
    with pytest.raises(ValueError, match="Invalid mode"):
        learn.ModeKeys.validate("predict")
    with pytest.raises(AttributeError, match=r"tf\.estimator"):
        _ = learn.DNNClassifier
