"""A monitored session with hooks: its own, and those that log, save, count, summarize and stop."""

import os
import tempfile
import time

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.WARN)
folder = tempfile.mkdtemp()


class LossRecorder(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss, self.seen, self.calls = loss, [], []

    def begin(self):
        self.calls.append("begin")
        self._step = tf.train.get_global_step()

    def after_create_session(self, session, coord):
        self.calls.append("after_create_session")

    def before_run(self, run_context):
        self.started = time.time()
        return tf.train.SessionRunArgs({"loss": self.loss, "step": self._step})

    def after_run(self, run_context, run_values):
        self.seen.append(run_values.results["loss"])
        if len(self.seen) == 3:
            self.calls.append(sorted(run_values.results))
        if run_values.results["loss"] < 1e-4:
            run_context.request_stop()

    def end(self, session):
        self.calls.append("end at %d" % session.run(self._step))


def run(last):
    with tf.Graph().as_default():
        rng = np.random.RandomState(3)
        x = tf.constant(rng.randn(64, 5).astype(np.float32))
        y = tf.reduce_sum(x * [1.0, 2.0, 3.0, 4.0, 5.0], 1, keepdims=True)
        prediction = tf.layers.dense(x, 1, kernel_initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(y, prediction)
        tf.summary.scalar("loss", loss)
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        recorder = LossRecorder(loss)
        scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=2))
        hooks = [
            tf.train.StopAtStepHook(last_step=last),
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=50),
            tf.train.StepCounterHook(every_n_steps=20, output_dir=folder),
            tf.train.CheckpointSaverHook(
                folder, save_steps=25, scaffold=scaffold, checkpoint_basename="model"
            ),
            tf.train.SummarySaverHook(
                save_steps=10, output_dir=folder, summary_op=tf.summary.merge_all()
            ),
            recorder,
        ]
        creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=folder)
        with tf.train.MonitoredSession(creator, hooks=hooks) as session:
            while not session.should_stop():
                session.run(train)
        print(recorder.calls, len(recorder.seen), "%.3f" % recorder.seen[-1])
        return recorder


run(40)
second = run(90)
print(sorted(f for f in os.listdir(folder) if f.endswith(".index")))
print(tf.train.latest_checkpoint(folder).split("/")[-1])
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(folder))
print(reader.get_tensor("global_step"), sorted(reader.get_variable_to_shape_map()))
assert second.seen[-1] < 3
with tf.Graph().as_default():
    v = tf.train.get_or_create_global_step()
    bump = tf.assign_add(v, 1)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=tempfile.mkdtemp(),
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        hooks=[tf.train.StopAtStepHook(num_steps=5)],
    ) as session:
        while not session.should_stop():
            last = session.run(bump)
    with tf.train.SingularMonitoredSession() as session:
        print(last, session.run(v), session.raw_session().graph is v.graph)
