"""Text, files, images and messages in graphs: nodes that call Python with values."""

import zlib

import numpy as np
import pytest

import eagerflow as tf
from function.traced import traced

io, strings = tf.io, tf.strings

WORDS = tf.constant(["hello World", "a b c", ""])
LETTERS = tf.constant(["héllo", "日本", ""])
IMAGE = np.random.RandomState(0).randint(0, 255, [8, 9, 3]).astype("uint8")

example = tf.train.Example(
    features=tf.train.Features(
        feature={
            "a": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
            "b": tf.train.Feature(int64_list=tf.train.Int64List(value=[5])),
            "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b"y"])),
        }
    )
).SerializeToString()
FEATURES = {
    "a": io.FixedLenFeature([2], tf.float32),
    "b": io.VarLenFeature(tf.int64),
    "c": io.RaggedFeature(tf.string),
    "d": io.FixedLenFeature([], tf.int64, default_value=7),
}

CASES = {
    "decode_png": (io.decode_png, [io.encode_png(IMAGE)]),
    "decode_image": (lambda x: io.decode_image(x, 3), [io.encode_png(IMAGE)]),
    "decode_and_crop_jpeg": (io.decode_and_crop_jpeg, [io.encode_jpeg(IMAGE), [0, 0, 4, 5]]),
    "encode_png": (io.encode_png, [IMAGE]),
    "extract_jpeg_shape": (io.extract_jpeg_shape, [io.encode_jpeg(IMAGE)]),
    "adjust_jpeg_quality": (tf.image.adjust_jpeg_quality, [IMAGE, 80]),
    "parse_example": (lambda x: io.parse_example(x, FEATURES), [[example, example]]),
    "parse_single_example": (lambda x: io.parse_single_example(x, FEATURES), [example]),
    "decode_csv": (lambda x: io.decode_csv(x, [[1.0], [""]]), [["1,a", "2,b"]]),
    "decode_raw": (lambda x: io.decode_raw(x, tf.int16, little_endian=False), [["ab", "cd"]]),
    "decode_compressed": (lambda x: io.decode_compressed(x, "ZLIB"), [[zlib.compress(b"q")]]),
    "parse_tensor": (lambda x: io.parse_tensor(x, tf.float32), [io.serialize_tensor([1.0])]),
    "format": (lambda x: strings.format("{}!", x), [[1, 2]]),
    "lower": (lambda x: strings.lower(x, "utf-8"), [LETTERS]),
    "split": (lambda x: strings.split(x, "l", 1), [WORDS]),
    "bytes_split": (strings.bytes_split, [WORDS]),
    "reduce_join": (lambda x: strings.reduce_join(x, 0), [[["a", "b"], ["c", "d"]]]),
    "unsorted_segment_join": (
        lambda x, k: strings.unsorted_segment_join(x, k, 2),
        [WORDS, [0, 1, 0]],
    ),
    "ngrams": (lambda x: strings.ngrams(x, 2), [[["a", "b", "c"]]]),
    "regex_full_match": (lambda x: strings.regex_full_match(x, "h.*"), [WORDS]),
    "regex_replace": (lambda x: strings.regex_replace(x, "(l+)o", r"\1"), [WORDS]),
    "unicode_split": (lambda x: strings.unicode_split(x, "UTF-8"), [LETTERS]),
    "unicode_decode": (lambda x: strings.unicode_decode_with_offsets(x, "UTF-8"), [LETTERS]),
    "unicode_encode": (lambda x: strings.unicode_encode(x, "UTF-8"), [[[104, 233]]]),
    "unicode_transcode": (lambda x: strings.unicode_transcode(x, "UTF-8", "UTF-16-BE"), [LETTERS]),
    "fingerprint": (tf.fingerprint, [WORDS]),
}


def parts(structure):
    return [part.numpy() for part in tf.nest.flatten(structure, expand_composites=True)]


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("name", CASES)
def test_a_graph_returns_what_an_eager_call_does(name, known):
    function, values = CASES[name]
    values = [tf.convert_to_tensor(value) for value in values]
    specs = [tf.TensorSpec(v.shape if known else [None] * v.shape.rank, v.dtype) for v in values]
    run = traced(function, *specs)
    expected = function(*values)
    result = run(*values)
    tf.nest.assert_same_structure(result, expected, expand_composites=True)
    for mine, theirs in zip(parts(result), parts(expected), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_shapes_and_dtypes_of_results_are_known_as_far_as_they_can_be():
    found = {}

    def look(data, words):
        found["png"] = io.decode_png(data, channels=3, dtype=tf.uint16)
        found["image"] = io.decode_image(data)
        found["words"] = strings.split(words, "l", 1)
        found["parsed"] = io.parse_example(words, FEATURES)

    traced(look, tf.TensorSpec([], tf.string), tf.TensorSpec([4], tf.string))
    assert found["png"].shape.as_list() == [None, None, 3]
    assert found["png"].dtype is tf.uint16
    assert found["image"].shape.rank is None
    assert isinstance(found["words"], tf.RaggedTensor) and found["words"].shape.rank == 2
    parsed = found["parsed"]
    assert parsed["a"].shape == [4, 2] and parsed["d"].shape == [4]
    assert isinstance(parsed["b"], tf.SparseTensor) and isinstance(parsed["c"], tf.RaggedTensor)


def test_files_are_read_and_written_when_the_graph_runs(tmp_path):
    path = str(tmp_path / "text")

    def append(more):
        text = strings.join([io.read_file(path), more])
        io.write_file(path, text)
        return io.matching_files(str(tmp_path / "*"))

    run = traced(append, tf.TensorSpec([], tf.string))
    with pytest.raises(tf.errors.NotFoundError):
        run("a")
    (tmp_path / "text").write_text("a")
    run("b")
    assert run("c").numpy().tolist() == [path.encode()]
    assert (tmp_path / "text").read_text() == "abc"


def test_ragged_arguments_stay_ragged():
    spec = tf.RaggedTensorSpec([None, None], tf.string)
    ragged = tf.ragged.constant([["Äb"], ["C", "D"]])

    def program(x):
        return strings.lower(x, "utf-8"), strings.ngrams(x, [1, 2])

    from eagerflow.framework import func_graph

    graph = func_graph.trace(program, [spec], name="f")
    inputs = tf.nest.flatten(ragged, expand_composites=True)
    low, grams = func_graph.pack_outputs(graph, graph.run(inputs))
    assert low.to_list() == [["äb".encode()], [b"c", b"d"]]
    assert grams.to_list() == [["Äb".encode()], [b"C", b"D", b"C D"]]


def test_nodes_that_call_python_say_what_they_are():
    run = traced(io.read_file, tf.TensorSpec([], tf.string))
    assert "read_file" in [node.type for node in run.graph.nodes]


def test_lists_differ_in_functions():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    def difference(x, y):
        return tf.compat.v1.setdiff1d(x, y, tf.int64)

    found = difference([4, 6, 1, 6], [6])
    assert [part.numpy().tolist() for part in found] == [[4, 1], [0, 2]]
    assert found.idx.dtype == tf.int64


@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors_in_functions(name):
    a, b = np.array([[4], [-7], [0]]), np.array([2, 14, -21, 0])
    function = getattr(tf.experimental.numpy, name)
    expected = getattr(np, name)(a, b)
    np.testing.assert_array_equal(function(a, b), expected)
    np.testing.assert_array_equal(tf.function(function)(tf.constant(a), tf.constant(b)), expected)


def test_numpy_functions_of_eager_values_get_numpys_arrays_of_them():
    given = [None, 3, [1, 2.5], "a", tf.constant(1.0), [tf.constant(1), 2], np.int16(3)]
    found = []
    tf.numpy_function(lambda *args: found.extend(args), given, [])
    for array, value in zip(found, given, strict=True):
        expected = np.array(value)
        assert isinstance(array, np.ndarray) and array.dtype == expected.dtype
        assert array.shape == expected.shape
