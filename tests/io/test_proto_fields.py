"""Fields of messages as tensors and back; values recorded from TensorFlow 2.21."""

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError
NAMES = "d f i64 u64 i32 fx64 fx32 b s by u32 sf32 sf64 si32 si64".split()
TYPES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 18]


def described():
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto2")
    color = file.enum_type.add(name="Color")
    color.value.add(name="RED", number=0)
    color.value.add(name="BLUE", number=5)
    message = file.message_type.add(name="M")
    defaults = {"i32": "7", "s": "dflt"}
    for k, (name, kind) in enumerate(zip(NAMES, TYPES, strict=True)):
        field = message.field.add(name=name, number=k + 1, type=kind, label=1)
        if name in defaults:
            field.default_value = defaults[name]
        message.field.add(name="r" + name, number=k + 101, type=kind, label=3)
    message.field.add(name="color", number=50, type=14, label=1, type_name=".t.Color")
    message.field.add(name="sub", number=60, type=11, label=1, type_name=".t.M")
    message.field.add(name="rsub", number=61, type=11, label=3, type_name=".t.M")
    return file


SOURCE = b"bytes://" + descriptor_pb2.FileDescriptorSet(file=[described()]).SerializeToString()


def messages():
    pool = descriptor_pool.DescriptorPool()
    pool.Add(described())
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName("t.M"))
    full = kind(d=1.5, f=2.5, i64=-3, u64=2**63 + 5, i32=-4, b=True, s="hé", by=b"\xff")
    full.u32, full.color, full.si32 = 2**31 + 1, 5, -9
    full.ri32.extend([1, 2, 3])
    full.rs.extend(["x", "y"])
    full.sub.i32 = 11
    full.rsub.add(s="q")
    full.rsub.add(s="w")
    return full.SerializeToString(), kind(ri32=[9]).SerializeToString()


FULL, SMALL = messages()


def decode(data, names, types, **options):
    sizes, values = tf.io.decode_proto(
        data, "t.M", names, types, descriptor_source=SOURCE, **options
    )
    return sizes.numpy().tolist(), [value.numpy().tolist() for value in values]


def test_fields_become_columns():
    names, types = ["i32", "ri32", "s", "rs"], [tf.int32, tf.int32, tf.string, tf.string]
    sizes, values = decode([FULL, SMALL], names, types)
    assert sizes == [[1, 3, 1, 2], [0, 1, 0, 0]]
    assert values[0] == [[-4], [7]]
    assert values[1] == [[1, 2, 3], [9, 0, 0]]
    assert values[2] == [["hé".encode()], [b"dflt"]]
    assert values[3] == [[b"x", b"y"], [b"", b""]]


def test_every_type_and_wider_ones():
    names = ["d", "f", "u64", "b", "by", "u32", "color", "si32", "i64"]
    types = ["float64", "float64", "uint64", "bool", "string", "uint32", "int32", "int64", "int64"]
    _, values = decode(FULL, names, types)
    assert values == [[1.5], [2.5], [2**63 + 5], [True], [b"\xff"], [2**31 + 1], [5], [-9], [-3]]
    _, messages = decode([FULL], ["sub", "rsub"], [tf.string, tf.string])
    assert messages == [[[b"(\x0b"]], [[b"J\x01q", b"J\x01w"]]]


def test_shapes_and_formats():
    sizes, values = decode([[FULL], [SMALL]], ["ri32"], [tf.int32])
    assert sizes == [[[3]], [[1]]] and values[0] == [[[1, 2, 3]], [[9, 0, 0]]]
    _, values = decode("ri32: 9", ["ri32"], [tf.int32], message_format="text")
    assert values[0] == [9]


def test_sources_of_descriptors(tmp_path):
    path = tmp_path / "set.pb"
    path.write_bytes(SOURCE[len(b"bytes://") :])
    sizes, _ = tf.io.decode_proto([SMALL], "t.M", ["ri32"], [tf.int32], str(path))
    assert sizes.numpy().tolist() == [[1]]
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.append(1)
    _, (value,) = tf.io.decode_proto(
        [example.SerializeToString()], "tensorflow.Example", ["features"], [tf.string]
    )
    assert value.numpy().tolist() == [[b"\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x01"]]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([FULL], "t.M", ["i32"], [tf.float32], SOURCE), "Incompatible type"),
        (([FULL], "t.M", ["none"], [tf.float32], SOURCE), "Unknown field"),
        (([FULL], "t.M", ["i32"], [], SOURCE), "same length"),
        (([FULL], "t.M", ["i32"], [tf.int32], SOURCE, "yaml"), "binary or text"),
        (([FULL], "t.N", ["i32"], [tf.int32], SOURCE), "No descriptor found"),
        (([FULL], "t.M", ["i32"], [tf.int32], "/no/such/file"), "Source does not represent"),
        (([FULL], "t.M", ["i32"], [tf.int32], b"bytes://\xff\xff"), "Source does not represent"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(Invalid, match=message):
        tf.io.decode_proto(*arguments)


def test_damaged_messages_are_data_loss():
    with pytest.raises(tf.errors.DataLossError):
        decode([b"\xff\xff"], ["i32"], [tf.int32])


def test_columns_become_messages():
    def encode(sizes, values, names):
        encoded = tf.io.encode_proto(sizes, values, names, "t.M", descriptor_source=SOURCE)
        return encoded.numpy().tolist()

    texts = tf.constant([["a", "b"], ["c", "d"]])
    assert encode([[1, 2], [0, 1]], [tf.constant([[5], [6]]), texts], ["i32", "rs"]) == [
        b"(\x05\xea\x06\x01a\xea\x06\x01b",
        b"\xea\x06\x01c",
    ]
    mixed = [tf.constant([[1.5]], tf.float64), tf.constant([[True]]), tf.constant([[7]], tf.int64)]
    expected = [b"\t\x00\x00\x00\x00\x00\x00\xf8?\x18\x07@\x01"]
    assert encode([[1, 1, 1]], mixed, ["d", "b", "i64"]) == expected
    assert encode([[1]], [tf.constant([[b"(\x0b"]])], ["sub"]) == [b"\xe2\x03\x02(\x0b"]
    assert encode([[2]], [tf.constant([[5, 6]])], ["i32"]) == [b"(\x05(\x06"]
    with pytest.raises(Invalid, match="must not be larger"):
        encode([[2]], [tf.constant([[5]])], ["ri32"])
    with pytest.raises(Invalid, match="Incompatible type"):
        encode([[1]], [tf.constant([[5.0]])], ["ri32"])


def test_graph_messages_are_written(tmp_path):
    message = tf.train.Example()
    message.features.feature["a"].int64_list.value.append(1)
    path = tf.io.write_graph(message, str(tmp_path / "new"), "a.pb", as_text=False)
    assert tf.io.read_file(path).numpy() == message.SerializeToString()
    path = tf.io.write_graph(message, str(tmp_path), "a.pbtxt")
    assert b'key: "a"' in tf.io.read_file(path).numpy()
