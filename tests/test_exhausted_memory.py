"""Memory that ends: under a limit on addresses, and when any one allocation fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import allocation_faults

HERE = Path(__file__).parent
NAMES = [scenario.__name__ for scenario in allocation_faults.SCENARIOS]

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and preloading are Linux's")


def run(*arguments, **variables):
    environment = {**os.environ, "PYTHONPATH": str(HERE), **variables}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=HERE.parent)
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-4000:])
    return done.stdout


@pytest.fixture(scope="session")
def failing_new(tmp_path_factory):
    compiler = shutil.which("c++") or pytest.skip("there is no C++ compiler")
    library = tmp_path_factory.mktemp("new") / "failing_new.so"
    source = HERE / "failing_new.cpp"
    subprocess.run([compiler, "-std=c++20", "-shared", "-fPIC", source, "-o", library], check=True)
    return str(library)


@pytest.mark.parametrize("name", NAMES)
def test_every_allocation_of_tensors_fails_once(name, tmp_path):
    failed, reported = run("-m", "allocation_faults", name, "pool", str(tmp_path)).split()
    assert int(failed) >= int(reported) > 5


@linux
@pytest.mark.parametrize("name", NAMES)
def test_every_allocation_by_new_fails_once(name, tmp_path, failing_new):
    arguments = ("-m", "allocation_faults", name, "new", str(tmp_path))
    failed, reported = run(*arguments, LD_PRELOAD=failing_new).split()
    assert int(failed) >= int(reported) > 5


LIMITED = """
import resource, sys
import numpy as np
import eagerflow as tf

def addresses():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

first = tf.random.normal([600, 700], seed=1)
before = addresses()
product = first @ tf.transpose(first)
assert addresses() - before < 400 << 20, "a product takes addresses in advance"
resource.setrlimit(resource.RLIMIT_AS, (addresses() + (int(sys.argv[1]) << 20), -1))
held, refused = [], 0
for size in (1000, 4000, 20000, 3000, 1500, 600):
    try:
        held.append(tf.ones([size, size]) @ tf.ones([size, size]))
    except (tf.errors.ResourceExhaustedError, MemoryError):
        refused += 1
assert refused and len(held) < 6
held.clear()
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
np.testing.assert_allclose(first @ tf.transpose(first), product, rtol=1e-4, atol=1e-4)
"""


@linux
@pytest.mark.parametrize("megabytes", [8, 64, 500])
def test_a_limit_set_after_the_first_product(megabytes):
    run("-c", LIMITED, str(megabytes))


@linux
@pytest.mark.parametrize("megabytes", [1, 4, 16, 100, 300])
def test_the_first_product_under_a_limit(megabytes):
    code = LIMITED.replace(
        "product = first @ tf.transpose(first)\n", "product = first.numpy() @ first.numpy().T\n"
    )
    run("-c", code, str(megabytes))
