"""tf.keras.utils and preprocessing: arrays, sequences, texts, windows as Keras 2 has them."""

import random

import numpy as np

from oracle.inputs import array
from oracle.registry import case, errors

TEXTS = ["The cat sat on the mat.", "The dog, the cat & THE mouse!", "a dog"]


def plain(value):
    """Arrays and tuples as lists, so that the form is compared, too."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def batches(dataset):
    return [
        [part.numpy() for part in batch] if isinstance(batch, tuple) else batch.numpy()
        for batch in dataset
    ]


@case(name=("to_categorical", "to_ordinal"))
def classes(tf, name):
    function = getattr(tf.keras.utils, name)
    return [
        function([0, 2, 1]),
        function([[0], [2]], num_classes=4),
        function([[0, 1], [2, 2]], dtype="int32"),
        function(np.array(2), num_classes=3),
    ]


@case(axis=(0, 1, -1), order=(1, 2))
def normalized(tf, axis, order):
    return tf.keras.utils.normalize(array((3, 4)), axis, order)


@case(padding=("pre", "post"), truncating=("pre", "post"), length=(None, 3))
def padded(tf, padding, truncating, length):
    return tf.keras.utils.pad_sequences(
        [[1], [2, 3, 4, 5], [], [6, 7]], length, padding=padding, truncating=truncating, value=9
    )


@case
def padded_vectors(tf):
    pad = tf.keras.preprocessing.sequence.pad_sequences
    return [
        pad([[[1, 2]], [[3, 4], [5, 6]]], dtype="float32", value=0.5),
        pad([[1.5]], dtype="int64"),
    ]


@case
def time_series(tf):
    kind = tf.keras.preprocessing.sequence.TimeseriesGenerator
    data, targets = np.arange(20), np.arange(20) * 10
    first = kind(data, targets, length=4, sampling_rate=2, batch_size=3, stride=2)
    second = kind(data, targets, length=4, batch_size=8, reverse=True, start_index=2, end_index=12)
    return plain([[len(first), first[0], first[1]], [len(second), second[0]]])


@case
def word_pairs(tf):
    module = tf.keras.preprocessing.sequence
    random.seed(3)
    pairs = module.skipgrams([1, 2, 0, 3, 1], 5, window_size=2, seed=7)
    return [plain(pairs), module.make_sampling_table(6)]


@case
def words(tf):
    text = tf.keras.preprocessing.text
    return [
        text.text_to_word_sequence(TEXTS[1]),
        text.text_to_word_sequence(TEXTS[0], lower=False, filters="."),
        text.hashing_trick(TEXTS[0], 20, "md5"),
    ]


@case(
    options={
        "plain": {},
        "few": {"num_words": 4},
        "unknown": {"num_words": 4, "oov_token": "<unk>"},
        "characters": {"char_level": True, "num_words": 8},
    }
)
def tokenizers(tf, options):
    tokenizer = tf.keras.preprocessing.text.Tokenizer(**options)
    tokenizer.fit_on_texts(TEXTS)
    new = ["the cat and the dog", "unseen"]
    sequences = tokenizer.texts_to_sequences(new)
    again = tf.keras.preprocessing.text.tokenizer_from_json(tokenizer.to_json())
    return [
        sequences,
        tokenizer.sequences_to_texts(sequences),
        [tokenizer.texts_to_matrix(new, mode) for mode in ("binary", "count", "freq", "tfidf")],
        list(tokenizer.word_index.items()),
        tokenizer.document_count,
        again.texts_to_sequences(new),
    ]


@case(
    options={
        "plain": {},
        "stride": {"sequence_stride": 2, "sampling_rate": 2},
        "part": {"start_index": 2, "end_index": 9},
        "single": {"batch_size": None},
        "few": {"batch_size": 2},
    }
)
def windows(tf, options):
    data, targets = np.arange(24).reshape(12, 2), np.arange(12) * 10
    function = tf.keras.utils.timeseries_dataset_from_array
    return [
        batches(function(data, targets, sequence_length=3, **options)),
        batches(function(data.astype("float32"), None, sequence_length=3, **options)),
    ]


@case
def split(tf):
    function = tf.keras.utils.split_dataset
    left, right = function(np.arange(10.0), left_size=0.7)
    both = function([np.arange(6.0), np.arange(6) * 2.0], right_size=2, shuffle=True, seed=1)
    data = tf.data.Dataset.from_tensor_slices((np.arange(8), np.arange(8) + 1))
    rest = function(data, left_size=3, right_size=2)
    return [batches(part) for part in (left, right, *both, *rest)]


@case
def queues(tf):
    class Data(tf.keras.utils.Sequence):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return index * 10

    queue = tf.keras.utils.OrderedEnqueuer(Data())
    queue.start(workers=2, max_queue_size=4)
    items = queue.get()
    found = [next(items) for _ in range(7)]
    queue.stop()
    return [found, list(Data())]


@case
def seeds(tf):
    found = []
    for _ in range(2):
        tf.keras.utils.set_random_seed(5)
        found.append([random.random(), float(np.random.rand()), tf.random.uniform([3])])
    return found


@case
def arrays_of_images(tf):
    utils = tf.keras.utils
    color, gray = array((3, 4, 3), low=0, high=255), array((3, 4, 1), low=0, high=255)
    return [
        utils.img_to_array(utils.array_to_img(color)),
        utils.img_to_array(utils.array_to_img(gray, scale=False)),
        utils.img_to_array(utils.array_to_img(color), data_format="channels_first", dtype="uint8"),
    ]


errors(
    "keras_utils",
    "refused",
    {
        "class": (lambda tf: tf.keras.utils.to_categorical([0, 3], num_classes=2), ["3"]),
        "padding": (lambda tf: tf.keras.utils.pad_sequences([[1]], padding="left"), ["left"]),
        "no lists": (lambda tf: tf.keras.utils.pad_sequences([1, 2]), ["1"]),
        "text pad": (lambda tf: tf.keras.utils.pad_sequences([["a"]], value="x"), ["dtype"]),
        "seed": (lambda tf: tf.keras.utils.set_random_seed(1.5), ["1.5"]),
        "windows": (
            lambda tf: tf.keras.utils.timeseries_dataset_from_array([1, 2], None, 1, 5),
            ["sequence_stride"],
        ),
        "split": (lambda tf: tf.keras.utils.split_dataset(np.arange(3), left_size=5), ["5", "3"]),
        "split nothing": (lambda tf: tf.keras.utils.split_dataset(np.arange(3)), ["left_size"]),
        "image rank": (lambda tf: tf.keras.utils.array_to_img(np.ones((2, 2))), ["(2, 2)"]),
        "mode": (
            lambda tf: tf.keras.preprocessing.text.Tokenizer(num_words=3).sequences_to_matrix(
                [[1]], mode="all"
            ),
            ["all"],
        ),
    },
)
