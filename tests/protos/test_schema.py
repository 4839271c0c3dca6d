"""Messages declared as text."""

import pytest

from eagerflow.protos.schema import Schema

TEXT = """
// A comment.
enum Color { RED = 0; BLUE = 5; }
message Outer {
  enum Size { SMALL = 0; LARGE = 1; }
  message Inner { int64 number = 1; }
  repeated Inner inner = 1;
  oneof choice { string text = 2; float real = 3; }
  map<string, Inner> by_name = 4;
  Color color = 7;
  Size size = 8;
}
"""


def test_fields_of_every_form():
    schema = Schema("test.schema", TEXT)
    outer = schema["Outer"](text="x", color=5, size=1)
    outer.inner.add(number=3)
    outer.by_name["a"].number = -1
    again = schema["Outer"].FromString(outer.SerializeToString())
    assert again == outer and again.by_name["a"].number == -1
    assert again.WhichOneof("choice") == "text"
    again.real = 2.0
    assert not again.text
    assert schema["Outer.Inner"](number=3) == outer.inner[0]
    assert outer.SerializeToString(deterministic=True).hex() == (
        "0a02080312017822100a0161120b08ffffffffffffffffff0138054001"
    )


def test_text_that_is_no_schema_is_refused():
    with pytest.raises(ValueError, match="Expected a message"):
        Schema("test.bad", "massage X { }")["X"]
