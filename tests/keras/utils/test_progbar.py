"""The progress bar's text, character for character as Keras 2.15 prints it."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.keras.utils import io_utils, progbar


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def time(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progbar, "time", clock)
    return clock


def test_bar(clock, capsys):
    bar = progbar.Progbar(10, stateful_metrics=["acc"])
    clock.now += 0.5
    bar.update(1, [("loss", 2.0), ("acc", 0.25)])
    clock.now += 0.5
    bar.update(5, [("loss", 1.0), ("acc", 0.5)])
    clock.now += 0.01
    bar.update(6, [("loss", 1.0), ("acc", 0.5)])
    clock.now += 0.49
    bar.update(10, [("loss", 0.0001), ("acc", 0.75)])
    first = " 1/10 [==>...........................] - ETA: 4s - loss: 2.0000 - acc: 0.2500"
    second = " 5/10 [==============>...............] - ETA: 0s - loss: 1.2000 - acc: 0.5000"
    last = "10/10 [==============================] - 2s 111ms/step - loss: 0.7000 - acc: 0.7500"
    assert capsys.readouterr().out == f"{first}\r{second}\r{last}\n"


def test_shorter_lines_cover_longer_ones(clock, capsys):
    bar = progbar.Progbar(200)
    clock.now += 100
    bar.update(1)
    clock.now += 1
    bar.update(2)
    first = "  1/200 [..............................] - ETA: 5:31:40"
    second = "  2/200 [..............................] - ETA: 3:18"
    gap = " " * (len(first) - len(second))
    assert capsys.readouterr().out == f"{first}\r{second}{gap}"


def test_unknown_length(clock, capsys):
    bar = progbar.Progbar(None, interval=0)
    clock.now += 0.0005
    bar.update(1, [("loss", 1e-5)])
    clock.now += 0.0005
    bar.update(2, [("loss", 3e-5)], finalize=True)
    first = "      1/Unknown - 0s 500us/step - loss: 1.0000e-05"
    assert capsys.readouterr().out == (
        f"{first}\r      2/Unknown - 0s 500us/step - loss: 2.0000e-05\n"
    )


def test_tools_that_run_notebooks_get_the_last_bar(clock, capsys, monkeypatch):
    monkeypatch.setattr(progbar, "runs_unattended", lambda: True)
    bar = progbar.Progbar(2, interval=0)
    for step in (1, 2):
        clock.now += 0.5
        bar.update(step, [("loss", 1.0)])
    assert capsys.readouterr().out == (
        "2/2 [==============================] - 1s 500ms/step - loss: 1.0000\n"
    )


def test_one_line(clock, capsys):
    bar = progbar.Progbar(20, verbose=2)
    bar.update(10, [("loss", 1.0)])
    clock.now += 3
    bar.update(20, [("loss", 2.0)])
    assert capsys.readouterr().out == "20/20 - 3s - loss: 1.5000 - 3s/epoch - 150ms/step\n"


def test_silent(capsys):
    bar = progbar.Progbar(2, verbose=0)
    bar.add(1, [("loss", 1.0)])
    bar.add(1, [("loss", 1.0)])
    assert capsys.readouterr().out == ""


def test_interactive_logging_can_be_turned_off(capsys):
    io_utils.disable_interactive_logging()
    try:
        assert not io_utils.is_interactive_logging_enabled()
        progbar.Progbar(1).update(1)
    finally:
        io_utils.enable_interactive_logging()
    assert capsys.readouterr().out == ""


def test_programs_without_a_console_train(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    monkeypatch.setattr("sys.stdout", None)
    history = model.fit(np.ones((2, 2)), np.ones((2, 1)), epochs=2, verbose=1)
    model.evaluate(np.ones((2, 2)), np.ones((2, 1)), verbose=2)
    model.predict(np.ones((2, 2)))
    assert len(history.history["loss"]) == 2
