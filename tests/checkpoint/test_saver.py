"""Checkpoints by the names of variables, in graphs and eagerly, and step summaries."""

import pytest

import eagerflow as tf

v1 = tf.compat.v1


def test_eager(tmp_path):
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3, name="b")
    saver = v1.train.Saver([a, b], max_to_keep=2)
    for step in range(4):
        b.assign(step)
        path = saver.save(None, tmp_path / "m", global_step=step)
    assert path == str(tmp_path / "m-3") == tf.train.latest_checkpoint(tmp_path)
    assert tf.train.list_variables(path) == [("a", [2]), ("b", [])]
    assert [p.rsplit("-")[-1] for p in saver.last_checkpoints] == ["2", "3"]
    a.assign([0.0, 0.0])
    saver.restore(None, path)
    assert a.numpy().tolist() == [1.0, 2.0] and int(b) == 3


def test_graphs(tmp_path):
    with v1.Graph().as_default():
        w = v1.get_variable("w", [2], initializer=v1.zeros_initializer())
        saver = v1.train.Saver()
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(w.assign([5.0, 6.0]))
            path = saver.save(session, str(tmp_path / "g"))
        with v1.Session() as session:
            saver.restore(session, path)
            assert session.run(w).tolist() == [5.0, 6.0]


def test_objects_read_checkpoints_by_name(tmp_path):
    path = v1.train.Saver([tf.Variable(4.0, name="v")]).save(None, tmp_path / "m")
    v = tf.Variable(0.0, name="v")
    tf.train.Checkpoint(anything=v).read(path).assert_consumed()
    assert float(v) == 4.0


def test_misuse(tmp_path):
    v = tf.Variable([1.0], name="v")
    path = v1.train.Saver([v]).save(None, tmp_path / "m")
    with pytest.raises(tf.errors.NotFoundError, match="x, y"):
        v1.train.Saver([tf.Variable(1, name="x"), tf.Variable(1, name="y")]).restore(None, path)
    with pytest.raises(ValueError, match="do not fit"):
        v1.train.Saver([tf.Variable([1.0, 2.0], name="v")]).restore(None, path)
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        v1.train.Saver([v]).restore(None, tmp_path / "missing")
    with pytest.raises(ValueError, match="same name"):
        v1.train.Saver([v, tf.Variable(1, name="v")])
    with pytest.raises(RuntimeError, match="var_list"):
        v1.train.Saver()


def test_step_summaries(tmp_path):
    from eagerflow.contrib import summary
    from eagerflow.io.records import read_records

    step = v1.train.get_or_create_global_step()
    step.assign(0)
    with summary.create_file_writer(str(tmp_path)).as_default():
        summary.scalar("ignored", 1.0)
        with summary.record_summaries_every_n_global_steps(2):
            for _ in range(4):
                summary.scalar("loss", 1.0)
                step.assign_add(1)
    (path,) = tmp_path.iterdir()
    assert len(list(read_records(path))) == 1 + 2


def test_a_reader_lists_names_dtypes_and_shapes(tmp_path):
    path = tf.train.Checkpoint(b=tf.Variable([1.0, 2.0]), a=tf.Variable(3)).write(
        str(tmp_path / "c")
    )
    lines = tf.train.load_checkpoint(path).debug_string().decode().splitlines()
    assert "a/.ATTRIBUTES/VARIABLE_VALUE (DT_INT32) []" in lines
    assert "b/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT) [2]" in lines
