"""Conditionals and loops of version 1 as nodes that call functions.

Version 1 has no functions in its graphs. A conditional consists of `Switch` nodes, which pass a tensor to
one of two branches, and `Merge` nodes, which return the value of the branch that ran. A loop is a frame:
values enter by `Enter`, go round from `Merge` by `Switch` and `NextIteration` until `LoopCond` is false,
and leave by `Exit`. Here the nodes of a branch become a function of an `If`, and those of a frame the
functions of a `While`. `Merge` and `Exit` keep their names, as identities of the results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError, UnimplementedError
from eagerflow.framework import dtypes
from eagerflow.protos.graph import MESSAGES

_SWITCH = frozenset({"Switch", "RefSwitch"})
_MERGE = frozenset({"Merge", "RefMerge"})
_ENTER = frozenset({"Enter", "RefEnter"})
_EXIT = frozenset({"Exit", "RefExit"})
_NEXT = frozenset({"NextIteration", "RefNextIteration"})

# The operations that there are only in version 1's choices and loops.
OPERATIONS = _SWITCH | _MERGE | _ENTER | _EXIT | _NEXT | {"LoopCond"}

# Programs do not nest choices and loops deeper, nor have as many; files might.
_MAX_DEPTH = 48
_MAX_MERGES = 4096
_MAX_VISITS = 1_000_000
_TIMES_THE_NODES = 20

# A tensor is on this side of choices: pairs of a condition and 0 or 1.
Sides = frozenset[tuple[str, int]]
Frame = tuple[str, ...]


def is_used(nodes: Iterable[Any]) -> bool:
    """Whether nodes contain version 1's control flow."""
    return any(node.op in OPERATIONS for node in nodes)


def structured(nodes: Iterable[Any], name: str) -> tuple[list[Any], list[Any]]:
    """Nodes without version 1's control flow, and the functions that they call then.

    A node inside a conditional or loop stays, since a program may know its name, as a node without inputs
    of the operation `LoopCond` or `Switch`, which cannot run.

    Args:
        nodes: the NodeDef messages.
        name: the prefix of the functions' names.

    Raises:
        InvalidArgumentError: unless they have the form of version 1's `tf.cond` and `tf.while_loop`.
    """
    return _Structure(nodes, name).result()


def refused(node: Any, reason: str) -> InvalidArgumentError:
    """The error about control flow that is no choice and no loop."""
    return InvalidArgumentError._of(
        f"Node '{node.name}' ({node.op}) belongs to no choice or loop: {reason}."
    )


class _Input(NamedTuple):
    """An input of a node: a tensor, or only the node, which has to run before."""

    node: str
    output: str
    is_control: bool

    @property
    def side(self) -> int:
        """Which of the two outputs of a `Switch` it is."""
        return int(self.output in ("1", "output_true:0"))


def _parsed(text: str) -> _Input:
    name, _, output = text.lstrip("^").partition(":")
    return _Input(name, output or "0", text.startswith("^"))


def _inputs(node: Any) -> Iterator[_Input]:
    return map(_parsed, node.input)


def _changeable(node: Any) -> Any:
    """A node that was read as a message that can be changed."""
    if isinstance(node, _core.Message):
        return MESSAGES["NodeDef"].FromString(node.SerializeToString())
    return node


class _Structure:
    def __init__(self, nodes: Iterable[Any], name: str) -> None:
        self.nodes: dict[str, Any] = {node.name: _changeable(node) for node in nodes}
        self.functions: list[Any] = []
        self._name = name
        self._left = 1000 + _TIMES_THE_NODES * len(self.nodes)
        self._visits = _MAX_VISITS

    def result(self) -> tuple[list[Any], list[Any]]:
        frames = self._frames()
        loops = sorted({frame for frame in frames.values() if frame}, key=len, reverse=True)
        for frame in loops:
            _Loop(self, frame, frames).replace()
        for name, frame in frames.items():
            if frame:
                self.nodes[name] = _unreachable(name, "LoopCond")
        if any(node.op in _MERGE for node in self.nodes.values()):
            self.nodes = _Choices(self, self.nodes).replaced()
        return list(self.nodes.values()), self.functions

    def count(self, copied: bool) -> None:
        """Refuses files whose functions would be much larger than the file, or slow to build."""
        self._visits -= 1
        self._left -= copied
        if self._left < 0 or self._visits < 0:
            raise InvalidArgumentError._of(
                "The choices and loops of the graph share too many nodes to be built."
            )

    def _frames(self) -> dict[str, Frame]:
        """The loops that each node is in, from the outermost."""
        found: dict[str, Frame] = {}
        for name in in_order(self.nodes, self._back_edges()):
            node = self.nodes[name]
            frame: Frame = ()
            for source in _inputs(node):
                before = found.get(source.node, ())
                if source.node in self.nodes and self.nodes[source.node].op in _EXIT:
                    before = before[:-1]
                frame = max(frame, before, key=len)
            if node.op in _ENTER:
                frame = (*frame, node.attr["frame_name"].s.decode())
            if len(frame) > _MAX_DEPTH:
                raise refused(node, f"loops are nested more than {_MAX_DEPTH} deep")
            found[name] = frame
        return found

    def _back_edges(self) -> Callable[..., bool]:
        return lambda node, source: (
            node.op in _MERGE and source.node in self.nodes and self.nodes[source.node].op in _NEXT
        )

    def unique(self, name: str) -> str:
        """A name that no node has."""
        while name in self.nodes:
            name += "_"
        return name

    def function(self, role: str, count: int, nodes: Iterable[Any], results: Sequence[str]) -> str:
        """Adds a function; its name.

        Args:
            role: a part of its name.
            count: how many parameters it has, `argument(k)`.
            nodes: its nodes.
            results: the tensors that it returns.
        """
        message = MESSAGES["FunctionDef"]()
        message.signature.name = f"{self._name}{role}_{len(self.functions)}"
        for k in range(count):
            message.signature.input_arg.add(name=argument(k), type=_ANY)
        for node in nodes:
            message.node_def.add().CopyFrom(node)
        for k, text in enumerate(results):
            message.signature.output_arg.add(name=f"result_{k}", type=_ANY)
            message.ret[f"result_{k}"] = text
        message.signature.is_stateful = True
        self.functions.append(message)
        return message.signature.name


# The builder accepts any tensor for an argument of this type, and passes objects such as variables on.
_ANY = dtypes.resource.as_datatype_enum


def argument(k: int) -> str:
    """The name of a parameter."""
    return f"${k}"


def unreachable(node: Any) -> UnimplementedError:
    """The error of a node inside a conditional or loop."""
    return UnimplementedError._of(
        f"Node '{node.name}' is inside of a choice or a loop of version 1, where its tensors exist "
        "and nowhere else. Take the result of the choice or loop."
    )


def _unreachable(name: str, op: str) -> Any:
    return MESSAGES["NodeDef"](name=name, op=op)


def _identity(name: str, text: str) -> Any:
    return MESSAGES["NodeDef"](name=name, op="Identity", input=[text])


def _calling(op: str, name: str, inputs: Sequence[str], kinds: str, **functions: str) -> Any:
    """A node that calls functions."""
    node = MESSAGES["NodeDef"](name=name, op=op, input=inputs)
    count = len(inputs) - (op == "If")
    node.attr[kinds].list.type.extend([_ANY] * count)
    node.attr[kinds].list.SetInParent()
    for key, function in functions.items():
        node.attr[key].func.name = function
    return node


def in_order(
    nodes: Mapping[str, Any], is_skipped: Callable[[Any, _Input], bool] = lambda node, source: False
) -> list[str]:
    """The names of nodes so that each comes after its inputs.

    Raises:
        InvalidArgumentError: if they go round in a circle, but for the inputs that are skipped.
    """
    waiting: dict[str, int] = {}
    readers: dict[str, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        sources = [
            source.node
            for source in _inputs(node)
            if source.node in nodes and not is_skipped(node, source)
        ]
        waiting[name] = len(sources)
        for source in sources:
            readers[source].append(name)
    found = [name for name, count in waiting.items() if count == 0]
    for name in found:
        for reader in readers[name]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                found.append(reader)
    if len(found) < len(nodes):
        first = next(name for name, count in waiting.items() if count > 0)
        raise InvalidArgumentError._of(f"Node '{first}' of 'graph' depends on itself.")
    return found


class _Slice:
    """The nodes that compute tensors, as nodes of a function.

    Args:
        structure: counts the nodes.
        nodes: all nodes.
        is_inside: whether a node, by its name, belongs to the function.
        parameter: returns the parameter that replaces an input, or None.
    """

    def __init__(
        self, structure: _Structure, nodes: Mapping[str, Any], is_inside: Callable[[str], bool],
        parameter: Callable[[_Input], str | None],
    ) -> None:  # fmt: skip
        self._structure = structure
        self._nodes = nodes
        self._is_inside = is_inside
        self._parameter = parameter
        self.found: dict[str, Any] = {}

    def text(self, text: str) -> str:
        """A tensor's name in the function; adds the nodes that it depends on."""
        given = self._parameter(_parsed(text))
        if given is not None:
            return given
        waiting = [_parsed(text).node]
        while waiting:
            name = waiting.pop()
            if name in self.found:
                continue
            self._structure.count(copied=True)
            node = self._nodes[name]
            copy = MESSAGES["NodeDef"]()
            copy.CopyFrom(node)
            del copy.input[:]
            self.found[name] = copy
            for source_text in node.input:
                source = _parsed(source_text)
                if source.is_control:
                    if source.node in self._nodes and self._is_inside(source.node):
                        copy.input.append(source_text)
                        waiting.append(source.node)
                    continue
                given = self._parameter(source)
                copy.input.append(source_text if given is None else given)
                if given is None:
                    waiting.append(source.node)
        return text


class _Loop:
    """A loop's frame."""

    def __init__(self, structure: _Structure, frame: Frame, frames: dict[str, Frame]) -> None:
        self._structure = structure
        self._frame = frame
        self._frames = frames
        self._nodes = structure.nodes
        inside = [self._nodes[name] for name, found in frames.items() if found == frame]
        self._names = {node.name for node in inside}
        self._enters = {node.name: node for node in inside if node.op in _ENTER}
        self._switches = [node for node in inside if node.op in _SWITCH]
        self._exits = [node for node in inside if node.op in _EXIT]
        self._merges = [node for node in inside if node.op in _MERGE and self._parts(node)]
        self._conditions = [node for node in inside if node.op == "LoopCond"]

    def _parts(self, merge: Any) -> tuple[Any, Any] | None:
        """The `Enter` and the `NextIteration` of a variable of the loop."""
        found = [self._nodes.get(source.node) for source in _inputs(merge)]
        enters = [node for node in found if node is not None and node.op in _ENTER]
        nexts = [node for node in found if node is not None and node.op in _NEXT]
        return (enters[0], nexts[0]) if len(enters) == len(nexts) == 1 else None

    def replace(self) -> None:
        """Replaces the frame by a `While`."""
        first = next(iter(self._enters.values()))
        if len(self._conditions) != 1 or not self._merges:
            if self._exits:
                raise refused(first, f"frame '{self._frame[-1]}' has no condition, or several")
            return  # nothing comes out of it
        parts = [self._parts(merge) for merge in self._merges]
        begins = [pair[0] for pair in parts if pair is not None]
        variables = {node.name for node in begins}
        constants = [node for name, node in self._enters.items() if name not in variables]
        places = {(merge.name, 0): k for k, merge in enumerate(self._merges)}
        places |= {(node.name, 0): k for k, node in enumerate(constants, len(begins))}
        merged = {merge.name: k for k, merge in enumerate(self._merges)}
        which = {
            node.name: merged[_parsed(node.input[0]).node]
            for node in self._switches
            if _parsed(node.input[0]).node in merged
            and _parsed(node.input[1]).node == self._conditions[0].name
        }

        def parameter(source: _Input) -> str | None:
            if source.node in which:
                return argument(which[source.node]) if source.side else self._missing(source)
            place = places.get((source.node, 0))
            if place is not None:
                if source.output not in ("0", "output:0"):
                    return self._missing(source)
                return argument(place)
            return None if source.node in self._names else self._missing(source)

        count = len(begins) + len(constants)
        continues = self._function("condition", count, parameter, [self._conditions[0].input[0]])
        goes_on = [pair[1].input[0] for pair in parts if pair is not None]
        step = self._function("step", count, parameter, goes_on, constants)
        name = self._structure.unique(f"{self._conditions[0].name}/loop")
        inputs = [node.input[0] for node in [*begins, *constants]]
        # The control inputs of the loop.
        inputs += [
            text for node in self._enters.values() for text in node.input if text.startswith("^")
        ]
        data = [text for text in inputs if not text.startswith("^")]
        loop = _calling("While", name, data, "T", cond=continues, body=step)
        loop.input.extend(dict.fromkeys(text for text in inputs if text.startswith("^")))
        self._nodes[name] = loop
        outer = self._frames[name] = self._frame[:-1]
        for node in self._exits:
            source = _parsed(node.input[0])
            if source.node not in which or source.side:
                raise refused(node, "it takes no variable of the loop")
            self._nodes[node.name] = _identity(node.name, f"{name}:{which[source.node]}")
            self._frames[node.name] = outer

    def _function(
        self, role: str, count: int, parameter: Callable[..., str | None], texts: Sequence[str],
        constants: Sequence[Any] = (),
    ) -> str:  # fmt: skip
        # Loop variables are parameters: control inputs from them are dropped.
        around = {node.name for node in (*self._merges, *self._switches)} | self._enters.keys()
        inside = self._names - around
        part = _Slice(self._structure, self._nodes, inside.__contains__, parameter)
        results = [part.text(text) for text in texts]
        results += [argument(k) for k in range(len(texts), len(texts) + len(constants))]
        nodes = part.found
        if any(node.op in _MERGE for node in nodes.values()):
            nodes = _Choices(self._structure, nodes).replaced()
        return self._structure.function(role, count, nodes.values(), results)

    def _missing(self, source: _Input) -> str:
        node = self._nodes.get(source.node) or _unreachable(source.node, "?")
        raise refused(node, f"loop '{self._frame[-1]}' uses it from outside of it")


class _Choice:
    """The `Merge` nodes of one conditional.

    Args:
        condition: the tensor that decides.
        number: the index of the conditional in the graph.
    """

    def __init__(self, condition: str, number: int) -> None:
        self.condition = condition
        self.number = number
        self.merges: list[Any] = []
        self.needs = 0  # the conditionals that it depends on, as bits
        # The conditions of its switches, which identify its `Merge` nodes.
        self.marks: set[str] = set()


class _Choices:
    """All choices among nodes that have no loops.

    Args:
        structure: collects the functions.
        nodes: the nodes by name.
    """

    def __init__(self, structure: _Structure, nodes: Mapping[str, Any]) -> None:
        self._structure = structure
        self._nodes = dict(nodes)
        self._sides: dict[str, Sides] = {}
        # For each merge the condition, and which of its inputs is for which side.
        self._merges: dict[str, tuple[str, list[str]]] = {}
        self._choices: list[_Choice] = []

    def replaced(self) -> dict[str, Any]:
        """Replaces conditionals by `If`."""
        order = in_order(self._nodes)
        for name in order:
            self._sides[name] = self._sides_of(self._nodes[name])
        self._group(order)
        # What lies inside of another one is on more sides.
        for choice in sorted(self._choices, key=lambda choice: -self._depth(choice)):
            self._replace(choice)
        for name, sides in self._sides.items():
            if sides:
                self._nodes[name] = _unreachable(name, "Switch")
        return self._nodes

    def _depth(self, choice: _Choice) -> int:
        return len(self._sides[choice.merges[0].name])

    def _canonical(self, text: str) -> str:
        """A tensor's name without the identities that it passes."""
        for _ in range(len(self._nodes)):
            source = _parsed(text)
            node = self._nodes.get(source.node)
            if node is None or node.op != "Identity" or not node.input:
                return f"{source.node}:{source.output}"
            text = node.input[0]
        return text

    def _sides_of(self, node: Any) -> Sides:
        sources = [source for source in _inputs(node) if source.node in self._nodes]
        found = [self._side_of(source) for source in sources]
        if node.op in _MERGE:
            data = [
                side for source, side in zip(sources, found, strict=True) if not source.is_control
            ]
            if len(data) != 2:
                raise refused(node, f"it has {len(data)} inputs, not two")
            self._merges[node.name] = self._decided(node, data)
            sides = data[0] & data[1]
        else:
            sides = frozenset().union(*found)
        if len(sides) > _MAX_DEPTH:
            raise refused(node, f"choices are nested more than {_MAX_DEPTH} deep")
        return sides

    def _side_of(self, source: _Input) -> Sides:
        """The sides of choices that an input is on."""
        sides = self._sides[source.node]
        node = self._nodes[source.node]
        if node.op in _SWITCH and not source.is_control:
            return sides | {(self._canonical(node.input[1]), source.side)}
        return sides

    def _decided(self, node: Any, data: Sequence[Sides]) -> tuple[str, list[str]]:
        """The condition of a merge, and its inputs if that is false and if it is true."""
        texts = [text for text in node.input if not text.startswith("^")]
        for k in range(2):
            for condition, side in sorted(data[k]):
                if side == 0 and (condition, 1) in data[1 - k]:
                    return condition, [texts[k], texts[1 - k]]
        raise refused(node, "its inputs are not the two sides of a condition")

    def _group(self, order: Sequence[str]) -> None:
        """Groups the merges by conditional."""
        if len(self._merges) > _MAX_MERGES:
            raise InvalidArgumentError._of(
                f"The graph has {len(self._merges)} choices; it may have {_MAX_MERGES}."
            )
        needs: dict[str, int] = {}
        for name in order:
            node = self._nodes[name]
            mask = 0
            for source in _inputs(node):
                mask |= needs.get(source.node, 0)
            if name in self._merges:
                mask = self._join(node, self._with_theirs(mask))
            needs[name] = mask

    def _with_theirs(self, mask: int) -> int:
        """Conditionals, and those that they depend on."""
        for choice in self._choices:
            if mask >> choice.number & 1:
                mask |= choice.needs
        return mask

    def _join(self, node: Any, needs: int) -> int:
        """Adds a merge to a choice that it does not depend on; what depends on it then, as bits."""
        condition, texts = self._merges[node.name]
        marks = self._marks(condition, texts)
        outside = self._sides[node.name]
        for choice in self._choices:
            if (
                choice.condition == condition
                and choice.marks & marks
                and self._sides[choice.merges[0].name] == outside
                and not needs >> choice.number & 1
            ):
                break
        else:
            choice = _Choice(condition, len(self._choices))
            self._choices.append(choice)
        choice.merges.append(node)
        choice.marks |= marks
        choice.needs |= needs
        return 1 << choice.number | choice.needs

    def _marks(self, condition: str, texts: Sequence[str]) -> set[str]:
        """The marks of a merge's conditional: each has its own name for the condition."""
        marks: set[str] = set()
        seen: set[str] = set()
        waiting = [(side, source) for side, text in enumerate(texts) for source in [_parsed(text)]]
        while waiting:
            side, source = waiting.pop()
            node = self._nodes.get(source.node)
            if node is None or node.name in seen or node.op == "If":
                continue
            self._structure.count(copied=False)
            if node.op in _SWITCH and self._canonical(node.input[1]) == condition:
                is_pivot = node.input[0] == node.input[1]
                marks.add(node.name if is_pivot else node.input[1])
            elif (condition, side) in self._sides[node.name]:
                seen.add(node.name)
                waiting += [(side, before) for before in _inputs(node)]
        return marks

    def _side_or_none(self, source: _Input) -> Sides:
        return self._side_of(source) if source.node in self._nodes else frozenset()

    def _slice(self, condition: str, side: int, parameter: Callable[..., str | None]) -> _Slice:
        def is_inside(name: str) -> bool:
            return (condition, side) in self._sides.get(name, ())

        return _Slice(self._structure, self._nodes, is_inside, parameter)

    def _replace(self, choice: _Choice) -> None:
        """Replaces the merges of a conditional by an `If`."""
        places: dict[str, int] = {}

        def place(text: str) -> str:
            return argument(places.setdefault(text, len(places)))

        sides: list[tuple[Mapping[str, Any], list[str]]] = []
        for side in range(2):

            def parameter(source: _Input, side: int = side) -> str | None:
                node = self._nodes.get(source.node)
                if node is None:  # a parameter of the function around
                    return place(_joined(source))
                if node.op in _SWITCH and self._canonical(node.input[1]) == choice.condition:
                    if source.side != side:
                        raise refused(node, "one side of a choice uses the other")
                    return place(node.input[0])
                inside = (choice.condition, side) in self._side_or_none(source)
                return None if inside else place(_joined(source))

            part = self._slice(choice.condition, side, parameter)
            results = [part.text(self._merges[node.name][1][side]) for node in choice.merges]
            sides.append((part.found, results))
        functions = [
            self._structure.function(role, len(places), found.values(), results)
            for role, (found, results) in zip(("otherwise", "then"), sides, strict=True)
        ]
        first = choice.merges[0].name
        name = self._structure.unique(f"{first}/choice")
        condition = choice.condition.removesuffix(":0")
        self._nodes[name] = _calling(
            "If", name, [condition, *places], "Tin",
            then_branch=functions[1], else_branch=functions[0],
        )  # fmt: skip
        self._sides[name] = self._sides[first]
        for k, node in enumerate(choice.merges):
            self._nodes[node.name] = _identity(node.name, f"{name}:{k}")


def _joined(source: _Input) -> str:
    return source.node if source.output == "0" else f"{source.node}:{source.output}"
