"""tf.random.Generator as part of saved objects."""

import eagerflow as tf
from eagerflow_compat.internals import tracking


def test_generators_depend_on_their_state(tmp_path):
    generator = tf.random.Generator.from_seed(1)
    assert isinstance(generator, tracking.AutoTrackable)
    assert list(generator._trackable_children()) == ["_state_var"]
    holder = tf.Module()
    holder.generator = generator
    path = tf.train.Checkpoint(holder=holder).save(str(tmp_path / "saved"))
    expected = generator.normal([2]).numpy().tolist()
    holder.generator = tf.random.Generator.from_seed(5)
    tf.train.Checkpoint(holder=holder).restore(path).assert_consumed()
    assert holder.generator.normal([2]).numpy().tolist() == expected
