"""Examples and sequence examples as tensors; values recorded from TensorFlow 2.21."""

import contextlib

import numpy as np
import pytest

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError
io = tf.io


def feature(values):
    first = values[0] if values else 0
    if isinstance(first, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(first, float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(**features):
    content = {key: feature(values) for key, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=content)).SerializeToString()


def sequence(context, lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={k: feature(v) for k, v in context.items()}),
        feature_lists=tf.train.FeatureLists(
            feature_list={
                key: tf.train.FeatureList(feature=[feature(step) for step in steps])
                for key, steps in lists.items()
            }
        ),
    ).SerializeToString()


A = example(x=[1.0, 2.0], n=[3], s=[b"q", b"w"])
B = example(x=[5.0, 6.0], n=[4], s=[b"e"])
C = example(x=[5.0, 6.0])


def sparse(value):
    return tuple(part.numpy().tolist() for part in (value.indices, value.values, value.dense_shape))


def test_messages_are_tensorflows():
    message = example(x=[1.0, 2.0])
    assert message == b"\n\x13\n\x11\n\x01x\x12\x0c\x12\n\n\x08\x00\x00\x80?\x00\x00\x00@"
    assert tf.train.Example.FromString(message).features.feature["x"].float_list.value == [1, 2]


def test_one_example():
    parsed = io.parse_single_example(
        A,
        {
            "x": io.FixedLenFeature([2], tf.float32),
            "n": io.FixedLenFeature([], tf.int64),
            "s": io.VarLenFeature(tf.string),
        },
    )
    assert list(parsed) == ["s", "n", "x"]
    assert sparse(parsed["s"]) == ([[0], [1]], [b"q", b"w"], [2])
    assert parsed["n"].shape == () and int(parsed["n"]) == 3
    assert parsed["x"].numpy().tolist() == [1, 2]


def test_a_batch_of_examples():
    features = {
        "x": io.FixedLenFeature([2], tf.float32),
        "n": io.FixedLenFeature([], tf.int64, default_value=9),
        "s": io.VarLenFeature(tf.string),
    }
    parsed = io.parse_example([A, B, C], features)
    assert sparse(parsed["s"]) == ([[0, 0], [0, 1], [1, 0]], [b"q", b"w", b"e"], [3, 2])
    assert parsed["n"].numpy().tolist() == [3, 4, 9]
    assert parsed["x"].numpy().tolist() == [[1, 2], [5, 6], [5, 6]]
    assert io.parse_example(A, {"x": io.FixedLenFeature([2], tf.float32)})["x"].shape == (2,)
    empty = io.parse_example(tf.zeros([0], tf.string), features)
    assert empty["x"].shape == (0, 2) and empty["s"].shape == [0, 0]


def test_sequences_are_padded_or_ragged():
    described = io.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value="z")
    padded = io.parse_example([A, B, C], {"s": described})["s"]
    assert padded.numpy().tolist() == [[b"q", b"w"], [b"e", b"z"], [b"z", b"z"]]
    ragged = io.parse_example(
        [A, B, C],
        {
            "s": io.RaggedFeature(tf.string),
            "x": io.RaggedFeature(tf.float32, row_splits_dtype=tf.int64),
        },
    )
    assert ragged["s"].to_list() == [[b"q", b"w"], [b"e"], []]
    assert ragged["s"].row_splits.dtype is tf.int32 and ragged["x"].row_splits.dtype is tf.int64
    assert io.parse_single_example(A, {"s": io.RaggedFeature(tf.string)})["s"].shape == (2,)


def test_sparse_features_join_places_and_values():
    first, second = example(i=[3, 0], v=[2.0, 1.0]), example(i=[1], v=[7.0])
    described = {"k": io.SparseFeature("i", "v", tf.float32, 10)}
    parsed = io.parse_example([first, second], described)["k"]
    assert sparse(parsed) == ([[0, 0], [0, 3], [1, 1]], [1, 2, 7], [2, 10])
    assert sparse(io.parse_single_example(first, described)["k"]) == ([[0], [3]], [1, 2], [10])
    two = {"k": io.SparseFeature(["i", "j"], "v", tf.float32, [10, 5])}
    parsed = io.parse_example([example(i=[0, 3], j=[2, 1], v=[1.0, 2.0])], two)["k"]
    assert sparse(parsed) == ([[0, 0, 2], [0, 3, 1]], [1, 2], [1, 10, 5])


def test_ragged_features_are_divided():
    rows = example(v=[1, 2, 3, 4, 5], lengths=[2, 0, 3], splits=[0, 1, 5])
    lengths = {"k": io.RaggedFeature(tf.int64, "v", [io.RaggedFeature.RowLengths("lengths")])}
    assert io.parse_example([rows, rows], lengths)["k"].to_list() == [[[1, 2], [], [3, 4, 5]]] * 2
    assert io.parse_single_example(rows, lengths)["k"].to_list() == [[1, 2], [], [3, 4, 5]]
    splits = {"k": io.RaggedFeature(tf.int64, "v", [io.RaggedFeature.RowSplits("splits")])}
    assert io.parse_example([rows], splits)["k"].to_list() == [[[1], [2, 3, 4, 5]]]
    uniform = {"k": io.RaggedFeature(tf.int64, "v", [io.RaggedFeature.UniformRowLength(2)])}
    pairs = example(v=[1, 2, 3, 4])
    assert io.parse_single_example(pairs, uniform)["k"].numpy().tolist() == [[1, 2], [3, 4]]
    assert io.parse_example([pairs], uniform)["k"].to_list() == [[[1, 2], [3, 4]]]


@pytest.mark.parametrize(
    ("partitions", "expected", "ragged_rank"),
    [
        ("u", [[1, 2, 3], [4, 5, 6]], 0),
        ("lu", [[[1, 2, 3]], [[4, 5, 6]]], 1),
        ("uu", [[[1, 2, 3]], [[4, 5, 6]]], 0),
        ("ul", [[[1, 2, 3]], [[4, 5, 6]]], 2),
    ],
)
def test_innermost_uniform_partitions_are_axes_of_the_values(partitions, expected, ragged_rank):
    kind = io.RaggedFeature
    lengths = {"lu": [1, 1], "ul": [3, 3]}.get(partitions, [])
    rows = example(v=[1, 2, 3, 4, 5, 6], l=lengths)
    uniform = [3] if partitions[-1:] == "u" else [1]
    uniform = [*([1] if partitions == "uu" else []), *uniform]
    parts = [
        kind.RowLengths("l") if part == "l" else kind.UniformRowLength(uniform.pop(0))
        for part in partitions
    ]
    described = {"k": kind(tf.int64, "v", parts)}
    one = io.parse_single_example(rows, described)["k"]
    many = io.parse_example([rows], described)["k"]
    assert getattr(one, "ragged_rank", 0) == ragged_rank and many.ragged_rank == ragged_rank + 1
    as_list = one.to_list() if ragged_rank else one.numpy().tolist()
    assert as_list == expected and many.to_list() == [expected]
    for batch in (False, True):
        texts = tf.data.Dataset.from_tensors([rows] if batch else rows)
        parse = io.parse_example if batch else io.parse_single_example
        parsed = texts.map(lambda text, parse=parse: parse(text, described)["k"])
        value = next(iter(parsed))
        assert parsed.element_spec.is_compatible_with(value)
        assert getattr(value, "ragged_rank", 0) == ragged_rank + batch


def test_steps_are_divided_by_partitions():
    message = tf.train.SequenceExample()
    for name, steps in {"v": [[1, 2, 3, 4], [5, 6]], "l": [[1, 1], [1]], "bad": [[1]]}.items():
        for values in steps:
            feature = message.feature_lists.feature_list[name].feature.add()
            feature.int64_list.value.extend(values)
    text, kind = message.SerializeToString(), io.RaggedFeature
    described = {
        "u": kind(tf.int64, "v", [kind.UniformRowLength(2)]),
        "lu": kind(tf.int64, "v", [kind.RowLengths("l"), kind.UniformRowLength(2)]),
    }
    _, one = io.parse_single_sequence_example(text, sequence_features=described)
    assert one["u"].to_list() == [[[1, 2], [3, 4]], [[5, 6]]] and one["u"].ragged_rank == 1
    assert one["lu"].to_list() == [[[[1, 2]], [[3, 4]]], [[[5, 6]]]] and one["lu"].ragged_rank == 2
    _, many, _ = io.parse_sequence_example([text, text], sequence_features=described)
    assert many["u"].to_list() == [one["u"].to_list()] * 2 and many["u"].ragged_rank == 2
    bad = {"b": kind(tf.int64, "v", [kind.RowLengths("bad")])}
    with pytest.raises(Invalid, match="There are 1 steps, and 2 of 'v'"):
        io.parse_single_sequence_example(text, sequence_features=bad)


@pytest.mark.parametrize(
    "data, described, message",
    [
        ([C], io.FixedLenFeature([], tf.int64), "Feature: n .*is required but could not be found"),
        ([A], io.FixedLenFeature([3], tf.int64), "Values size: 1 but output shape: "),
        ([A], io.FixedLenFeature([1], tf.float32), "Data types don't match"),
        ([A], io.VarLenFeature(tf.string), "Data types don't match"),
        ([A, b"junk"], io.VarLenFeature(tf.int64), "Could not parse example input"),
        ([[A]], io.VarLenFeature(tf.int64), "scalar or vector"),
        ([A], io.FixedLenFeature([1], tf.int32), "not in the list of allowed values"),
        ([A], io.FixedLenFeature([2], tf.int64, default_value=[1, 2, 3]), "tensor with 3 values"),
    ],
)
def test_what_does_not_fit_is_refused(data, described, message):
    with pytest.raises(Invalid, match=message):
        io.parse_example(data, {"n": described})


@pytest.mark.parametrize(
    "described",
    [
        {},
        {"x": io.FixedLenFeature([2, None], tf.float32)},
        {"x": io.FixedLenFeature([None, 1], tf.float32)},
        {"x": io.FixedLenSequenceFeature([], tf.float32)},
        {"x": "float"},
    ],
)
def test_incomplete_descriptions_are_refused(described):
    with pytest.raises(ValueError):
        io.parse_example([A], described)


S1 = sequence({"n": [7]}, {"w": [[1], [2], [3]], "f": [[1.0, 2.0], [3.0, 4.0]], "r": [[1, 2], [3]]})
S2 = sequence({"n": [8]}, {"w": [[9]], "f": [[5.0, 6.0]], "r": [[4, 5, 6]]})
LISTS = {
    "w": io.FixedLenSequenceFeature([], tf.int64),
    "f": io.FixedLenSequenceFeature([2], tf.float32),
    "r": io.VarLenFeature(tf.int64),
}


def test_one_sequence_example():
    context, lists = io.parse_single_sequence_example(
        S1, {"n": io.FixedLenFeature([], tf.int64)}, LISTS
    )
    assert int(context["n"]) == 7
    assert lists["w"].numpy().tolist() == [1, 2, 3]
    assert lists["f"].numpy().tolist() == [[1, 2], [3, 4]]
    assert sparse(lists["r"]) == ([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])
    _, ragged = io.parse_single_sequence_example(S1, None, {"r": io.RaggedFeature(tf.int64)})
    assert ragged["r"].to_list() == [[1, 2], [3]]


def test_a_batch_of_sequence_examples():
    context, lists, lengths = io.parse_sequence_example(
        [S1, S2], {"n": io.FixedLenFeature([], tf.int64)}, LISTS
    )
    assert context["n"].numpy().tolist() == [7, 8]
    assert lists["w"].numpy().tolist() == [[1, 2, 3], [9, 0, 0]]
    assert lists["f"].numpy().tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert sparse(lists["r"])[2] == [2, 2, 3]
    assert lengths["f"].numpy().tolist() == [2, 1] and lengths["w"].numpy().tolist() == [3, 1]
    _, ragged, _ = io.parse_sequence_example([S1, S2], None, {"r": io.RaggedFeature(tf.int64)})
    assert ragged["r"].to_list() == [[[1, 2], [3]], [[4, 5, 6]]]


def test_a_batch_of_sequence_examples_may_be_a_scalar():
    def parse(example):
        return io.parse_sequence_example(example, {"n": io.FixedLenFeature([], tf.int64)}, LISTS)

    for context, lists, lengths in (parse(S1), tf.function(parse)(tf.constant(S1))):
        assert int(context["n"]) == 7
        assert lists["f"].numpy().tolist() == [[1, 2], [3, 4]]
        assert int(lengths["f"]) == 2 and int(lengths["w"]) == 3


def test_sequences_may_be_absent_if_allowed():
    allowed = {"z": io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    assert io.parse_single_sequence_example(S1, None, allowed)[1]["z"].shape == (0,)
    with pytest.raises(Invalid, match="is required but could not be found"):
        io.parse_single_sequence_example(S1, None, {"z": io.FixedLenSequenceFeature([], tf.int64)})
    with pytest.raises(Invalid, match="values size: 2 but output shape"):
        io.parse_single_sequence_example(S1, None, {"r": io.FixedLenSequenceFeature([], tf.int64)})
    with pytest.raises(Invalid):
        io.parse_single_sequence_example(b"junk", None, allowed)
    with pytest.raises(ValueError):
        io.parse_single_sequence_example(S1)


def test_damaged_messages_parse_or_are_refused():
    rng = np.random.default_rng(0)
    described = {"x": io.VarLenFeature(tf.float32), "s": io.RaggedFeature(tf.string)}
    for _ in range(200):
        damaged = bytearray(A)
        for place in rng.integers(0, len(A), 2):
            damaged[place] = rng.integers(0, 256)
        with contextlib.suppress(Invalid):
            io.parse_example([bytes(damaged), A], described)
        with contextlib.suppress(Invalid):
            io.parse_single_example(A[: rng.integers(0, len(A))], described)


def test_json_becomes_a_message():
    text = '{"features":{"feature":{"x":{"floatList":{"value":[1,2]}}}}}'
    parsed = tf.train.Example.FromString(io.decode_json_example(text).numpy())
    assert parsed.features.feature["x"].float_list.value == [1, 2]
    with pytest.raises(Invalid, match="parsing JSON"):
        io.decode_json_example("{junk")


def test_sparse_tensors_are_serialized():
    value = tf.sparse.from_dense([[1, 0], [0, 2]])
    strings = io.serialize_many_sparse(value)
    assert strings.shape == (2, 3)
    assert strings.numpy()[0].tolist() == [
        b'\x08\t\x12\x08\x12\x02\x08\x01\x12\x02\x08\x01"\x08' + bytes(8),
        b'\x08\x03\x12\x04\x12\x02\x08\x01"\x04\x01\x00\x00\x00',
        b'\x08\t\x12\x04\x12\x02\x08\x01"\x08\x02' + bytes(7),
    ]
    again = io.deserialize_many_sparse(strings, tf.int32)
    assert sparse(again) == sparse(value)
    assert io.serialize_sparse(value).shape == (3,)
    with pytest.raises(Invalid):
        io.deserialize_many_sparse([[b"junk"] * 3], tf.int32)
