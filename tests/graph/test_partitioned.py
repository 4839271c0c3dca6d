"""Variables of graphs that are cut into parts."""

import base64

import numpy as np
import pytest

import eagerflow

tf = eagerflow.compat.v1
CUT = tf.fixed_size_partitioner(3)
VALUES = np.arange(40.0, dtype=np.float32).reshape(10, 4)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def table(scope="emb", cut=CUT, **arguments):
    with tf.variable_scope(scope, partitioner=cut):
        return tf.get_variable("v", [10, 4], initializer=tf.zeros_initializer(), **arguments)


def test_scopes_cut_their_variables():
    with tf.variable_scope("emb", partitioner=CUT) as scope:
        assert scope.partitioner is CUT
        v, scalar = tf.get_variable("v", [10, 4]), tf.get_variable("s", [])
        scope.set_partitioner(None)
        assert tf.get_variable("whole", [2]).name == "emb/whole:0"
    assert type(v).__name__ == "PartitionedVariable" and scalar.name == "emb/s:0"
    assert v.name == "emb/v" and len(v) == 3 and v.shape.as_list() == [10, 4]
    assert [part.name for part in v] == [f"emb/v/part_{k}:0" for k in range(3)]
    assert [part.shape.as_list() for part in v] == [[4, 4], [3, 4], [3, 4]]
    assert [part.name for part in tf.trainable_variables()][:3] == [part.name for part in v]
    second = list(v)[1]._get_save_slice_info()
    assert second.full_name == "emb/v" and second.spec == "10 4 4,3:0,4"
    whole = v.as_tensor()
    assert whole.name == "emb/v:0" and whole.shape.as_list() == [10, 4]
    assert tf.matmul(tf.zeros([2, 10]), v).shape.as_list() == [2, 4]


def test_variables_are_cut_as_the_partitioner_says():
    columns = tf.get_variable("a", [4, 6], partitioner=tf.fixed_size_partitioner(2, axis=1))
    assert [part.shape.as_list() for part in columns] == [[4, 3], [4, 3]]
    whole = tf.get_variable("b", [4, 6], partitioner=tf.fixed_size_partitioner(1))
    assert [part.name for part in whole] == ["b/part_0:0"]
    assert whole.as_tensor().shape.as_list() == [4, 6]
    given = tf.get_variable("c", partitioner=tf.fixed_size_partitioner(2), initializer=tf.range(6))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(list(given))[1].tolist() == [3, 4, 5]
    for partitioner, message in (
        (3, "must be callable"),
        (lambda shape, dtype: 5, "must return a sequence"),
        (lambda shape, dtype: [2], "does not match the Variable's rank"),
        (lambda shape, dtype: [0, 1], "zero partitions"),
        (lambda shape, dtype: [2, 2], "along one dimension"),
        (lambda shape, dtype: [5, 1], "into 5 parts"),
    ):
        with pytest.raises(ValueError, match=message):
            tf.get_variable("bad", [4, 6], partitioner=partitioner)


def test_parts_are_shared_as_one():
    v = table()
    with tf.variable_scope("emb", reuse=True):
        assert tf.get_variable("v", [10, 4]) is v
        with pytest.raises(ValueError, match="specified partitions"):
            tf.get_variable("v", [10, 4], partitioner=tf.fixed_size_partitioner(2))
        with pytest.raises(ValueError, match="specified shape"):
            tf.get_variable("v", [10, 5], partitioner=CUT)
        with pytest.raises(ValueError, match="does not exist"):
            tf.get_variable("other", [10, 5], partitioner=CUT)
    assert table(scope=tf.VariableScope(tf.AUTO_REUSE, "emb", partitioner=CUT)) is v
    with pytest.raises(ValueError, match="already exists"):
        table()
    tf.get_variable("whole", [10, 4])
    with (
        pytest.raises(ValueError, match="unpartitioned version"),
        tf.variable_scope("", reuse=True),
    ):
        tf.get_variable("whole", [10, 4], partitioner=CUT)


def test_checkpoints_have_the_whole(tmp_path):
    v = table()
    loss = tf.reduce_sum(v.as_tensor() * VALUES)
    train = tf.train.MomentumOptimizer(1.0, 0.9).minimize(loss)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign(VALUES))
        session.run(train)
        assert session.run(v.as_tensor()).tolist() == np.zeros([10, 4]).tolist()
        path = saver.save(session, str(tmp_path / "m"))
        session.run([v.assign_add(VALUES), v.assign_sub(list(v))])
        saver.restore(session, path)
        assert session.run(v.as_tensor()).tolist() == np.zeros([10, 4]).tolist()
    assert sorted(tf.train.list_variables(path)) == [
        ("emb/v", [10, 4]),
        ("emb/v/Momentum", [10, 4]),
    ]
    assert tf.train.load_variable(path, "emb/v/Momentum").tolist() == VALUES.tolist()
    with tf.Graph().as_default(), tf.Session() as session:
        other = table(cut=tf.fixed_size_partitioner(4))
        tf.train.Saver({"emb/v/Momentum": other}).restore(session, path)
        assert session.run(list(other))[1].tolist() == VALUES[3:6].tolist()
        tf.train.Saver({"emb/v/Momentum": list(other)}).restore(session, path)
    with tf.Graph().as_default(), tf.Session() as session:
        again = tf.train.import_meta_graph(f"{path}.meta")
        parts = tf.global_variables()[:3]
        assert [part._get_save_slice_info().var_offset for part in parts] == [
            [0, 0],
            [4, 0],
            [7, 0],
        ]
        again.restore(session, path)
        slots = session.run(tf.global_variables()[3:])
        assert np.concatenate(slots).tolist() == VALUES.tolist()
        with pytest.raises(ValueError, match="other parts"):
            tf.train.Saver(parts[:2]).save(session, path)


def test_layers_and_cells_have_variables_in_parts():
    with tf.variable_scope("d", partitioner=tf.fixed_size_partitioner(2)):
        dense = tf.layers.Dense(6)
        assert dense(tf.ones([2, 4])).shape.as_list() == [2, 6]
        assert len(dense.trainable_variables) == 4
        tf.layers.batch_normalization(tf.ones([2, 4]), training=True)
        cell = tf.nn.rnn_cell.BasicLSTMCell(4)
        output, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 3, 4]), dtype=tf.float32)
    names = [variable.op.name for variable in tf.global_variables()]
    assert (
        names
        == (
            "d/dense/kernel/part_0 d/dense/kernel/part_1 d/dense/bias/part_0 d/dense/bias/part_1 "
            "d/batch_normalization/gamma/part_0 d/batch_normalization/gamma/part_1 "
            "d/batch_normalization/beta/part_0 d/batch_normalization/beta/part_1 "
            "d/batch_normalization/moving_mean d/batch_normalization/moving_variance "
            "d/rnn/basic_lstm_cell/kernel/part_0 d/rnn/basic_lstm_cell/kernel/part_1 "
            "d/rnn/basic_lstm_cell/bias/part_0 d/rnn/basic_lstm_cell/bias/part_1"
        ).split()
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(output).shape == (2, 3, 4)


@pytest.mark.parametrize("strategy", ["mod", "div"])
def test_rows_of_tables_in_parts(strategy):
    parts = [VALUES[k::3] for k in range(3)] if strategy == "mod" else np.split(VALUES, [4, 7])
    v = table()
    ids = [[0, 3], [9, 9]]
    arguments = {"partition_strategy": strategy}
    rows = tf.nn.embedding_lookup(v, ids, **arguments)
    assert rows.shape.as_list() == [2, 2, 4]
    sparse = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([4, 9, 1], tf.int64), [2, 2])
    sums = tf.nn.embedding_lookup_sparse(v, sparse, None, combiner="sum", **arguments)
    safe = tf.nn.safe_embedding_lookup_sparse(v, sparse, combiner="sum", **arguments)
    gradients = tf.gradients(rows, list(v))
    assert all(isinstance(gradient, tf.IndexedSlices) for gradient in gradients)
    loss = tf.nn.nce_loss(
        v, tf.zeros([10]), [[4]], tf.ones([1, 4]), 1, 10,
        sampled_values=(tf.constant([7], tf.int64), tf.ones([1, 1]), tf.ones([1])), **arguments,
    )  # fmt: skip
    with tf.Session() as session:
        session.run([part.assign(value) for part, value in zip(v, parts, strict=True)])
        assert session.run(rows).tolist() == VALUES[ids].tolist()
        wanted = [VALUES[4].tolist(), (VALUES[9] + VALUES[1]).tolist()]
        assert session.run(sums).tolist() == wanted and session.run(safe).tolist() == wanted
        dense = np.zeros([10, 4])
        np.add.at(dense, np.reshape(ids, -1), 1)
        found = np.zeros([10, 4])
        for k, gradient in enumerate(session.run(gradients)):
            own = np.arange(10)[k::3] if strategy == "mod" else np.split(np.arange(10), [4, 7])[k]
            np.add.at(found, own[gradient.indices], gradient.values)
        assert found.tolist() == dense.tolist()
        positive, negative = VALUES[4].sum(), VALUES[7].sum()
        assert session.run(loss) == pytest.approx([np.log1p(np.exp(-positive)) + negative])
    with pytest.raises(ValueError, match="partition strategy"):
        tf.nn.embedding_lookup(v, ids, partition_strategy="other")


# The index of a checkpoint that TensorFlow 2.21 wrote of a variable "w", [2, 200], cut along its
# columns; the data are the bytes of its two parts.
INDEX = (
    "000IE0U81b0RRgW0CxZZ0Rn)6fWTx31`-Go0tf;U0tjR%$N@D6c^#_=1Q)<$z+?yp5(p9k2m%rU2xK700Vv1;H3xYes{j"
    "EbcL)X&2@(Pb0uloV$N@SC3IY%U3IY&hItmH`5CRGW2xJgs000000RR910ESQ3r~m)}00961006-9p|Ah}0(by;000000"
    "RR910HE4s$$bcl0S*8F000000000000000000000000000000000000000009X5fizIbN+W"
)


def test_checkpoints_that_tensorflow_wrote_in_parts(tmp_path):
    whole = (np.arange(400) % 100).reshape(2, 200).astype(np.int8)
    path, data = str(tmp_path / "m"), tmp_path / "m.data-00000-of-00001"
    (tmp_path / "m.index").write_bytes(base64.b85decode(INDEX))
    data.write_bytes(whole[:, :100].tobytes() + whole[:, 100:].tobytes())
    assert tf.train.list_variables(path) == [("w", [2, 200])]
    assert tf.train.load_variable(path, "w").tolist() == whole.tolist()
    w = tf.get_variable(
        "w", [2, 200], tf.int8, tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2)
    )
    with tf.Session() as session:
        tf.train.Saver([w]).restore(session, path)
        assert np.concatenate(session.run(list(w))).shape == (2, 200)
        assert session.run(list(w))[1].tolist() == whole[1:2].tolist()
    data.write_bytes(b"\1" + data.read_bytes()[1:])
    with pytest.raises(eagerflow.errors.DataLossError):
        tf.train.load_variable(path, "w")
