"""Saves that replace files: through links, and after others that were killed."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import eagerflow as tf
from eagerflow.io.replacing import beside, replaced


def save(path, text):
    with replaced(str(path)) as temporary, open(temporary, "w") as file:
        file.write(text)


def test_links_stay(tmp_path):
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    (there / "m").write_text("old")
    (here / "m").symlink_to("../there/m")
    (here / "n").symlink_to("m")
    (here / "new").symlink_to("../there/new")
    for name in ("m", "n", "new"):
        save(here / name, name)
        assert (here / name).is_symlink() and (here / name).read_text() == name
    assert sorted(os.listdir(here)) == ["m", "n", "new"]
    assert sorted(os.listdir(there)) == ["m", "new"]
    assert (there / "m").read_text() == "n"


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "m.weights.h5", "m.npz", "m.safetensors"])
def test_models_are_saved_through_links(tmp_path, name):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    (tmp_path / "target").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "target" / name)
    whole = name in ("m.keras", "m.h5")
    for _ in range(2):
        (model.save if whole else model.save_weights)(tmp_path / name)
    assert (tmp_path / name).is_symlink()
    assert os.listdir(tmp_path / "target") == [name]
    load = tf.keras.models.load_model if whole else model.load_weights
    load(tmp_path / name)


def test_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        save(tmp_path / "a", "new")
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
        (tmp_path / "a").chmod(0o600)  # somebody keeps it to themselves
        save(tmp_path / "a", "again")
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_failures_leave_the_old_file_and_nothing_else(tmp_path):
    save(tmp_path / "a", "old")
    with pytest.raises(RuntimeError), replaced(str(tmp_path / "a")) as temporary:
        with open(temporary, "w") as file:
            file.write("half")
        raise RuntimeError
    assert os.listdir(tmp_path) == ["a"] and (tmp_path / "a").read_text() == "old"


KILLED = """
import os, signal, sys
from eagerflow.io.replacing import beside
with beside(sys.argv[1]) as own:
    open(own + "/new", "w").write("half")
    print(own, flush=True)
    signal.pause()
"""


def test_the_next_save_removes_what_killed_ones_left(tmp_path):
    path = str(tmp_path / ("m" * 240))
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True
    )
    own = child.stdout.readline().strip()
    try:
        # While it saves, nobody takes its folder away.
        save(path, "mine")
        with beside(path) as other:
            assert os.path.exists(f"{own}/new") and other != own
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert os.path.exists(f"{own}/new")
    (tmp_path / "another").write_text("stays")
    save(path, "mine")
    assert sorted(os.listdir(tmp_path)) == ["another", "m" * 240]


def test_killed_checkpoints_and_models_leave_nothing_for_long(tmp_path):
    step = tf.Variable(1.0)
    prefix = str(tmp_path / "ckpt")
    for name in ("ckpt", "m.h5"):
        left = tmp_path / f".{name}.saving-12345678"
        left.mkdir()
        (left / "lock").touch()
        (left / "data").write_text("half")
    tf.train.Checkpoint(step=step).write(prefix)
    tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))]).save(tmp_path / "m.h5")
    names = ["ckpt.data-00000-of-00001", "ckpt.index", "m.h5"]
    assert sorted(os.listdir(tmp_path)) == names


def test_folders_without_a_lock_are_removed_late(tmp_path):
    left = tmp_path / ".a.saving-12345678"
    left.mkdir()
    save(tmp_path / "a", "1")
    assert left.exists()
    os.utime(left, (time.time() - 3600,) * 2)
    save(tmp_path / "a", "2")
    assert os.listdir(tmp_path) == ["a"]


def test_many_threads_save_to_one_path(tmp_path):
    failures = []

    def work(number):
        try:
            for _ in range(20):
                save(tmp_path / "a", str(number) * 100)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and os.listdir(tmp_path) == ["a"]
    assert len(set((tmp_path / "a").read_text())) == 1
