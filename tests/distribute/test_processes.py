"""Programs of several processes, which MPI starts."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
MPIEXEC = shutil.which(
    "mpiexec", path=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
)

pytestmark = pytest.mark.skipif(
    MPIEXEC is None or importlib.util.find_spec("mpi4py") is None,
    reason='MPI is absent: pip install "eagerflow[mpi]"',
)


def _start(count, name, *arguments, **environment):
    """Starts a program in processes, and returns what became of it."""
    command = [
        MPIEXEC,
        "-n",
        str(count),
        sys.executable,
        "-m",
        "eagerflow",
        f"{HERE}/processes/{name}",
    ]
    added = {"PYTHONPATH": str(HERE.parent.parent), "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(
        [*command, *map(str, arguments)],
        env={**os.environ, **added},
        capture_output=True,
        text=True,
        timeout=120,
    )


def _run(count, name, *arguments, **environment):
    done = _start(count, name, *arguments, **environment)
    assert done.returncode == 0, done.stderr[-4000:] + done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize(
    "name", ["collectives.py", "datasets.py", "horovod_operations.py", "overlap.py"]
)
def test_program(name, count):
    assert _run(count, name).count("done") == count


@pytest.mark.parametrize("count", [2, 4])
def test_keras_trains_as_in_one_process(count, tmp_path):
    for number in (1, count):
        _run(number, "keras_training.py", tmp_path / f"of_{number}.npz")
    with np.load(tmp_path / "of_1.npz") as one, np.load(tmp_path / f"of_{count}.npz") as several:
        assert set(one) == set(several)
        for key in one:
            np.testing.assert_allclose(several[key], one[key], rtol=2e-5, atol=2e-6, err_msg=key)


def test_processes_that_are_told_to_end(tmp_path):
    """The signal reaches one of them: all save after the same step, and exit to be started again."""
    first = _start(2, "preempted.py", tmp_path, 4)
    assert first.returncode == 42, first.stderr[-3000:]
    assert "done" not in first.stdout
    again = _run(2, "preempted.py", tmp_path, -1)
    assert again.count("begins at 4") == 2
    assert again.count("done after 6") == 2


@pytest.mark.parametrize("count", [2, 4])
def test_horovod_keras(count):
    assert _run(count, "horovod_keras.py").count("done") == count


@pytest.mark.parametrize("count", [2, 4])
def test_a_loop_with_horovod(count, tmp_path):
    assert _run(count, "horovod_loop.py", tmp_path).count("done") == count
    assert (tmp_path / "checkpoint-1.index").exists()


@pytest.mark.parametrize("count", [2, 4])
def test_shuffles_agree(count, tmp_path):
    assert _run(count, "shuffling.py", tmp_path).count("done") == count


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2), (2, 4)])
def test_a_training_goes_on_with_other_processes(before, after, tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    _run(1, "resuming.py", whole, 99)
    done = _start(before, "resuming.py", broken, 2)
    assert done.returncode != 0
    assert "broken off" in done.stderr
    assert "epochs [2, 3]" in _run(after, "resuming.py", broken, 99)
    with np.load(whole / "weights.npz") as one, np.load(broken / "weights.npz") as other:
        for key in one:
            np.testing.assert_allclose(other[key], one[key], rtol=2e-5, atol=2e-6)


def test_profiles_show_communication(tmp_path):
    assert _run(2, "profiling.py", tmp_path).count("done") == 2


def test_one_process_writes(tmp_path):
    _run(2, "writing.py", tmp_path)
    found = sorted(
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()
    )
    events = [name for name in found if "tfevents" in name]
    assert len(events) == 1
    assert set(found) - set(events) == {"log.csv", "model.keras", "weights.h5"}
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("how", "messages"),
    [
        ("raises", ["RuntimeError: on purpose", "rank 1 of 2 ended with RuntimeError"]),
        ("shapes", ["reduce tensors of different shapes", "rank 1: [('float32', (5,))]"]),
        ("order", ["rank 0 in a reduction, rank 1 in a gathering"]),
        ("swapped", ["have called different collectives", "float32 [3]", "float32 [1, 3]"]),
        ("ends", ["rank 1 has ended its program, while rank 0 waits for it in the reduction"]),
        ("data", ["rank 1 has ended its program", "reduction (sum) of float32 [3], number"]),
        ("hangs", ["rank 1 is in no collective, but at", "failing.py:25", "DISTRIBUTED_TIMEOUT"]),
        ("stopped", ["rank 1 does not answer", "rank 0 has waited for"]),
        ("killed", []),
    ],
)
def test_a_failure_ends_all_processes(how, messages):
    begin = time.monotonic()
    timeout = "2" if how in ("hangs", "stopped") else "100"
    done = _start(2, "failing.py", how, EAGERFLOW_DISTRIBUTED_TIMEOUT=timeout)
    assert time.monotonic() - begin < 20
    assert done.returncode != 0
    assert "joined" not in done.stdout
    for message in messages:
        assert message in done.stderr, done.stderr


def test_tf_config_must_fit():
    config = (
        '{"cluster": {"worker": ["a:1", "b:1", "c:1"]}, "task": {"type": "worker", "index": 0}}'
    )
    done = _start(2, "collectives.py", TF_CONFIG=config)
    assert done.returncode != 0
    assert "The cluster has 3 workers, but MPI has started 2 processes" in done.stderr


def test_tf_config_must_differ():
    config = '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}}'
    done = _start(2, "collectives.py", TF_CONFIG=config)
    assert done.returncode != 0
    assert "the processes are the workers [0, 0]" in done.stderr
