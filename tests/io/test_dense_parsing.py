"""Examples with features of fixed shapes: the quick way agrees with the careful one."""

from collections import OrderedDict

import numpy as np
import pytest

import eagerflow as tf

FEATURES = {
    "ints": tf.io.FixedLenFeature([3], tf.int64),
    "floats": tf.io.FixedLenFeature([2, 2], tf.float32),
    "text": tf.io.FixedLenFeature([], tf.string),
    "texts": tf.io.FixedLenFeature([2], tf.string),
}


def example(
    ints=(1, -2, 2**62), floats=(0.5, 1.5, 2.5, 3.5), text=(b"a",), texts=(b"", b"b" * 300)
):
    """An Example as bytes."""
    message = tf.train.Example()
    feature = message.features.feature
    feature["ints"].int64_list.value.extend(ints)
    feature["floats"].float_list.value.extend(floats)
    feature["text"].bytes_list.value.extend(text)
    feature["texts"].bytes_list.value.extend(texts)
    feature["other"].float_list.value.append(1.0)
    return message.SerializeToString()


def both(serialized, features):
    """What the quick way and the careful one give, or the errors they raise."""
    found = []
    for described in (features, OrderedDict(features)):
        try:
            parsed = tf.io.parse_example(serialized, described)
            found.append({k: (v.dtype, v.shape, np.array(v).tolist()) for k, v in parsed.items()})
        except (ValueError, tf.errors.OpError) as error:
            found.append((type(error), str(error)))
    return found


def agree(serialized, features=FEATURES):
    """Both ways give the same tensors, or raise the same error."""
    quick, careful = both(serialized, features)
    assert quick == careful
    return quick


def test_one_example_and_several():
    single = tf.io.parse_single_example(example(), FEATURES)
    assert single["ints"].numpy().tolist() == [1, -2, 2**62]
    assert single["floats"].numpy().tolist() == [[0.5, 1.5], [2.5, 3.5]]
    assert single["text"].numpy() == b"a" and single["text"].shape == []
    assert single["texts"].numpy().tolist() == [b"", b"b" * 300]
    assert list(single) == sorted(FEATURES)
    batch = agree([example(), example(text=(b"b",))])
    assert batch["text"] == (tf.string, tf.TensorShape([2]), [b"a", b"b"])
    assert agree(example())["floats"][1] == [2, 2]
    assert agree(tf.zeros([0], tf.string))["ints"][1] == [0, 3]


@pytest.mark.parametrize(
    "changed",
    [
        {"ints": (1, 2)},
        {"ints": (1, 2, 3, 4)},
        {"ints": ()},
        {"floats": ()},
        {"text": (b"a", b"b")},
        {"texts": (b"a",)},
    ],
)
def test_other_numbers_of_values(changed):
    assert agree([example(), example(**changed)])[0] is tf.errors.InvalidArgumentError


def test_missing_features_and_defaults():
    features = {**FEATURES, "more": tf.io.FixedLenFeature([2], tf.int64, [7, 8])}
    assert agree([example()], features)["more"][2] == [[7, 8]]
    features["none"] = tf.io.FixedLenFeature([], tf.float32)
    assert agree([example()], features)[0] is tf.errors.InvalidArgumentError


def test_another_kind_of_values():
    features = {"ints": tf.io.FixedLenFeature([3], tf.float32)}
    assert agree([example()], features)[0] is tf.errors.InvalidArgumentError


def test_features_may_be_changed_afterwards():
    features = dict(FEATURES)
    tf.io.parse_single_example(example(), features)
    del features["texts"]
    assert "texts" not in tf.io.parse_single_example(example(), features)


def test_values_that_are_not_packed():
    # Field 3 of Feature, twice field 1 of Int64List as plain numbers.
    feature = b"\x1a\x04\x08\x05\x08\x06"
    entry = b"\x0a\x01k\x12" + bytes([len(feature)]) + feature
    features = b"\x0a" + bytes([len(entry)]) + entry
    data = b"\x0a" + bytes([len(features)]) + features
    found = agree([data], {"k": tf.io.FixedLenFeature([2], tf.int64)})
    assert found["k"][2] == [[5, 6]]


def test_damaged_messages():
    data = example()
    generator = np.random.default_rng(0)
    for size in generator.integers(0, len(data), 60):
        agree([data[:size]])
    for _ in range(300):
        changed = bytearray(data)
        for at in generator.integers(0, len(data), generator.integers(1, 4)):
            changed[at] = generator.integers(0, 256)
        quick, careful = both([bytes(changed)], FEATURES)
        # Names that are no text are refused by one of them alone.
        assert quick == careful or isinstance(careful, tuple)
