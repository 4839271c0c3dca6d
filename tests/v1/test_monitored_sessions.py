"""Monitored sessions, hooks and coordinators."""

import logging
import threading

import numpy as np
import pytest

import eagerflow

tf = eagerflow.compat.v1
train = tf.train


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def counting():
    """A step, an operation that adds one to it, and a loss."""
    step = train.get_or_create_global_step()
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(4.0))
    loss = tf.square(w, name="loss")
    return step, train.GradientDescentOptimizer(0.25).minimize(loss, global_step=step), loss


def test_it_initializes_and_stops(graph):
    step, update, loss = counting()
    with train.MonitoredTrainingSession(hooks=[train.StopAtStepHook(last_step=3)]) as session:
        assert session.graph is graph and graph.finalized
        losses = []
        while not session.should_stop():
            losses.append(session.run([update, loss])[1])
    assert len(losses) == 3 and losses[-1] < losses[0]
    with pytest.raises(RuntimeError, match="already closed"):
        session.run(step)


def test_it_goes_on_from_its_checkpoint(tmp_path):
    folder = str(tmp_path)

    def once(steps):
        with tf.Graph().as_default():
            step, update, loss = counting()
            tf.summary.scalar("curve", loss)
            hooks = [train.StopAtStepHook(num_steps=steps)]
            with train.MonitoredTrainingSession(
                checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=1
            ) as session:
                while not session.should_stop():
                    session.run(update)
        return train.latest_checkpoint(folder)

    assert once(3).endswith("model.ckpt-3")
    assert once(2).endswith("model.ckpt-5")
    values = dict(train.list_variables(train.latest_checkpoint(folder)))
    assert set(values) == {"global_step", "w"}
    found = {}
    for path in tmp_path.glob("events*"):
        for event in train.summary_iterator(str(path)):
            for value in event.summary.value:
                found.setdefault(value.tag, []).append(event.step)
    assert sorted(found["curve"]) == [1, 2, 3, 4, 5]


def test_earlier_checkpoints_count_among_those_that_are_kept(tmp_path):
    folder = str(tmp_path)
    for steps, kept in ((3, [2, 3]), (5, [3, 5])):
        with tf.Graph().as_default():
            _, update, _ = counting()
            scaffold = train.Scaffold(saver=train.Saver(max_to_keep=2))
            hooks = [
                train.StopAtStepHook(last_step=steps),
                train.CheckpointSaverHook(folder, save_steps=2, scaffold=scaffold),
            ]
            creator = train.ChiefSessionCreator(scaffold, checkpoint_dir=folder)
            with train.MonitoredSession(creator, hooks) as session:
                while not session.should_stop():
                    session.run(update)
        paths = train.get_checkpoint_state(folder).all_model_checkpoint_paths
        assert [int(path.rpartition("-")[2]) for path in paths] == kept
        assert len(list(tmp_path.glob("*.index"))) == 2


def test_hooks_are_asked_in_order():
    _, update, loss = counting()
    told = []

    class Hook(train.SessionRunHook):
        def begin(self):
            told.append("begin")

        def after_create_session(self, session, coord):
            told.append("created")

        def before_run(self, run_context):
            assert run_context.original_args.fetches is update
            return train.SessionRunArgs({"loss": loss})

        def after_run(self, run_context, run_values):
            told.append(float(run_values.results["loss"]))
            run_context.request_stop()

        def end(self, session):
            told.append("end")

    with train.SingularMonitoredSession(hooks=[Hook()]) as session:
        assert session.run(update) is None
        assert session.should_stop()
        assert isinstance(session.raw_session(), tf.Session)
    assert told[0:2] == ["begin", "created"] and told[3:] == ["end"]
    assert isinstance(told[2], float)


def test_feeds_of_hooks_and_final_operations():
    x = tf.placeholder(tf.float32, [])
    final = train.FinalOpsHook(x * 3.0, {x: 5.0})
    with train.MonitoredSession(hooks=[train.FeedFnHook(lambda: {x: 2.0}), final]) as session:
        assert session.run(x * 1.0) == 2 if not x.graph.finalized else True
        with pytest.raises(RuntimeError, match="fed by two hooks"):
            session.run(x, feed_dict={x: 1.0})
    assert final.final_ops_values == 15


def test_losses_that_are_no_numbers():
    x = tf.placeholder(tf.float32, [])
    loss = x * 1.0
    hook = train.NanTensorHook(loss)
    with (
        pytest.raises(train.NanLossDuringTrainingError),
        train.MonitoredSession(hooks=[hook]) as session,
    ):
        session.run(loss, {x: 1.0})
        session.run(loss, {x: np.nan})
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        hook = train.NanTensorHook(x, fail_on_nan_loss=False)
        with train.MonitoredSession(hooks=[hook]) as session:
            session.run(x, {x: np.nan})
            assert session.should_stop()


def test_logs(caplog):
    step, update, _ = counting()
    hook = train.LoggingTensorHook({"l": "loss:0"}, every_n_iter=2, formatter=str)
    with (
        caplog.at_level(logging.INFO, "tensorflow"),
        train.MonitoredSession(hooks=[hook, train.StepCounterHook(every_n_steps=2)]) as session,
    ):
        for _ in range(4):
            session.run(update)
    lines = [record.getMessage() for record in caplog.records]
    assert [line.startswith("{'l':") for line in lines].count(True) == 2
    assert any(line.startswith("global_step/sec") for line in lines)


def test_the_end_of_data_is_a_clean_end():
    dataset = tf.data.Dataset.range(3)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    seen = []
    with train.MonitoredSession() as session:
        while not session.should_stop():
            seen.append(int(session.run(element)))
    assert seen == [0, 1, 2]


def test_a_scaffold_decides():
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    feed = tf.placeholder(tf.float32, [])
    scaffold = train.Scaffold(
        init_op=v.assign(feed),
        init_feed_dict={feed: 7.0},
        init_fn=lambda scaffold, session: v.load(session.run(v) + 1, session),
    )
    with train.MonitoredSession(train.ChiefSessionCreator(scaffold)) as session:
        assert session.run(v) == 8


def test_what_is_not_initialized_is_named():
    tf.get_variable("forgotten", [])
    scaffold = train.Scaffold(init_op=tf.no_op())
    with pytest.raises(RuntimeError, match="Variables not initialized: forgotten"):
        train.MonitoredSession(train.ChiefSessionCreator(scaffold))


def test_listeners_are_told(tmp_path):
    _, update, _ = counting()
    told = []

    class Listener(train.CheckpointSaverListener):
        def before_save(self, session, step):
            told.append(("before", step))

        def after_save(self, session, step):
            told.append(("after", step))
            return step >= 2

    hook = train.CheckpointSaverHook(
        str(tmp_path), save_steps=1, saver=train.Saver(), listeners=[Listener()]
    )
    with train.MonitoredSession(hooks=[hook]) as session:
        while not session.should_stop():
            session.run(update)
    assert told == [(when, step) for step in (0, 1, 2) for when in ("before", "after")]


def test_steps_by_a_function():
    x = tf.constant(3.0)

    def step(context):
        value = context.run_with_hooks(x)
        if value == 3:
            context.request_stop()
        return value

    with train.MonitoredSession() as session:
        assert session.run_step_fn(step) is None
        assert session.should_stop()


def test_timers():
    timer = train.SecondOrStepTimer(every_steps=3)
    assert timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(1) == (None, None)
    assert [timer.should_trigger_for_step(k) for k in (1, 3, 4)] == [False, False, True]
    with pytest.raises(ValueError, match="both"):
        train.SecondOrStepTimer(1.0, 1)
    with pytest.raises(ValueError, match="One of num_steps"):
        train.StopAtStepHook()


def test_coordinators_hand_errors_on():
    coordinator = train.Coordinator()

    def fail():
        with coordinator.stop_on_exception():
            raise ValueError("in a thread")

    thread = threading.Thread(target=fail)
    thread.start()
    with pytest.raises(ValueError, match="in a thread"):
        coordinator.join([thread])
    assert coordinator.should_stop() and coordinator.joined
    coordinator.clear_stop()
    assert not coordinator.should_stop()


def test_loops_in_threads():
    coordinator = train.Coordinator()
    count = []

    def step():
        count.append(1)
        if len(count) == 5:
            coordinator.request_stop()

    train.LooperThread.loop(coordinator, None, step)
    coordinator.join()
    assert len(count) == 5


def test_a_hook_saves_by_the_saver_of_the_graph(tmp_path):
    counting()
    hooks = [train.CheckpointSaverHook(str(tmp_path), save_steps=2), train.StopAtStepHook(3)]
    with train.SingularMonitoredSession(hooks=hooks) as session:
        update = session.graph.get_operation_by_name("GradientDescent")
        while not session.should_stop():
            session.run(update)
    written = {path.name for path in tmp_path.iterdir()}
    assert {f"model.ckpt-{step}.index" for step in (0, 2, 3)} <= written
    assert "node {" in (tmp_path / "graph.pbtxt").read_text()


def test_the_saver_in_the_collection_is_the_one(graph, tmp_path):
    counting()
    saver = train.Saver([tf.global_variables()[0]])
    graph.add_to_collection(tf.GraphKeys.SAVERS, saver)
    assert train.Scaffold().finalize().saver is saver


def test_a_hook_needs_one_saver(tmp_path):
    step, *_ = counting()
    hook = train.CheckpointSaverHook(str(tmp_path), save_steps=2, save_graph_def=False)
    hook.begin()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(RuntimeError, match="0 savers"):
            hook.after_create_session(session, None)
    assert not list(tmp_path.iterdir())
