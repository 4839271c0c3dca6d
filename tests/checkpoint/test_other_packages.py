"""Objects of packages that tell themselves what checkpoints save of them."""

from __future__ import annotations

import eagerflow as tf
from eagerflow.framework.trackable import Trackable


class _Counts(Trackable):
    def __init__(self, *counts):
        self.counts = list(counts)

    def _serialize_to_tensors(self):
        return {"size": tf.constant(len(self.counts)), "counts": tf.constant(self.counts)}

    def _restore_from_tensors(self, restored_tensors):
        assert restored_tensors["size"] == len(restored_tensors["counts"])
        self.counts = restored_tensors["counts"].numpy().tolist()


def test_objects_that_serialize_themselves(tmp_path):
    path = tf.train.Checkpoint(counts=_Counts(1, 2)).save(str(tmp_path / "saved"))
    assert {name for name, _ in tf.train.list_variables(path)} >= {
        "counts/.ATTRIBUTES/counts",
        "counts/.ATTRIBUTES/size",
    }
    fresh = _Counts(5, 6)
    tf.train.Checkpoint(counts=fresh).restore(path).assert_consumed()
    assert fresh.counts == [1, 2]


class _Doubled(tf.Variable):
    """Gives twice the value of the variable that it wraps."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    name = property(lambda self: self.inner.name)
    handle = property(lambda self: self.inner.handle)

    def read_value(self):
        return 2 * self.inner.read_value()

    def _gather_saveables_for_checkpoint(self):
        return self.inner._gather_saveables_for_checkpoint()


def test_variables_that_wrap_others_save_these(tmp_path):
    path = tf.train.Checkpoint(x=_Doubled(tf.Variable(3.0))).save(str(tmp_path / "saved"))
    fresh = tf.Variable(0.0)
    tf.train.Checkpoint(x=fresh).restore(path)
    assert float(fresh) == 3.0
    wrapped = _Doubled(tf.Variable(0.0))
    tf.train.Checkpoint(x=wrapped).restore(path).assert_consumed()
    assert float(wrapped.read_value()) == 6.0
