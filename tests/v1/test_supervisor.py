"""Supervisor, Server, and starts from checkpoints; expected values are TensorFlow's."""

import os

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


def program():
    step = v1.train.get_or_create_global_step()
    w = v1.get_variable("w", initializer=1.0)
    loss = tf.square(w - 3.0)
    v1.summary.scalar("loss", loss)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return w, step, train


def events(folder):
    paths = [path for path in sorted(os.listdir(folder)) if path.startswith("events")]
    for path in paths:
        yield from v1.train.summary_iterator(f"{folder}/{path}")


def test_training_goes_on(tmp_path):
    folder = str(tmp_path)
    with tf.Graph().as_default():
        w, step, train = program()
        supervisor = v1.train.Supervisor(logdir=folder)
        with supervisor.managed_session() as session:
            while not supervisor.should_stop() and session.run(step) < 20:
                session.run(train)
            supervisor.saver.save(session, supervisor.save_path, global_step=step)
        assert os.path.exists(tmp_path / "graph.pbtxt")
        kinds = [event.WhichOneof("what") for event in events(folder)]
        assert {"graph_def", "session_log", "summary"} <= set(kinds)
    with tf.Graph().as_default():
        w, step, _ = program()
        supervisor = v1.train.Supervisor(logdir=folder, summary_op=None)
        for _ in range(2):  # the log is opened again
            with supervisor.managed_session() as session:
                np.testing.assert_allclose(session.run(w), 2.9769416, 1e-6)
                assert session.run(step) == 20


def test_exceptions_leave_managed_sessions():
    with tf.Graph().as_default():
        program()
        supervisor = v1.train.Supervisor()
        with pytest.raises(ValueError, match="mine"), supervisor.managed_session():
            raise ValueError("mine")
        with supervisor.managed_session():
            raise tf.errors.OutOfRangeError(None, None, "the data ended")
        assert supervisor.should_stop()


def test_loops_end_with_the_session():
    calls = []
    with tf.Graph().as_default():
        program()
        supervisor = v1.train.Supervisor(summary_op=None)

        def count(session):
            calls.append(session)
            if len(calls) == 3:
                supervisor.request_stop()

        v1.train.basic_train_loop(supervisor, count)
    assert len(calls) == 3


def test_a_process_that_is_not_the_chief_has_no_services(tmp_path):
    with tf.Graph().as_default():
        program()
        supervisor = v1.train.Supervisor(is_chief=False, logdir=str(tmp_path))
        assert supervisor.summary_writer is None
        with v1.Session() as session, pytest.raises(RuntimeError, match="Only chief"):
            supervisor.start_standard_services(session)


def test_servers():
    server = v1.train.Server.create_local_server()
    assert server.target == ""
    assert server.server_def.job_name == "localhost"
    alone = v1.train.Server({"worker": ["localhost:2222"]}, job_name="worker", task_index=0)
    assert alone.server_def.cluster.job[0].name == "worker"
    one_of_two = v1.train.Server({"worker": ["a:1", "b:1"]}, job_name="worker")
    with pytest.raises(tf.errors.UnimplementedError, match="mpiexec"):
        v1.Session(one_of_two.target)
    with pytest.raises(tf.errors.UnimplementedError, match="as the coordinator"):
        one_of_two.join()
    with pytest.raises(ValueError, match="explicit job name"):
        v1.train.Server({"worker": ["a:1"], "ps": ["b:1"]})


def test_placement():
    class Op:
        type = "VarHandleOp"

    place = v1.train.replica_device_setter(ps_tasks=2)
    assert [place(Op()) for _ in range(3)] == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
    assert v1.train.replica_device_setter() is None
    cluster = {"ps": ["a:1"], "worker": ["b:1"]}
    assert v1.train.replica_device_setter(cluster=cluster)(Op()) == "/job:ps/task:0"
    with pytest.raises(TypeError, match="callable"):
        v1.train.replica_device_setter(2, ps_strategy=3)


@pytest.fixture
def checkpoint(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("a"):
            v1.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
            v1.get_variable("b", initializer=[7.0])
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(tmp_path / "m"), global_step=3)


W = [[1, 2], [3, 4], [5, 6]]


def started(build, *names_and_shapes):
    with tf.Graph().as_default(), v1.Session() as session:
        variables = [
            v1.get_variable(name, shape, initializer=v1.zeros_initializer())
            for name, shape in names_and_shapes
        ]
        build(*variables)
        session.run(v1.global_variables_initializer())
        return [value.tolist() for value in session.run(variables)]


def test_start_from_a_checkpoint(checkpoint):
    folder = os.path.dirname(checkpoint)
    initialize = v1.train.init_from_checkpoint
    two = ("n/w", [3, 2]), ("n/b", [1])
    assert started(lambda w, b: initialize(folder, {"a/": "n/"}), *two) == [W, [7]]
    assert started(lambda w, b: initialize(checkpoint, {"a/w": w}), *two) == [W, [0]]
    assert started(lambda w, b: initialize(checkpoint, [("a/w", "n/w")]), *two) == [W, [0]]
    same = ("a/w", [3, 2]), ("a/b", [1])
    assert started(lambda w, b: initialize(checkpoint, {"/": "/"}), *same) == [W, [7]]


@pytest.mark.parametrize(
    ("assignments", "text"),
    [
        ({"a/q": "n/w"}, "Tensor a/q is not found in .* checkpoint"),
        ({"a/w": "n/w"}, "Shape of variable n/w .* doesn't match with shape of tensor a/w"),
        ({"a/w": "n/q"}, "no variable 'n/q'"),
        ({"a": "n/"}, "should map to scope only"),
        ({"a/": "q/"}, "no variables in the scope"),
    ],
)
def test_starts_that_do_not_fit(checkpoint, assignments, text):
    with tf.Graph().as_default():
        v1.get_variable("n/w", [2, 2])
        with pytest.raises(ValueError, match=text):
            v1.train.init_from_checkpoint(checkpoint, assignments)


def test_eager_variables_start_at_once(checkpoint):
    w = tf.Variable(tf.zeros([3, 2]))
    v1.train.init_from_checkpoint(checkpoint, {"a/w": w})
    assert w.numpy().tolist() == W


def test_warm_start(checkpoint, tmp_path):
    start = v1.train.warm_start
    two = ("a/w", [3, 2]), ("c", [1])
    assert started(lambda w, c: start(checkpoint, ".*w.*"), *two) == [W, [0]]
    (tmp_path / "old.txt").write_text("x\ny\nz\n")
    (tmp_path / "new.txt").write_text("z\nq\nx\n")
    info = v1.train.VocabInfo(str(tmp_path / "new.txt"), 3, 1, str(tmp_path / "old.txt"))
    moved = started(
        lambda w: start(checkpoint, ".*", {"e/w": info}, {"e/w": "a/w"}), ("e/w", [4, 2])
    )
    assert moved == [[[5, 6], [0, 0], [1, 2], [0, 0]]]


def test_lists_of_checkpoints(checkpoint, tmp_path):
    folder = str(tmp_path)
    assert v1.train.get_checkpoint_mtimes([checkpoint, folder + "/none"])[0] > 0
    state = v1.train.generate_checkpoint_state_proto(folder, f"{folder}/m-4", [checkpoint])
    assert state.all_model_checkpoint_paths == [checkpoint, f"{folder}/m-4"]
    v1.train.update_checkpoint_state(folder, f"{folder}/m-9", [checkpoint])
    assert tf.train.latest_checkpoint(folder) is None  # there is no m-9
    assert tf.train.get_checkpoint_state(folder).model_checkpoint_path == f"{folder}/m-9"
    with pytest.raises(ValueError, match="must match checkpoint paths"):
        v1.train.generate_checkpoint_state_proto(
            folder, "m", ["m"], all_model_checkpoint_timestamps=[1.0, 2.0]
        )
    assert v1.train.NewCheckpointReader(checkpoint).get_tensor("a/b").tolist() == [7]
    v1.train.remove_checkpoint(checkpoint)
    assert os.listdir(folder) == ["checkpoint"]


def test_graphs_are_written_while_they_are_built(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
        path = v1.train.write_graph(graph, str(tmp_path), "g.pbtxt")
    assert 'name: "c"' in open(path).read()


def test_dual_averaging():
    with tf.Graph().as_default(), v1.Session() as session:
        step = v1.train.get_or_create_global_step()
        w = v1.get_variable("w", initializer=[1.0, -2.0, 0.01])
        optimizer = v1.train.AdagradDAOptimizer(
            0.5, step, l1_regularization_strength=0.2, l2_regularization_strength=0.1
        )
        train = optimizer.minimize(tf.reduce_sum(tf.square(w - 1.5)), global_step=step)
        session.run(v1.global_variables_initializer())
        for _ in range(4):
            session.run(train)
        np.testing.assert_allclose(session.run(w), [0.8017618, 0.74198174, 0.8329333], 1e-6)
        assert optimizer.get_slot_names() == [
            "gradient_accumulator",
            "gradient_squared_accumulator",
        ]


def test_supervisors_have_their_first_names():
    with tf.Graph().as_default():
        w, _, train = program()
        supervisor = v1.train.Supervisor(logdir=None, summary_op=None)
        session = supervisor.PrepareSession()
        while not supervisor.ShouldStop():
            session.run(train)
            supervisor.RequestStop()
        supervisor.Stop()
        assert session.run(w) == pytest.approx(1.4)
