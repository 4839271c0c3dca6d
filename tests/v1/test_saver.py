"""Savers of version 1, and the steps in the names of what they write."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


@pytest.mark.parametrize("step", [3, np.int64(3), np.int32(3)])
def test_steps_are_numbers_of_python_or_numpy(tmp_path, step):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("weight", initializer=2.0)
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, str(tmp_path / "model"), global_step=step)
    assert path == str(tmp_path / "model-3")
    assert v1.train.latest_checkpoint(str(tmp_path)) == path


def test_steps_that_a_session_has(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        step = v1.train.get_or_create_global_step()
        session.run(v1.global_variables_initializer())
        session.run(v1.assign_add(step, 5))
        saver = v1.train.Saver()
        assert saver.save(session, str(tmp_path / "a"), global_step=step).endswith("a-5")
        found = session.run(step)
        assert saver.save(session, str(tmp_path / "b"), global_step=found).endswith("b-5")


def test_savers_are_built_later_or_have_nothing_to_do(tmp_path):
    """As in TensorFlow 2.21."""
    with tf.Graph().as_default(), v1.Session() as session:
        with pytest.raises(ValueError, match="No variables"):
            v1.train.Saver()
        empty = v1.train.Saver(allow_empty=True)
        assert empty.save(session, str(tmp_path / "e")) is None
        empty.restore(session, str(tmp_path / "none"))
        late = v1.train.Saver(defer_build=True, max_to_keep=3)
        v1.get_variable("w", initializer=2.0)
        session.run(v1.global_variables_initializer())
        with pytest.raises(RuntimeError, match="build"):
            late.save(session, str(tmp_path / "l"))
        late.build()
        path = late.save(session, str(tmp_path / "l"))
        assert v1.train.list_variables(path) == [("w", [])]
        assert v1.train.Saver(saver_def=late.to_proto()).to_proto().max_to_keep == 3
        padded = v1.train.Saver(pad_step_number=True).save(session, str(tmp_path / "p"), 12)
        assert padded.endswith("p-00000012") and v1.train.checkpoint_exists(padded)
        with pytest.raises(ValueError, match="deferred"):
            v1.train.Saver([], defer_build=True)
        with pytest.raises(TypeError):
            v1.train.Saver(no_such_argument=True)


def test_values_take_on_the_shapes_of_a_graph(tmp_path):
    def save(shape):
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable("v", initializer=np.arange(6.0).reshape(shape))
            session.run(v.initializer)
            return v1.train.Saver().save(session, str(tmp_path / "c"))

    path = save([2, 3])
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [3, 2], tf.float64)
        v1.train.Saver(reshape=True).restore(session, path)
        assert session.run(v).tolist() == [[0, 1], [2, 3], [4, 5]]
        with pytest.raises(ValueError, match="do not fit"):
            v1.train.Saver().restore(session, path)


def test_variables_in_a_programs_own_collections_come_back_by_name():
    with v1.Graph().as_default():
        v = v1.get_variable("v", [2], collections=["own", v1.GraphKeys.GLOBAL_VARIABLES])
        v1.add_to_collection("own", v * 2.0)
        message = v1.train.export_meta_graph()
    assert list(message.collection_def["own"].node_list.value) == ["v:0", "mul:0"]
    with v1.Graph().as_default():
        v1.train.import_meta_graph(message, import_scope="in")
        assert [item.name for item in v1.get_collection("own")] == ["in/v:0", "in/mul:0"]


def test_versions_of_checkpoints_are_constants():
    assert (v1.train.SaverDef.LEGACY, v1.train.SaverDef.V1, v1.train.SaverDef.V2) == (0, 1, 2)
    assert v1.OptimizerOptions.ON_1 == 1 and v1.OptimizerOptions.L0 == -1
