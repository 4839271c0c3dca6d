"""Messages that are read without protobuf, beside protobuf's own."""

import random

import pytest

import eagerflow as tf
from eagerflow.protos import checkpoint, graph, saved_model, structure, tensor
from eagerflow.protos.schema import Schema

pytest.importorskip("google.protobuf")

ODD = Schema(
    "odd",
    """
    // Every kind of field, alone and many times.
    message Odd {
      enum Colour { RED = 0; BLUE = 5; }
      message Inner { sint64 z = 1; Odd odd = 2; }
      double d = 1; float f = 2; int64 i = 3; uint64 u = 4; int32 n = 5; fixed64 x = 6; fixed32 y = 7;
      bool b = 8; string s = 9; bytes raw = 10; uint32 w = 11; sint64 z = 12; Colour colour = 13;
      Inner inner = 14;
      repeated double ds = 21; repeated float fs = 22; repeated int64 many = 23; repeated bool bs = 24;
      repeated string names = 25; repeated Inner inners = 26; repeated Colour colours = 27;
      map<string, Inner> by_name = 31; map<int64, string> by_number = 32;
      oneof choice { string text = 41; int64 number = 42; Inner message = 43; }
    }
    """,
)


def odd():
    message = ODD["Odd"](
        d=0.5, f=-2.0, i=-3, u=2**64 - 1, n=-5, x=2**63, y=7, b=True, s="ä", raw=b"\xff", w=2**32 - 1,
        z=-12, colour=5, ds=[1.0, 2.0], fs=[0.5], many=[-1, 300], bs=[True, False], names=["", "b"],
        colours=[0, 5], number=4,
    )  # fmt: skip
    message.inner.odd.inner.z = -7
    message.inners.add(z=1)
    message.inners.add().odd.SetInParent()
    message.by_name["k"].z = 9
    message.by_number[-2] = "two"
    return message


def node():
    message = graph.MESSAGES["NodeDef"](name="a", op="Conv2D", input=["x", "^y"])
    message.attr["strides"].list.i.extend([1, 2, 2, 1])
    message.attr["value"].tensor.float_val.extend([1.0, 2.0])
    message.attr["T"].type = 1
    return message


def model(tmp_path):
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0])
    module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(module, str(tmp_path))
    return saved_model.MESSAGES["SavedModel"].FromString((tmp_path / "saved_model.pb").read_bytes())


def check(found, expected, maps=True):
    """Compares a message that was read with protobuf's, field by field."""
    for field in expected.DESCRIPTOR.fields:
        ours, theirs = getattr(found, field.name), getattr(expected, field.name)
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if is_map:
            if not maps:  # protobuf drops entries that have more than a key and a value
                continue
            assert ours.keys() == theirs.keys(), field.name
            pairs = [(ours[key], theirs[key]) for key in ours]
        elif isinstance(ours, list):
            assert len(ours) == len(theirs), field.name
            pairs = list(zip(ours, theirs, strict=True))
        else:
            pairs = [(ours, theirs)]
            if field.message_type is not None or field.containing_oneof is not None:
                assert found.HasField(field.name) == expected.HasField(field.name)
                if field.message_type is not None and not expected.HasField(field.name):
                    continue
        for a, b in pairs:
            if hasattr(b, "DESCRIPTOR"):
                check(a, b, maps)
            else:
                assert a == b or (a != a and b != b), field.name
    for oneof in expected.DESCRIPTOR.oneofs:
        assert found.WhichOneof(oneof.name) == expected.WhichOneof(oneof.name)


CASES = {
    "odd": (ODD, "Odd", odd),
    "node": (graph.MESSAGES, "NodeDef", node),
    "tensor": (tensor.MESSAGES, "TensorProto", lambda: node().attr["value"].tensor),
    "empty": (checkpoint.MESSAGES, "TrackableObjectGraph", None),
    "structure": (structure.STRUCTURE, "StructuredValue", None),
}


@pytest.mark.parametrize("name", CASES)
def test_fields_are_those_of_protobuf(name):
    schema, kind, make = CASES[name]
    expected = schema[kind]() if make is None else make()
    found = schema.reader(kind)(expected.SerializeToString())
    check(found, expected)
    assert found.SerializeToString() == expected.SerializeToString()


def test_a_saved_model_has_the_same_fields(tmp_path):
    expected = model(tmp_path)
    check(saved_model.MESSAGES.reader("SavedModel")(expected.SerializeToString()), expected)


@pytest.mark.parametrize("name", ["odd", "node", "tensor"])
def test_damaged_bytes_are_refused_as_protobuf_refuses_them(name):
    schema, kind, make = CASES[name]
    content = make().SerializeToString()
    read, draw = schema.reader(kind), random.Random(name)
    refused = 0
    for _ in range(1500):
        damaged = bytearray(content)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(damaged))
            how = draw.randrange(3)
            if how == 0:
                damaged[at] = draw.randrange(256)
            elif how == 1:
                del damaged[at:]
            else:
                damaged[at:at] = content[: draw.randrange(len(content))]
            if not damaged:
                break
        try:
            expected = schema[kind].FromString(bytes(damaged))
        except Exception:
            refused += 1
            with pytest.raises(ValueError, match="damaged"):
                read(bytes(damaged))
        else:
            check(read(bytes(damaged)), expected, maps=False)
    assert refused > 100


def test_groups_and_unknown_fields_are_skipped():
    inside = b"\x0b\x08\x01\x0c"  # a group of field 1, with field 1
    read = ODD.reader("Odd")
    assert read(inside + b"\xf8\x07\x05" + b"\x18\x02").i == 2  # field 127 is unknown, 3 is `i`
    for damaged in (
        b"\x0b",
        b"\x0b\x14",
        b"\x0c",
        b"\x00\x01",
        b"\x0e\x01",
        b"\x18",
        b"\x4a\x02\xff",
    ):
        with pytest.raises(ValueError, match="damaged"):
            read(damaged)


def test_messages_are_nested_at_most_a_hundred_deep():
    content, depth = b"", 0
    while depth < 200:
        depth += 1
        content = (
            b"\x72"
            + varint(len(content) + 1 + len(varint(len(content))))
            + (b"\x12" + varint(len(content)) + content)
        )
        try:
            ODD["Odd"].FromString(content)
        except Exception:
            break
    assert 40 < depth < 60
    with pytest.raises(ValueError, match="damaged"):
        ODD.reader("Odd")(content)


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def test_names_that_are_not_there():
    found = ODD.reader("Odd")(b"")
    with pytest.raises(AttributeError):
        _ = found.absent
    with pytest.raises(ValueError, match="absent"):
        found.WhichOneof("absent")
    with pytest.raises(ValueError, match="absent"):
        found.HasField("absent")
    with pytest.raises(AttributeError):
        found.i = 3
