"""Random calls, most of them invalid, made to TensorFlow and to eagerflow, and what differs.

From the folder `tests`, in an environment that has both:

    python -m oracle.fuzz                    # twelve calls of each function, fresh ones each time
    python -m oracle.fuzz --seed 1 nn.relu   # these calls again, of this function only

A call is a line of Python, so that what is printed can be typed. Each library answers in a process
of its own; one that dies or hangs is started again after the call that did it.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import random
import resource
import select
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from oracle import record, values
from random_calls import Calls, functions, parameters

SEED = 20_000
SECONDS = 20  # after which a call hangs
MEMORY = 24 << 30

# A kernel that TensorFlow happens not to have is no promise, and neither is what escapes from within.
ACCIDENTS = frozenset((*record.ACCIDENTS, "died", "hung"))
ESCAPED = frozenset(("AssertionError", "AttributeError", "IndexError", "KeyError", "NameError"))
ESCAPED |= frozenset(("MemoryError", "OverflowError", "RecursionError", "UnboundLocalError"))
ESCAPED |= frozenset(("SystemError",))
# What TensorFlow says where it stumbles over a value instead of refusing it: it takes the truth of a
# tensor given as a name or a flag, compares what cannot be compared, builds a dictionary or a
# message of it, or traces a function of its own. A missing kernel is found before the values are
# looked at that would be refused otherwise.
STUMBLES = (
    "The truth value of an",
    "may not be used as a boolean",
    "not supported between instances of",
    "not all arguments converted during string formatting",
    "dictionary update sequence",
    "list indices must be integers",
    "in user code:",
    "Could not find device for node",
    "is not compatible with eager execution",
)


def calls(tf: Any, seed: int, count: int, only: list[str]) -> list[tuple[str, str]]:
    """The name of a function and a call of it, for every function; `tf` is TensorFlow."""
    made = []
    for name, function in functions(tf).items():
        if only and name not in only:
            continue
        names, required = parameters(function)
        for index in range(count):
            made.append(
                (name, Calls(random.Random(f"{seed}/{name}/{index}")).call(name, names, required))
            )
    return made


def summary(tf: Any, value: Any) -> Any:
    """A result as plain data: dtypes, shapes and small tensors' elements."""
    if isinstance(value, tf.Variable):
        value = value.value()
    if isinstance(value, tf.Tensor):
        array = np.asarray(value.numpy())
        kind, elements = value.dtype.name, None
        if array.size <= 100:
            if array.dtype.kind in "OSUb":
                elements = [str(item) for item in array.reshape(-1)]
            elif array.dtype.kind == "c":
                elements = [[v.real, v.imag] for v in array.astype(complex).reshape(-1)]
            else:
                elements = array.reshape(-1).astype("f8").tolist()
        return {"dtype": kind, "shape": list(array.shape), "elements": elements}
    if isinstance(value, tf.SparseTensor):
        return {"sparse": [summary(tf, v) for v in (value.indices, value.values)]}
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": [summary(tf, value.flat_values), summary(tf, value.row_splits)]}
    if isinstance(value, tf.IndexedSlices):
        return {"slices": [summary(tf, value.values), summary(tf, value.indices)]}
    if isinstance(value, dict):
        return {str(key): summary(tf, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [summary(tf, item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return "something else"


def same(a: Any, b: Any) -> bool:
    """Whether two summaries agree within the tolerances of their dtypes."""
    if isinstance(a, dict) and isinstance(b, dict) and "elements" in a and "elements" in b:
        if a["dtype"] != b["dtype"] or a["shape"] != b["shape"]:
            return False
        if a["elements"] is None or a["dtype"] not in values.TOLERANCES:
            return a["elements"] == b["elements"]
        rtol, atol = values.TOLERANCES[a["dtype"]]
        scale = 10 * max([1.0, *(abs(v) for v in np.ravel(a["elements"]) if math.isfinite(v))])
        one, other = np.array(a["elements"], "f8"), np.array(b["elements"], "f8")
        return np.allclose(other, one, rtol=10 * rtol, atol=scale * atol, equal_nan=True)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def answer(tf: Any, call: str) -> dict[str, Any]:
    """What one call gives: a summary of its result, or the exception's type and message."""
    names = {"tf": tf, "np": np, "nan": math.nan, "inf": math.inf}
    tf.random.set_seed(7)
    try:
        result = eval(call, names)
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)[:300]}
    try:
        return {"value": summary(tf, result)}
    except Exception as error:
        return {"value": f"unreadable: {error}"[:200]}


def serve(library: str) -> None:
    """Answers the calls that come in, a line for each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    output, sys.stdout = sys.stdout, sys.stderr
    if library == "tensorflow":
        tf = record.tensorflow()
        tf.get_logger().setLevel("CRITICAL")
    else:
        import eagerflow as tf
    for line in sys.stdin:
        print(json.dumps(answer(tf, json.loads(line))), file=output, flush=True)


def answers(library: str, lines: list[str]) -> Iterator[dict[str, Any]]:
    """A library's answers to calls, from a process that is replaced when it dies."""
    process = None
    for line in lines:
        if process is None:
            process = subprocess.Popen(
                [sys.executable, "-m", "oracle.fuzz", "--serve", library],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            _ask(process, "1", 300)
        found = _ask(process, line, SECONDS)
        if "raised" in found and found["raised"] in ("died", "hung"):
            process.kill()
            process.wait()
            process = None
        yield found
    if process is not None:
        process.communicate()


def _ask(process: subprocess.Popen, line: str, seconds: float) -> dict[str, Any]:
    try:
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        return {"raised": "died", "message": f"exit status {process.wait()}"}
    if not select.select([process.stdout], [], [], seconds)[0]:
        return {"raised": "hung", "message": f"no answer in {seconds} s"}
    text = process.stdout.readline()
    if not text:
        return {"raised": "died", "message": f"exit status {process.wait()}"}
    return json.loads(text)


def kind(theirs: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """How two answers differ, or None.

    "absent" and "escaped" are counted, but are no differences: functions that do not exist here, and
    exceptions that TensorFlow did not mean to raise.
    """
    if ours.get("raised") in ("died", "hung"):
        return ours["raised"]
    if ours.get("raised") == "AttributeError" and "has no attribute" in ours["message"]:
        if ours["message"].startswith("module 'eagerflow"):
            return "absent"
    if "raised" in theirs and theirs["raised"] in ("died", "hung"):
        return None
    if "raised" in theirs:
        if theirs["raised"] == ours.get("raised"):
            return None
        if "raised" not in ours and theirs["raised"] in ACCIDENTS:
            return None
        if theirs["raised"] in ESCAPED or any(text in theirs["message"] for text in STUMBLES):
            return "escaped"
        return "type" if "raised" in ours else "accepted"
    if "raised" in ours:
        return "refused"
    return None if same(theirs["value"], ours["value"]) else "value"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("functions", nargs="*", help="names such as nn.relu; all without any")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=12, help="calls of each function")
    parser.add_argument("--limit", type=float, default=0.0, help="the share that may differ")
    parser.add_argument("--log", type=Path, help="a file for every difference, one JSON a line")
    parser.add_argument("--theirs", type=Path, help="keeps TensorFlow's answers between runs")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve)
        return 0
    made = calls(record.tensorflow(), arguments.seed, arguments.count, arguments.functions)
    lines = [line for _, line in made]
    if arguments.theirs and arguments.theirs.exists():
        theirs = [json.loads(line) for line in arguments.theirs.read_text().splitlines()]
    else:
        theirs = list(answers("tensorflow", lines))
        if arguments.theirs:
            arguments.theirs.write_text("".join(json.dumps(a) + "\n" for a in theirs))
    kinds: collections.Counter[str] = collections.Counter()
    groups: collections.Counter[tuple] = collections.Counter()
    log = []
    for (name, line), their, our in zip(made, theirs, answers("eagerflow", lines), strict=True):
        difference = kind(their, our)
        if difference is None:
            continue
        kinds[difference] += 1
        groups[name, difference, their.get("raised", "-"), our.get("raised", "-")] += 1
        log.append({"kind": difference, "call": line, "theirs": their, "ours": our, "name": name})
    if arguments.log:
        arguments.log.write_text("".join(json.dumps(entry) + "\n" for entry in log))
    for (name, difference, their, our), count in groups.most_common(40):
        print(f"{count:5} {name}: {difference}: TensorFlow {their}, eagerflow {our}")
    different = len(log) - kinds["escaped"] - kinds["absent"]
    share = different / max(len(made), 1)
    print(f"seed {arguments.seed}: {different} of {len(made)} calls differ: {dict(kinds)}")
    fatal = kinds["died"] + kinds["hung"]
    return 1 if fatal or share > arguments.limit else 0


if __name__ == "__main__":
    sys.exit(main())
