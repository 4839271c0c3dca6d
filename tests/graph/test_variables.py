"""Variables of graphs: what their changes give, and variables that wrap others."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.dropin import install

v1 = tf.compat.v1


class Doubled(tf.Variable):
    """A variable of a program's own class, which gives twice what the one inside holds."""

    def __init__(self, variable):
        self.inner = variable

    @property
    def handle(self):
        return self.inner.handle

    @property
    def name(self):
        return self.inner.name

    @property
    def shape(self):
        return self.inner.shape

    @property
    def dtype(self):
        return self.inner.dtype

    @property
    def trainable(self):
        return self.inner.trainable

    def read_value(self):
        return 2.0 * self.inner.read_value()

    value = read_value

    def _as_graph_element(self):
        return 2.0 * self.inner

    def _gather_saveables_for_checkpoint(self):
        return self.inner._gather_saveables_for_checkpoint()


def test_operations_read_the_handles_of_variables():
    graph = tf.Graph()
    with graph.as_default():
        v = v1.Variable([1.0, 2.0], use_resource=True, name="v")
        twice = v + v
        changed = v.assign(twice, read_value=False)
    handle = v.op
    assert (handle.type, handle.inputs, handle.outputs) == ("VarHandleOp", (), [v.handle])
    assert handle.node_def.op == "VarHandleOp" and handle.get_attr("dtype") == tf.float32
    assert handle in graph.get_operations() and v.handle.op == handle and v.handle.graph is graph
    assert repr(v.handle) == "<tf.Tensor 'v:0' shape=() dtype=resource>"
    reads = [x.op for x in twice.op.inputs]
    assert [(op.type, op.inputs) for op in reads] == [("ReadVariableOp", (v.handle,))] * 2
    assert [x.name for x in changed.inputs] == ["v:0", "add:0"]
    assert [x.name for x in v.initializer.inputs] == ["v:0", "v/Initializer/initial_value:0"]
    assert twice.consumers() == [changed]
    assert v.handle.consumers() == [v.initializer, *reads, changed]


def test_a_change_gives_the_variable_which_is_read_afterwards():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable([1.0, 2.0], use_resource=True, name="v")
        changed = v.assign([3.0, 4.0])
        assert isinstance(changed, tf.Variable) and changed.op.type == "AssignVariableOp"
        assert repr(changed) == f"<tf.Variable '{changed.op.name}' shape=(2,) dtype=float32>"
        assert v._in_graph_mode and not tf.Variable._in_graph_mode
        assert changed.initializer is None and changed.trainable and changed.graph is v.graph
        again = changed.assign_add([1.0, 1.0])
        assert again.op.type == "AssignAddVariableOp"
        session.run(v1.global_variables_initializer())
        assert session.run(changed + 1.0).tolist() == [4.0, 5.0]
        assert session.run(again).tolist() == [4.0, 5.0] and session.run(v).tolist() == [4.0, 5.0]
        assert session.run(changed.assign_sub([1.0, 0.0])).tolist() == [2.0, 4.0]
        assert session.run(changed.is_initialized()) and changed.eval().tolist() == [3.0, 4.0]
        more = v.assign_add([1.0, 1.0])
        assert [more.eval().tolist() for _ in range(2)] == [[4.0, 5.0], [5.0, 6.0]]
        assert len(v1.global_variables()) == 1


def test_the_operation_of_a_change_is_given_without_its_value():
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(1.0)
        changes = [getattr(v, name)(2.0, read_value=False) for name in ("assign", "assign_add")]
        changes.append(v.assign(0.0).assign_sub(1.0, read_value=False))
        assert all(isinstance(change, tf.Operation) for change in changes)
        session.run(v.initializer)
        found = [(session.run(change), float(session.run(v))) for change in changes]
        assert found == [(None, 2.0), (None, 4.0), (None, -1.0)]


def test_functions_are_told_which_operation_a_change_is():
    v = tf.Variable(1.0)

    @tf.function
    def change():
        operation = v.assign(2.0, read_value=False)
        assert operation.type == "AssignVariableOp"
        assert operation.graph is v1.get_default_graph()
        tf.cond(v > 0.0, add, subtract)

    def add():
        return v.assign_add(1.0, read_value=False)

    def subtract():
        return v.assign_sub(1.0, read_value=False)

    assert change() is None and float(v) == 3.0
    assert v.assign(5.0, read_value=False) is None and float(v) == 5.0
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        tf.function(add)()


def test_changes_of_the_first_generation_give_tensors():
    install.install_as_tensorflow("1.x")
    try:
        assert not v1.resource_variables_enabled()
        with tf.Graph().as_default(), v1.Session() as session:
            made = v1.Variable(1.0), v1.get_variable("v", initializer=1.0)
            assert all(isinstance(v.assign(2.0), tf.Tensor) for v in made)
            asked = v1.get_variable("w", initializer=1.0, use_resource=True)
            with v1.variable_scope("scope", use_resource=True):
                inside = v1.get_variable("w", initializer=1.0)
            assert all(isinstance(v.assign(2.0), tf.Variable) for v in (asked, inside))
            assert float(session.run(made[0].assign(4.0))) == 4.0
    finally:
        install.uninstall()
    assert v1.resource_variables_enabled()


def test_values_after_changes_of_the_first_generation_stand_for_the_variable():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=2.0, use_resource=False)
        changed = tf.compat.v1.assign(v, v * 10.0)
        more = tf.compat.v1.assign_sub(tf.compat.v1.assign_add(changed, 1.0), 0.5)
        with pytest.raises(AttributeError, match="assign"):
            tf.compat.v1.assign(v * 2.0, 1.0)
        chosen = tf.cond(
            v < 100.0,
            lambda: tf.compat.v1.assign_add(tf.compat.v1.assign(v, 1.0), 2.0),
            lambda: tf.constant(0.0),
        )
        session.run(v.initializer)
        assert session.run(more) == 20.5
        assert session.run(v) == 20.5
        assert session.run(chosen) == 3.0
        assert session.run(v) == 3.0


def test_switches_decide_what_changes_give():
    v1.disable_resource_variables()
    try:
        with tf.Graph().as_default():
            assert isinstance(v1.Variable(1.0).assign(2.0), tf.Tensor)
            assert isinstance(tf.Variable(1.0).assign(2.0), tf.Variable)  # version 2's own
    finally:
        v1.enable_resource_variables()


def test_rows_are_changed_after_a_change():
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable([1.0, 2.0, 3.0])
        session.run(v.initializer)
        changed = v.assign([0.0, 0.0, 0.0]).scatter_add(tf.IndexedSlices([5.0], [1]))
        assert isinstance(changed, tf.Variable)
        assert session.run(changed).tolist() == [0.0, 5.0, 0.0]


def test_sessions_fetch_what_a_wrapping_variable_stands_for():
    with tf.Graph().as_default(), v1.Session() as session:
        v = tf.Variable([1.0, 2.0])
        doubled = Doubled(v)
        session.run(doubled.initializer)
        assert doubled.initializer == v.initializer and doubled.initial_value is v.initial_value
        assert session.run(doubled).tolist() == [2.0, 4.0]
        doubled._as_graph_element = v._as_graph_element  # what it stands for may change
        assert session.run([doubled, doubled + 1.0])[0].tolist() == [1.0, 2.0]
        with tf.control_dependencies([doubled]):
            assert session.run(tf.constant(3)) == 3


def test_copies_of_a_strategy_are_initialized_fetched_and_changed_in_sessions():
    strategy = tf.distribute.MirroredStrategy(["cpu:0"])
    with tf.Graph().as_default(), v1.Session() as session, strategy.scope():
        v = tf.Variable(1.0)
        session.run(v.initializer)
        assert session.run(v) == 1.0 and session.run(v + 1.0) == 2.0
        assert session.run(v.assign(5.0)) == 5.0
        assert session.run(v.assign_add(1.0, read_value=False)) is None
        np.testing.assert_equal(session.run(v), 6.0)


@pytest.mark.parametrize("wrap", [Doubled, lambda variable: variable])
def test_variables_of_sessions_are_saved_by_the_session(wrap, tmp_path, monkeypatch):
    monkeypatch.setattr("eagerflow.graph.session._provider", None)
    with tf.Graph().as_default(), v1.Session() as session:
        v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
        checkpoint = tf.train.Checkpoint(v=wrap(v), w=w)
        session.run(v1.global_variables_initializer())
        session.run([v.assign(3.0), w.assign(4.0)])
        path = checkpoint.save(str(tmp_path / "saved"))
        assert path.endswith("saved-1") and checkpoint.save(str(tmp_path / "saved")).endswith("-2")
    with tf.Graph().as_default():
        v, w, fresh = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(7.0)
        checkpoint = tf.train.Checkpoint(v=wrap(v), fresh=fresh)
        status = checkpoint.restore(path)
        checkpoint.w = w  # which the checkpoint has been waiting for
        with pytest.raises(ValueError, match="No default session"):
            status.run_restore_ops()
        with v1.Session() as session:
            status.initialize_or_restore(session)
            found = session.run([checkpoint.v, w, fresh, checkpoint.save_counter])
        assert [float(value) for value in found] == [6.0 if wrap is Doubled else 3.0, 4.0, 7.0, 1.0]


def test_keras_s_session_is_used_for_checkpoints_where_there_is_no_default_one(tmp_path):
    with tf.Graph().as_default():
        inputs = tf.keras.Input([1])
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
        model.compile("sgd", "mse")
        model.fit(np.array([1.0]), np.array([2.0]), verbose=0)
        v = tf.Variable(5.0)
        session = v1.keras.backend.get_session()
        session.run(v.initializer)
        checkpoint = tf.train.Checkpoint(model=model, v=v)
        path = checkpoint.save(str(tmp_path / "saved"))
        assert path.endswith("saved-1")
        session.run(v.assign(6.0))
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        assert session.run(v) == 5.0
        names = {name for name, _ in tf.train.list_variables(path)}
    assert "model/optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_operations_on_variables_have_their_handles():
    """Those of a graph, those of Keras and the slots of optimizers."""
    graph = tf.Graph()
    with graph.as_default():
        own = tf.Variable(1.0, name="own")
        layer = tf.keras.layers.Dense(1, name="dense")
        layer.build((None, 1))
        read = layer.kernel + own
        optimizer = tf.keras.optimizers.legacy.SGD(0.1, momentum=0.5)
        optimizer.apply_gradients([(tf.ones([]), own), (tf.ones([1, 1]), layer.kernel)])
    operations = {op.name: op for op in graph.get_operations()}
    handles = [op for op in operations.values() if op.type == "VarHandleOp"]
    assert {"own", "kernel", "SGD/iter", "SGD/kernel/momentum"} <= {op.name for op in handles}
    for op in handles:
        group = [f"loc:@{op.name}".encode()]
        assign = operations[f"{op.name}/Assign"]
        assert op.inputs == () and op.node_def.attr["shared_name"].s.decode() == op.name
        assert assign.inputs[0].op is op and assign.node_def.input[0] == op.name
        assert op.colocation_groups() == assign.inputs[1].op.colocation_groups() == group
    kernel_read, own_read = (tensor.op for tensor in read.op.inputs)
    assert kernel_read.inputs[0].op.name == "kernel" and own_read.inputs[0].op.name == "own"
    assert kernel_read.inputs[0].graph is graph and kernel_read in kernel_read.inputs[0].consumers()
    update = next(op for op in operations.values() if op.type.startswith("ResourceApply"))
    assert [t.op.name for t in update.inputs[:4]] == [
        "own", "SGD/own/momentum", "kernel", "SGD/kernel/momentum"
    ]  # fmt: skip
