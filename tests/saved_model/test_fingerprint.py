"""The fingerprint that TensorFlow writes beside a SavedModel."""

import pytest

import eagerflow as tf

# What TensorFlow wrote for a module with one variable.
WRITTEN = bytes.fromhex(
    "088ac9d0c88da69081a10110e6b0f7e986af92e12918fda0a1f5998fb1e3a7012899a4b7a6e3cfb0abab01320208043a263535353632383439353231313735383539353134383736353237353839353631393739373139"
)
HASHES = (
    11601907268116030602,
    3009048282614585446,
    12089566276354592893,
    0,
    12346269275790365209,
)


def test_read(tmp_path):
    (tmp_path / "fingerprint.pb").write_bytes(WRITTEN)
    found = tf.saved_model.experimental.read_fingerprint(str(tmp_path))
    assert found == tf.saved_model.experimental.Fingerprint(*HASHES)
    assert found.singleprint() == "/".join(str(part) for part in HASHES[1:])
    assert repr(found) == f"Fingerprint({', '.join(map(str, HASHES))})"
    assert str(found).splitlines()[:2] == [
        "SavedModel Fingerprint",
        f"  saved_model_checksum: {HASHES[0]}",
    ]
    with pytest.raises(FileNotFoundError, match="Could not find fingerprint in directory"):
        tf.saved_model.experimental.read_fingerprint(str(tmp_path / "none"))
