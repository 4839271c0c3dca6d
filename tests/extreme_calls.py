"""Valid calls of operations with one extreme argument each, under limits of memory and time.

The cases of `tests/oracle` run with a recorder in place of `tf`: it keeps the calls of public functions and
of raw operations as seeds. A mutation replaces one argument, or a part of it, by a size that is too large,
negative or 0, by an empty or longer tensor, by another dtype or by nonsense. A forked process makes the calls
of one function after another. It may not die, take much longer or more memory than the values explain, or
raise an exception that is not documented.

    python tests/extreme_calls.py                     # all mutations of all seeds
    python tests/extreme_calls.py --only Conv EditD   # of the functions with such a word in their name
    python tests/extreme_calls.py --seeds 3           # so many seeds of each function

The exit status is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import os
import pickle
import random
import resource
import select
import signal
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import eagerflow as tf
from eagerflow import nest, raw_ops
from eagerflow.graphdef import op_defs, rules
from oracle import registry
from peak_memory import data_bytes, forget_peak, peak
from random_calls import bytes_of

SECONDS = 2  # of processor time for a call
HANGS = 20  # seconds without an answer
MEMORY = 100 << 20  # bytes that a call may take besides a multiple of its values
MULTIPLE = 8
LIMIT = 3 << 30  # of what a process may allocate
SEED_BYTES = 1 << 16  # of the arguments of a seed

# Families of cases whose programs call operations with plain arguments, and take little time.
FAMILIES = tuple(
    family
    for family in registry.FAMILIES
    if not family.startswith(("keras", "data", "autograph", "feature", "surface", "system"))
)

# They do not return by design, print, write files, change what is global, or call their arguments.
LEFT_OUT = frozenset(
    """
    print Assert function py_function numpy_function init_scope device while_loop cond map_fn scan foldl foldr
    vectorized_map switch_case case custom_gradient recompute_grad name_scope control_dependencies
    """.split()
)

DOCUMENTED = (tf.errors.OpError, ValueError, TypeError, NotImplementedError)


# Calls that the families lack, of operations whose arguments depend on each other.
EXPRESSIONS = Path(__file__).with_suffix(".txt").read_text().splitlines()


class Seed(NamedTuple):
    """A valid call."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Mutation(NamedTuple):
    """A call with one other argument."""

    seed: Seed
    where: str
    value: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        return (
            f"{self.seed.name}({_shown_call(self.seed)}) with {self.where} = {_shown(self.value)}"
        )


class Recorder:
    """A namespace whose functions keep the arguments of their calls."""

    def __init__(self, space: Any, prefix: str, keep: Callable[[Seed], None]) -> None:
        self._space, self._prefix, self._keep = space, prefix, keep

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._space, name)
        path = f"{self._prefix}{name}"
        if isinstance(value, types.ModuleType):
            made = Recorder(value, f"{path}.", self._keep)
        elif isinstance(value, type) or not callable(value) or isinstance(value, tf.DType):
            made = value
        else:
            keep = self._keep

            def made(*args: Any, **kwargs: Any) -> Any:
                result = value(*args, **kwargs)
                keep(Seed(path, value, args, kwargs))
                return result

        setattr(self, name, made)
        return made


def seeds(each: int, families: Iterable[str] = FAMILIES) -> dict[str, list[Seed]]:
    """So many calls of each function that the cases make, of different kinds of arguments."""
    found: dict[int, dict[str, Seed]] = collections.defaultdict(dict)

    def keep(seed: Seed) -> None:
        kept = found[id(seed.function)]
        kind = _kind((seed.args, seed.kwargs))
        if len(kept) < each and kind not in kept and _is_plain(seed):
            kept[kind] = seed

    recorder = Recorder(tf, "", keep)
    names = {"tf": recorder, "raw": recorder.raw_ops, "words": tf.constant(["one", "two"])}
    names |= {"i": tf.constant([[0, 0], [1, 1]], tf.int64), "s": tf.constant([2, 2], tf.int64)}
    for expression in EXPRESSIONS:
        with contextlib.suppress(Exception):
            eval(expression, names)
    for family in families:
        for case in registry.load(family).values():
            try:
                case.run(recorder)
            except Exception:  # cases of errors
                pass
    named: dict[str, list[Seed]] = {}
    for kept in found.values():
        for seed in kept.values():
            named.setdefault(seed.name, []).append(seed)
    return named


# They reach files or functions of the program, print, or are known by other names.
RAW_LEFT_OUT = frozenset(
    """
    ReadFile WriteFile MatchingFiles SaveV2 MergeV2Checkpoints Print PrintV2 PyFunc PyFuncStateless
    EagerPyFunc InitializeTableFromTextFile InitializeTableFromTextFileV2 If While Case StatelessIf
    StatelessWhile StatelessCase PartitionedCall StatefulPartitionedCall RemoteCall SymbolicGradient
    """.split()
)

_SHAPES = ((), (2,), (3,), (2, 2), (2, 3), (1, 2), (1, 4, 4, 2), (2, 3, 4), (1, 4, 4, 4, 1), (0,))


def declared(names: Iterable[str], tries: int = 40) -> dict[str, list[Seed]]:
    """Calls of raw operations with small tensors of the declared types and ranks.

    Each has random shapes and elements: of so many, the first that the operation accepts, or else the last.
    """
    found: dict[str, list[Seed]] = {}
    for name in names:
        definition = op_defs.find(name)
        if definition is None or name in RAW_LEFT_OUT:
            continue
        chance = random.Random(name)
        for _ in range(tries):
            seed = Seed(
                f"raw_ops.{name}", getattr(tf.raw_ops, name), (), _drawn(definition, chance)
            )
            try:
                _forced(seed.function(**seed.kwargs))
                break
            except Exception:  # arguments that do not fit
                pass
        found[seed.name] = [seed]
    return found


def _drawn(definition: op_defs.OpDef, chance: random.Random) -> dict[str, Any]:
    """Random arguments of an operation."""
    renamed = raw_ops._RENAMED.get(definition.name, {})
    types: dict[str, str] = {}
    shape = chance.choice(_SHAPES)

    def tensor(argument: op_defs.Argument) -> Any:
        if argument.type == "resource" or argument.is_ref:
            if argument.name == "table_handle":
                return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
            return tf.Variable([1.0, 2.0])
        dtype = argument.type
        if dtype in definition.attributes:
            dtype = types.setdefault(dtype, chance.choice(["float32", "int32", "int64", "string"]))
        sizes = shape if chance.random() < 0.5 else chance.choice(_SHAPES)
        if argument.ranks:
            fitting = [sizes for sizes in _SHAPES if argument.allows(len(sizes))]
            sizes = sizes if argument.allows(len(sizes)) else chance.choice(fitting)
        if dtype == "variant":
            return tf.raw_ops.EmptyTensorList(
                element_shape=[2], max_num_elements=4, element_dtype=tf.float32
            )
        if dtype == "string":
            return tf.fill(sizes, chance.choice(["ab", "", "1"]))
        count = int(np.prod(sizes))
        step, low = chance.choice([0, 1]), chance.choice([0, 1, 2])
        numbers = np.arange(count) * step % 3 + low
        return tf.cast(tf.constant(numbers.reshape(sizes), tf.int64), dtype)

    arguments: dict[str, Any] = {}
    for argument in definition.inputs:
        values = [tensor(argument) for _ in range(1 if argument.is_single else 2)]
        arguments[renamed.get(argument.name, argument.name)] = (
            values[0] if argument.is_single else values
        )
    for attribute in definition.attributes.values():
        if attribute.name not in definition.deduced():
            arguments[renamed.get(attribute.name, attribute.name)] = _attribute(attribute, chance)
    return arguments


def _attribute(attribute: op_defs.Attribute, chance: random.Random) -> Any:
    """A value of an attribute: the default, or a random one."""
    if not attribute.required:
        return rules.default(attribute.kind, attribute.default)
    if attribute.allowed and attribute.kind == "string":
        return chance.choice(attribute.allowed)
    kind = attribute.kind.removeprefix("list(").removesuffix(")")
    one = {
        "int": lambda: chance.choice([1, 1, 2]),
        "float": lambda: 0.5,
        "bool": lambda: chance.random() < 0.5,
        "string": lambda: chance.choice(["", "a"]),
        "type": lambda: chance.choice([tf.float32, tf.float32, tf.int64, tf.string]),
        "shape": lambda: [2],
        "func": lambda: None,
        "tensor": lambda: tf.constant([1.0]),
    }[kind]
    if kind == attribute.kind:
        return one()
    return [one() for _ in range(chance.choice([1, 2, 4, 5]))]


def _kind(value: Any) -> str:
    """What distinguishes seeds: the structure of arguments, and dtypes roughly."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_kind(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + ",".join(sorted({_kind(item) for item in value})) + ")"
    if isinstance(value, tf.Tensor | np.ndarray):
        kind = tf.as_dtype(value.dtype)
        return ("f" if kind.is_floating else "i" if kind.is_integer else kind.name) + str(
            len(value.shape)
        )
    return type(value).__name__


def _is_plain(seed: Seed) -> bool:
    """Whether a call can be made again: small values, and no functions."""
    leaves = nest.flatten((seed.args, seed.kwargs))
    return (
        seed.name.rsplit(".", 1)[-1] not in LEFT_OUT
        and not any(isinstance(leaf, types.FunctionType | tf.Variable) for leaf in leaves)
        and sum(map(bytes_of, leaves)) < SEED_BYTES
        and not any(isinstance(leaf, tf.Tensor) and _is_symbolic(leaf) for leaf in leaves)
    )


def _is_symbolic(value: Any) -> bool:
    return tf._core.is_symbolic(value)


HUGE = (0, -1, 1, 2**31 - 1, 2**31, 2**62, 2**63 - 1, -(2**63))
FLOATS = (0.0, -1.0, 1e30, float("inf"), float("nan"))
NONSENSE: tuple[Any, ...] = (None, "a", (), 0, -1, tf.float32)


def _values(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values in place of one, and what part of it they replace."""
    if isinstance(value, bool):
        yield "", not value
    elif isinstance(value, int | np.integer):
        yield from (("", huge) for huge in HUGE)
    elif isinstance(value, float | np.floating):
        yield from (("", other) for other in FLOATS)
    elif isinstance(value, str | bytes):
        yield from (("", other) for other in ("", "x", b"\xff", "x" * 1000))
    elif isinstance(value, tf.DType):
        yield from (("", other) for other in (tf.string, tf.bool, tf.complex64, tf.int8, tf.int64))
    elif isinstance(value, tf.Tensor | np.ndarray):
        if tf.as_dtype(value.dtype) is not tf.variant:
            yield from _arrays(value)
    elif isinstance(value, tf.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        for index, part in enumerate(parts):
            for where, other in _values(part):
                made = [*parts[:index], other, *parts[index + 1 :]]
                yield f".parts[{index}]{where}", _Deferred(tf.SparseTensor, tuple(made))
    elif isinstance(value, tf.RaggedTensor):
        for index, other in ((0, value.flat_values), (1, value.flat_values[:0])):
            yield f".nested {index}", other
        splits = value.row_splits
        for where, other in _values(splits):
            yield f".row_splits{where}", _Deferred(_ragged, (value.values, other))
    elif isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        kind = type(value)
        picked = sorted({0, len(value) - 1} & set(range(len(value))))
        for index in picked:
            for where, other in _values(value[index]):
                yield f"[{index}]{where}", kind([*value[:index], other, *value[index + 1 :]])
        if value:
            yield "[:-1]", kind(value[:-1])
            yield "+[-1]", kind([*value, value[-1]])
            if all(isinstance(item, int) for item in value):
                yield from (
                    ("[:]", kind([huge] * len(value))) for huge in (0, -1, 2**31 - 1, 2**62)
                )
    yield from (("", other) for other in NONSENSE)


class _Deferred(NamedTuple):
    """A composite value that the call itself makes."""

    make: Callable[..., Any]
    parts: tuple[Any, ...]


def _ragged(values: Any, splits: Any) -> Any:
    return tf.RaggedTensor.from_row_splits(values, splits, validate=False)


def _arrays(value: Any) -> Iterator[tuple[str, Any]]:
    """Other tensors in place of one: of other sizes, or with other elements."""
    array = np.asarray(value.numpy() if isinstance(value, tf.Tensor) else value)
    kind = tf.as_dtype(value.dtype)
    others: list[tuple[str, Any]] = [("[None]", array[None]), (".reshape(-1)", array.reshape(-1))]
    if array.ndim:
        others += [("[:0]", array[:0]), ("[..., :0]", array[..., :0]), ("[:-1]", array[:-1])]
        others += [("+[-1]", np.concatenate([array, array[-1:]]))]
        others += [("[0]", array[0])] if len(array) else []
        others += [("[..., :-1]", array[..., :-1])] if array.ndim > 1 else []
    if array.size and (kind.is_integer or kind.is_floating):
        if kind.is_integer:
            numbers = [huge for huge in HUGE if kind.min <= huge <= kind.max]
            numbers += [kind.max, kind.min]
        else:
            numbers = list(FLOATS)
        for number in dict.fromkeys(numbers):
            for place in (0, -1):
                changed = array.copy()
                changed.reshape(-1)[place] = number
                others.append((f".flat[{place}]", changed))
            others.append(("[:]", np.full_like(array, number)))
    for where, other in others:
        yield where, tf.constant(other, value.dtype) if isinstance(value, tf.Tensor) else other
    if isinstance(value, tf.Tensor) and not kind.is_quantized:
        for other in ("float32", "int64", "string", "bool", "complex128"):
            if other != kind.name:
                made = (
                    tf.fill(value.shape, "a") if other == "string" else tf.zeros(value.shape, other)
                )
                yield f" as {other}", made


def mutations(seed: Seed) -> Iterator[Mutation]:
    """The calls that differ from a seed in one argument."""
    for index, value in enumerate(seed.args):
        for where, other in _values(value):
            args = (*seed.args[:index], other, *seed.args[index + 1 :])
            yield Mutation(seed, f"argument {index}{where}", other, args, seed.kwargs)
    for key, value in seed.kwargs.items():
        for where, other in _values(value):
            yield Mutation(seed, f"{key}{where}", other, seed.args, {**seed.kwargs, key: other})


def _shown(value: Any) -> str:
    if isinstance(value, _Deferred):
        return f"{value.make.__name__}({', '.join(map(_shown, value.parts))})"
    if isinstance(value, tf.Tensor) and value.dtype not in (tf.variant, tf.resource):
        text = np.array2string(np.asarray(value.numpy()), separator=", ", threshold=20).replace(
            "\n", ""
        )
        return f"tf.constant({text}, {value.dtype.name}, {value.shape.as_list()})"
    return repr(value)[:300]


def _shown_call(seed: Seed) -> str:
    named = [f"{key}={_shown(value)}" for key, value in seed.kwargs.items()]
    return ", ".join([*map(_shown, seed.args), *named])


def _made(value: Any) -> Any:
    """Arguments with composite values made."""
    if isinstance(value, _Deferred):
        return value.make(*value.parts)
    if type(value) in (list, tuple):
        return type(value)(map(_made, value))
    return {k: _made(v) for k, v in value.items()} if type(value) is dict else value


def _forced(value: Any) -> int:
    """Computes what is deferred in a result; the bytes."""
    if isinstance(value, tf.Tensor) and value.dtype not in (tf.variant, tf.resource):
        value.numpy()
    if isinstance(value, list | tuple):
        return sum(map(_forced, value))
    if isinstance(value, dict):
        return sum(map(_forced, value.values()))
    if isinstance(value, tf.SparseTensor):
        return _forced(value.values) + _forced(value.indices)
    if isinstance(value, tf.RaggedTensor):
        return _forced(value.flat_values) + _forced(value.row_splits)
    return bytes_of(value)


def answer(mutation: Mutation) -> str:
    """Makes a call in this process; what is wrong with it, or an empty text."""
    begin, before, size = time.process_time(), peak(), 0
    allowed = int(begin) + 1 + 3 * SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))
    found = ""
    try:
        size = _forced(mutation.seed.function(*_made(mutation.args), **_made(mutation.kwargs)))
    except DOCUMENTED as error:
        if not str(error).strip():
            found = f"empty {type(error).__name__}"
        elif isinstance(error, tf.errors.InternalError) and not _is_tensorflows(error):
            found = f"InternalError: {error}"
    except BaseException as error:
        # TensorFlow's composed functions raise AttributeError, too, for values of other types.
        is_composed = not mutation.seed.name.startswith("raw_ops.")
        if not _is_tensorflows(error) and not (isinstance(error, AttributeError) and is_composed):
            found = f"{type(error).__name__}: {error} {_place(error)}"
    took = time.process_time() - begin
    if took > SECONDS:
        return f"seconds: {took:.1f} {found}"
    if peak() - before > MEMORY:
        grown, now = peak() - before, forget_peak()
        if grown > MEMORY + MULTIPLE * size:
            return f"memory: {grown >> 20} MB for {size} bytes, {(now - before) >> 20} kept {found}"
    return found


# Parts of messages of exceptions that have another type than most because TensorFlow's do.
TENSORFLOWS = ("rejection sampler failed", "is out of range for a signal of rank")


def _is_tensorflows(error: BaseException) -> bool:
    return any(part in str(error) for part in TENSORFLOWS)


def _place(error: BaseException) -> str:
    trace, last = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if "eagerflow" in code.co_filename:
            last = f"{code.co_filename.rsplit('eagerflow/', 1)[-1]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"({last})"


def _serve(calls: list[Mutation], begin: int, sink: int) -> None:
    """Makes calls from `begin` on, and writes a line for each."""
    warnings.simplefilter("ignore")
    os.chdir(tempfile.gettempdir())  # where operations write that are given a file's name
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    resource.setrlimit(resource.RLIMIT_DATA, (data_bytes() + LIMIT, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    forget_peak()
    with os.fdopen(sink, "wb") as file:
        for index in range(begin, len(calls)):
            pickle.dump((index, answer(calls[index])), file)
            file.flush()


def check(calls: list[Mutation]) -> Iterator[tuple[Mutation, str]]:
    """Makes calls in forked processes; yields those with findings, and what they are."""
    begin = 0
    while begin < len(calls):
        source, sink = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(source)
                _serve(calls, begin, sink)
            finally:
                os._exit(0)
        os.close(sink)
        hung = False
        with os.fdopen(source, "rb", buffering=0) as file:
            while begin < len(calls):
                if not select.select([file], [], [], HANGS)[0]:
                    hung = True
                    os.kill(child, signal.SIGKILL)
                    break
                try:
                    index, found = pickle.load(file)
                except EOFError:
                    break
                begin = index + 1
                if found:
                    yield calls[index], found
        status = os.waitpid(child, 0)[1]
        if begin < len(calls):
            code = os.waitstatus_to_exitcode(status)
            yield calls[begin], "hung" if hung else f"died: {code}"
            begin += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="words in names of functions")
    parser.add_argument("--seeds", type=int, default=3, help="of each function")
    parser.add_argument("--families", nargs="*", default=FAMILIES, help="of cases")
    parser.add_argument("--part", default="0/1", help="K/N: every N-th function from the K-th")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tf.matmul(tf.ones([64, 64]), tf.ones([64, 64]))
    begin = time.monotonic()
    found = seeds(options.seeds, options.families)
    known = {name.removeprefix("raw_ops.") for name in found}
    found |= declared(name for name in dir(tf.raw_ops) if name not in known)
    print(f"{len(found)} functions, seeds took {time.monotonic() - begin:.0f} s", flush=True)
    part, parts = map(int, options.part.split("/"))
    names = [n for n in sorted(found) if not options.only or any(w in n for w in options.only)]
    count = findings = 0
    for name in names[part::parts]:
        calls = list(itertools.chain.from_iterable(map(mutations, found[name])))
        count += len(calls)
        for call, what in check(calls):
            findings += 1
            print(f"{name}: {what}\n    {call}", flush=True)
    print(f"{count} calls of {len(names)} functions, {findings} findings")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
