"""Training that saves a checkpoint when its process is told to end."""

import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import eagerflow as tf

PROGRAM = pathlib.Path(__file__).parent / "processes" / "preempted.py"
experimental = tf.distribute.experimental


class Told:
    """A configuration's function that says when to end, and what was done then."""

    def __init__(self):
        self.now = False
        self.exits = []

    def config(self, **more):
        return experimental.TerminationConfig(
            termination_watcher_fn=lambda: self.now, exit_fn=lambda: self.exits.append(1), **more
        )

    def tell(self, handler):
        self.now = True
        while handler._notice.time is None:
            time.sleep(0.01)


@pytest.fixture
def told():
    return Told()


def counter(folder, config, **kwargs):
    steps = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(steps=steps)
    handler = experimental.PreemptionCheckpointHandler(None, checkpoint, folder, config, **kwargs)
    return steps, handler


def saved(folder):
    return sorted(path.name for path in pathlib.Path(folder).glob("*.index"))


def test_the_next_process_goes_on(tmp_path, told):
    steps, handler = counter(tmp_path, told.config())
    for _ in range(3):
        assert handler.run(lambda by: int(steps.assign_add(by)), 2) == int(steps)
    assert (handler.total_run_calls, told.exits, saved(tmp_path)) == (3, [], [])
    told.tell(handler)
    handler.run(lambda *, by: steps.assign_add(by), by=2)
    assert (told.exits, saved(tmp_path)) == ([1], ["ckpt-1.index"])
    handler.run(steps.assign_add, 2)  # an exit function that returns lets training go on
    assert told.exits == [1]
    again, _ = counter(tmp_path, told.config())
    assert int(again) == 6


def test_managers_and_functions_that_save(tmp_path, told):
    steps = tf.Variable(5)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(steps=steps), tmp_path, 2, checkpoint_name="mine"
    )
    handler = experimental.PreemptionCheckpointHandler(None, manager, None, told.config())
    told.tell(handler)
    handler.save_checkpoint_if_preempted(checkpoint_number=7)
    assert saved(tmp_path) == ["mine-7.index"]
    calls = []
    _, handler = counter(tmp_path / "x", told.config(save_fn=lambda *a, **k: calls.append((a, k))))
    while handler._notice.time is None:
        time.sleep(0.01)
    handler.save_checkpoint_if_preempted(1, two=2)
    assert (calls, told.exits) == ([((1,), {"two": 2})], [1, 1])


def test_grace_period(tmp_path, told):
    steps, handler = counter(tmp_path, told.config(grace_period=3600))
    told.tell(handler)
    for _ in range(3):
        handler.run(steps.assign_add, 1)
    assert (told.exits, saved(tmp_path)) == ([], ["ckpt-1.index"])
    handler._notice.time -= 3600
    handler.run(steps.assign_add, 1)
    assert (told.exits, saved(tmp_path)) == ([1], ["ckpt-2.index"])
    again, _ = counter(tmp_path, told.config())
    assert int(again) == 3


def test_scope(tmp_path, told):
    steps, handler = counter(tmp_path, told.config())
    with handler.watch_preemption_scope():
        handler.run(steps.assign_add, 1)
        told.tell(handler)
    assert (told.exits, saved(tmp_path)) == ([1], ["ckpt-1.index"])


def test_a_checkpoint_needs_a_folder(told):
    with pytest.raises(tf.errors.InvalidArgumentError, match="checkpoint_dir"):
        counter(None, told.config())


def test_signals_are_for_the_main_thread(tmp_path):
    raised = []

    def make():
        try:
            counter(tmp_path, None)
        except ValueError as error:
            raised.append(str(error))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    assert "main thread" in raised[0]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no signals of POSIX")
def test_a_process_that_gets_the_signal(tmp_path):
    def run(stop_at):
        command = [sys.executable, "-m", "eagerflow", PROGRAM, tmp_path, stop_at]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)

    first = run(6)
    assert (first.returncode, first.stdout) == (42, "begins at 0\n"), first.stderr
    assert run(-1).stdout == "begins at 6\ndone after 4\n"


def test_the_watcher_of_a_process():
    program = """
import os, signal
import eagerflow as tf
watcher = tf.distribute.experimental.PreemptionWatcher()
assert watcher.preemption_message is None
os.kill(os.getpid(), signal.SIGTERM)
watcher.block_until_worker_exit()
print(watcher.preemption_message)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert "SIGTERM" in done.stdout, done.stderr
