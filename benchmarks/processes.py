"""Measures several processes: python benchmarks processes.

Each process has one core and a batch of its own. Efficiency is the throughput of two processes that train
together, as a share of twice that of one (`of two cores`), and of that of two that know nothing of each other
but run at the same time (`of both alone`): what cores share, such as units, caches and memory, is no
communication.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
from pathlib import Path

import alpha_beta

WORKER = Path(__file__).parent / "processes_worker.py"
MODELS = {"cnn": 30, "gpt": 20, "embedding": 30}  # and steps of a round
ROUNDS = 3


def main(arguments=None) -> int:
    """The command line; 1 if nothing could be measured."""
    parser = argparse.ArgumentParser(prog="benchmarks processes", description=__doc__)
    parser.add_argument("--tensorflow", default=sys.executable, help="a Python with tf_keras")
    parser.add_argument("--torch", default=sys.executable, help="a Python with torch")
    parser.add_argument("--models", nargs="*", choices=MODELS, default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--no-peers", action="store_true")
    chosen = parser.parse_args(arguments)
    if shutil.which("mpiexec", path=_path()) is None:
        print('MPI is absent: pip install "eagerflow[mpi]"')
        return 1
    print("| bytes | plain mpi4py | all_reduce | ratio |\n|---|---|---|---|")
    sizes = run("eagerflow", "allreduce", "together", 0, 2)["sizes"]
    for each in sizes:
        plain, ours = each["low"]
        print(
            f"| {each['bytes']:,} | {1e6 * plain:.1f} us | {1e6 * ours:.1f} us | {ours / plain:.2f} |"
        )
    alpha, beta = alpha_beta.fitted([(each["bytes"], each["low"][1]) for each in sizes])
    print(f"\nalpha {1e6 * alpha:.1f} us, {1e-9 / beta:.2f} GB/s\n")
    pythons = {"eagerflow": sys.executable}
    if not chosen.no_peers:
        pythons |= {"torch": chosen.torch, "tensorflow": chosen.tensorflow}
    print(
        "| model | framework | one | both alone | together | of both alone | of two cores | memory |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for model in chosen.models:
        for framework, python in pythons.items():
            print(row(model, framework, python, chosen.rounds), flush=True)
    print("\n| model | overhead of one worker |\n|---|---|")
    for model in chosen.models:
        without, by_strategy = map(
            statistics.median, run("eagerflow", model, "overhead", 8, 1)["both"]
        )
        print(f"| {model} | {100 * (by_strategy / without - 1):+.2f}% |")
    return 0


def row(model: str, framework: str, python: str, rounds: int) -> str:
    """A line of the table: a step of which one in ten is shorter, of the best of some rounds."""
    times: dict[str, list[float]] = {"one": [], "alone": [], "together": []}
    memory: dict[str, int] = {}
    try:
        for _ in range(rounds):
            for name, mode, count in (
                ("one", "alone", 1),
                ("alone", "alone", 2),
                ("together", "together", 2),
            ):
                found = run(framework, model, mode, MODELS[model], count, python)
                times[name].append(statistics.quantiles(found["times"], n=10)[0])
                memory[name] = found["memory"]
    except (subprocess.SubprocessError, ValueError, OSError) as error:
        return f"| {model} | {framework} | failed: {type(error).__name__} |"
    one, alone, together = (1e3 * min(each) for each in times.values())
    return (
        f"| {model} | {framework} | {one:.1f} ms | {alone:.1f} ms | {together:.1f} ms "
        f"| {alone / together:.2f} | {one / together:.2f} | {memory['together'] / memory['one']:.2f} |"
    )


def run(framework, model, mode, amount, count, python=sys.executable):
    """What the first of some processes has found."""
    command = [python, str(WORKER), framework, model, mode, str(amount)]
    if framework == "eagerflow":
        launcher = [shutil.which("mpiexec", path=_path()), "-n", str(count)]
        done = subprocess.run([*launcher, *command], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise ValueError(done.stderr[-2000:])
        return _found(done.stdout)
    ports = [_free_port() for _ in range(count)]
    processes = []
    for rank in range(count):
        environment = dict(
            os.environ, RANK=str(rank), WORLD_SIZE=str(count), MASTER_ADDR="127.0.0.1"
        )
        environment |= {"MASTER_PORT": str(ports[0]), "TF_USE_LEGACY_KERAS": "1"}
        environment |= {"TF_CPP_MIN_LOG_LEVEL": "3"}
        if mode == "together":
            cluster = {"worker": [f"127.0.0.1:{port}" for port in ports]}
            task = {"type": "worker", "index": rank}
            environment["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
        processes.append(
            subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        )
    try:
        outputs = [process.communicate(timeout=300)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    return _found(outputs[0])


def _found(output: str):
    return json.loads(next(line for line in output.splitlines() if line.startswith("{")))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _path() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


if __name__ == "__main__":
    sys.exit(main())
