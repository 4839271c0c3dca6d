"""Random calls, most of them nonsense, made to TensorFlow and to eagerflow, and what differs.

From the folder `tests`, in an environment that has both:

    python -m oracle.nonsense                    # twelve calls of each function, fresh ones each time
    python -m oracle.nonsense --seed 1 nn.relu   # these calls again, of this function only

A call is a line of Python, so that what is printed can be typed. Each library answers in a process
of its own; one that dies or hangs is started again after the call that did it.
"""

from __future__ import annotations

import argparse
import collections
import inspect
import json
import math
import random
import resource
import select
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from oracle import record, values

NAMESPACES = (
    "",
    *("audio", "bitwise", "debugging", "dtypes", "image", "io", "linalg", "math", "math.special"),
    *("nest", "nn", "quantization", "ragged", "random", "sets", "signal", "sparse", "strings"),
)

# They run what they are given, touch files or the whole program's state, print, or answer what
# depends on the machine.
LEFT_OUT = frozenset(
    """
    function init_scope load_library load_op_library numpy_function print py_function Assert
    executing_eagerly device Graph write_file io.write_file io.write_graph io.read_file read_file
    io.matching_files debugging.disable_traceback_filtering debugging.enable_traceback_filtering
    debugging.disable_check_numerics debugging.enable_check_numerics import_graph_def
    debugging.set_log_device_placement random.set_seed random.set_global_generator
    random.get_global_generator debugging.is_traceback_filtering_enabled timestamp
    debugging.get_log_device_placement io.TFRecordWriter io.gfile no_gradient
    register_tensor_conversion_function get_current_name_scope grad_pass_through recompute_grad
    custom_gradient no_op name_scope control_dependencies variable_creator_scope Module
    get_logger random.create_rng_state numpy_function saved_model debugging.Assert
    io.decode_and_crop_jpeg timestamp VariableAggregation VariableSynchronization
    """.split()
)

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

DTYPES = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128", "bool", "string"]
DTYPES += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SHAPES = [(), (0,), (1,), (3,), (2, 3), (3, 3), (2, 0, 3), (1, 4, 4, 2), (2, 1, 3), (1,) * 6]

# Sizes are small, or too large for any machine: nothing that is large and would fit.
HUGE = ["2**40+3", "2**50", "-2**40", "2**62", "2**63-1", "-2**63", "2**64", "2**70", "-2**70"]
ODD = ["0.5", "1.0", "-1.5", "nan", "inf", "-inf", "1e300", "True", "False", "1j", "np.int32(2)"]
ODD += ["np.float32(1)", "np.int64(-1)", "np.uint8(200)"]
WORDS = ["", "a", "SAME", "VALID", "NHWC", "NCHW", "ij,jk->ik", "CONSTANT", "REFLECT", "float32"]
WORDS += ["euclidean", "left", "é", "\0", "...", "ASCENDING"]
JUNK = ["None", "[]", "{}", "b'\\xff\\x00'", "[[1, 2], [3]]", "[None]", "object()", "()"]
JUNK += ["tf.TensorShape([2, None])", "tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 5]))"]
JUNK += ["lambda *args: args[0] if args else tf.constant(1.0)"]


class Calls:
    """Random arguments as source text: mostly what a parameter of that name could take."""

    def __init__(self, seed: object) -> None:
        self.random = random.Random(str(seed))

    def call(self, name: str, parameters: list[str], required: int) -> str:
        """A call of a function with positional arguments."""
        count = self.random.choice([required, required, self.random.randint(0, len(parameters))])
        return f"tf.{name}({', '.join(self.value(p) for p in parameters[:count])})"

    def value(self, parameter: str) -> str:
        """A value for a parameter of that name."""
        for parts, makers in LIKELY:
            if any(p in parameter if len(p) > 1 else p == parameter for p in parts.split()):
                maker = self.random.choice([*makers, *makers, Calls.anything])
                return maker(self)
        return self.random.choice([Calls.tensor, Calls.tensor, Calls.anything])(self)

    def anything(self) -> str:
        """Any value at all."""
        makers = [Calls.tensor, Calls.tensor, Calls.number, Calls.sizes, Calls.junk]
        return self.random.choice([*makers, Calls.composite])(self)

    def tensor(self) -> str:
        """A tensor of any dtype and shape."""
        choice = self.random.choice
        dtype = choice(["float32", "float32", "int32", choice(DTYPES)])
        shape = choice(SHAPES)
        if dtype == "string":
            return f"tf.fill({shape}, 'ab')"
        elements = ["0", "1", "2", "3", "-1", "-2", "1.5", "100", "nan", "inf"]
        if "int" in dtype:
            elements = elements[: 4 if "uint" in dtype else 6]
        picked = ", ".join(choice(elements) for _ in range(self.random.randint(1, 7)))
        text = f"tf.cast(np.resize([{picked}], {shape}), '{dtype}')"
        return f"tf.Variable({text})" if self.random.random() < 0.1 else text

    def number(self) -> str:
        """A number, as often odd or huge as usual."""
        return self.random.choice(
            [str(self.random.randint(-4, 5)), self.random.choice(HUGE), self.random.choice(ODD)]
        )

    def small(self) -> str:
        """A small integer."""
        return str(self.random.randint(-3, 4))

    def sizes(self) -> str:
        """A list of integers."""
        count = self.random.choice([0, 1, 2, 2, 3, 4, 5])
        one = [lambda: str(self.random.randint(-2, 4))] * 4 + [lambda: self.random.choice(HUGE)]
        return f"[{', '.join(self.random.choice(one)() for _ in range(count))}]"

    def word(self) -> str:
        """A word that some function knows."""
        return repr(self.random.choice(WORDS))

    def dtype(self) -> str:
        """A dtype or its name."""
        name = self.random.choice(DTYPES)
        return self.random.choice([repr(name), f"tf.{name}", "tf.float32", "np.float64"])

    def junk(self) -> str:
        """What hardly any function takes."""
        choice = self.random.choice
        makers = [self.word, self.dtype, lambda: choice(JUNK), lambda: choice(JUNK)]
        makers += [
            lambda: f"[{', '.join(self.tensor() for _ in range(self.random.randint(0, 3)))}]"
        ]
        makers += [lambda: f"({self.number()}, {self.number()})", lambda: f"[{self.sizes()}]"]
        makers += [lambda: f"{{'a': {self.tensor()}}}"]
        return choice(makers)()

    def composite(self) -> str:
        """A sparse or a ragged tensor."""
        choice = self.random.choice
        numbers = choice(["1.0, 2.0", "1, -5", "'a', ''", "nan, inf"])
        shape = choice(["3, 2", "2**40, 2**40", "2**62, 8", "1, 1", "5, 2**33", "3, 4"])
        splits = choice(["0, 2, 2, 3", "0, 3", "0, 1, 3"])
        three = choice(["1.0, 2.0, 3.0", "1, -5, 0", "'a', '', 'b'", "[1.0], [2.0], [3.0]"])
        return choice(
            [
                f"tf.SparseTensor([[0, 1], [2, 0]], [{numbers}], [{shape}])",
                f"tf.RaggedTensor.from_row_splits([{three}], [{splits}], validate=False)",
            ]
        )


LIKELY = (
    ("sp_ rt_input", (Calls.composite,)),
    (
        "axis axes num depth size dim batch_dims index alpha rate k",
        (Calls.small, Calls.number, Calls.sizes),
    ),
    ("shape dims stride ksize begin perm multiples padd crop block", (Calls.sizes,)),
    ("type", (Calls.dtype,)),
    ("equation mode padding format method direction", (Calls.word,)),
    ("name", (lambda calls: "None",)),
)


def functions(tf: Any) -> dict[str, Callable]:
    """Each function once, by its first public name."""
    found: dict[int, tuple[str, Callable]] = {}
    for prefix in NAMESPACES:
        space = tf
        for part in filter(None, prefix.split(".")):
            space = getattr(space, part)
        for name in sorted(dir(space)):
            path = f"{prefix}.{name}".lstrip(".")
            value = getattr(space, name)
            if name.startswith("_") or path in LEFT_OUT or inspect.isclass(value):
                continue
            if callable(value) and not isinstance(value, tf.DType):
                found.setdefault(id(value), (path, value))
    return dict(found.values())


def parameters(function: Callable) -> tuple[list[str], int]:
    """The names of positional parameters, and how many must be given."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ["a", "b"], 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p for p in signature.parameters.values() if p.kind in kinds]
    return [p.name for p in names], sum(p.default is p.empty for p in names)


def calls(tf: Any, seed: int, count: int, only: list[str]) -> list[tuple[str, str]]:
    """The name of a function and a call of it, for every function; `tf` is TensorFlow."""
    made = []
    for name, function in functions(tf).items():
        if only and name not in only:
            continue
        names, required = parameters(function)
        for index in range(count):
            made.append((name, Calls(f"{seed}/{name}/{index}").call(name, names, required)))
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
                [sys.executable, "-m", "oracle.nonsense", "--serve", library],
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
