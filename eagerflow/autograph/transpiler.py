"""Conversion of functions: malt rewrites the syntax tree, and Python compiles the result.

malt (the package diastatic-malt) replaces statements by calls of functions in `ag__`. The code that is
compiled from its tree keeps the file name, line numbers and function names of the source.
Tracebacks, debuggers and the lines of operations are therefore the user's without a source map.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import importlib.util  # malt uses it without importing it  # noqa: F401
import itertools
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from malt.converters import (
    asserts,
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    functions,
    lists,
    logical_expressions,
    return_statements,
    slices,
    variables,
)
from malt.converters import directives as malt_directives
from malt.core import converter
from malt.lang import directives as markers
from malt.pyct import anno, cfg, errors, qual_names
from malt.pyct import transpiler as malt_transpiler
from malt.pyct.static_analysis import activity, reaching_definitions

from eagerflow.autograph import conversion, directives, log, operators
from eagerflow.autograph.user_code import MARK

Options: TypeAlias = Any  # malt's ConversionOptions

_FUTURE_FLAGS = sum(
    getattr(__future__, name).compiler_flag for name in __future__.all_feature_names
)

# Functions that read the frame of their caller: their calls are not converted.
_FRAME_FUNCTIONS = frozenset({"dir", "eval", "exec", "globals", "locals", "super", "vars"})


def options(features: Any = None, recursive: bool = True, user_requested: bool = False) -> Options:
    """How a function is converted.

    Args:
        features: None, a Feature, or several of them.
        recursive: whether the functions that it calls are converted, too.
        user_requested: whether the program has asked for the conversion of this function.
    """
    if features is None:
        features = ()
    elif isinstance(features, directives.Feature):
        features = (features,)
    return converter.ConversionOptions(
        recursive=recursive,
        user_requested=user_requested,
        optional_features=tuple(converter.Feature[feature.name] for feature in features),
    )


class _ExplicitSuper(ast.NodeTransformer):
    """Writes `super(__class__, self)` for `super()`, which parts of a function could not call."""

    def __init__(self) -> None:
        self._first: list[str | None] = []

    def _visit_function(self, node: Any) -> Any:
        arguments = [*node.args.posonlyargs, *node.args.args]
        self._first.append(arguments[0].arg if arguments else None)
        self.generic_visit(node)
        self._first.pop()
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
            and self._first[-1]
        ):
            node.args = [ast.Name(name, ast.Load()) for name in ("__class__", self._first[-1])]
        return node


class _PrivateNames(ast.NodeTransformer):
    """Writes names such as `__x` out as Python knows them inside a class."""

    def __init__(self, owner: str | None) -> None:
        self._prefix = owner and "_" + owner.lstrip("_")

    def _full(self, name: str) -> str:
        is_private = name.startswith("__") and not name.endswith("__")
        return self._prefix + name if is_private and self._prefix else name

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        node.attr = self._full(node.attr)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._full(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        self.generic_visit(node)
        node.arg = self._full(node.arg)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        inside = _PrivateNames(node.name)
        node.body = [inside.visit(statement) for statement in node.body]
        return node


def _innermost_class(qualified_name: str) -> str | None:
    """The name of the class around a function's definition, if there is one."""
    parts = qualified_name.split(".")
    owners = [
        part for part, following in itertools.pairwise(parts) if "<locals>" not in (part, following)
    ]
    return owners[-1] if owners else None


class _Directives(malt_directives.DirectivesTransformer):  # type: ignore[misc]
    """Treats this package's `set_loop_options` as malt's."""

    def _known(self, node: Any) -> Any:
        value = anno.getanno(node, malt_directives.STATIC_VALUE, default=None)
        if value is directives.set_loop_options:
            anno.setanno(node, malt_directives.STATIC_VALUE, markers.set_loop_options)
        return node

    def visit_Name(self, node: Any) -> Any:
        return self._known(super().visit_Name(node))

    def visit_Attribute(self, node: Any) -> Any:
        return self._known(super().visit_Attribute(node))


class _ConditionalExpressions(conditional_expressions.ConditionalExpressionTransformer):  # type: ignore[misc]
    """Converts conditional expressions inside others, too."""

    def visit_IfExp(self, node: Any) -> Any:
        return super().visit_IfExp(self.generic_visit(node))


class _Calls(call_trees.CallTreeTransformer):  # type: ignore[misc]
    """Leaves calls of functions that read their caller's frame as they are."""

    def visit_Call(self, node: Any) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id in _FRAME_FUNCTIONS:
            return self.generic_visit(node)
        return super().visit_Call(node)


class _Transpiler(malt_transpiler.GenericTranspiler):  # type: ignore[misc]
    """Applies malt's converters in their order, but only those that a function needs.

    A function without branches and loops has no variables that may be unbound, and its variables need
    no analysis, which takes most of the time.
    """

    def get_transformed_name(self, node: Any) -> str:
        return "tf__" + super().get_transformed_name(node)

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        node = _PrivateNames(_innermost_class(ctx.user.qualified_name)).visit(node)
        for inner in ast.walk(node):
            if isinstance(inner, ast.FunctionDef) and len(inner.body) == 1:
                if ast.get_docstring(inner) is not None:
                    inner.body.append(ast.Pass())  # a body without the docstring
        kinds = set(map(type, ast.walk(node)))
        if not kinds.isdisjoint((ast.Yield, ast.YieldFrom)):
            raise errors.UnsupportedLanguageElementError("generators are not supported")
        if ast.NamedExpr in kinds and _assigns_in_parts(node):
            raise errors.UnsupportedLanguageElementError(
                "`:=` is not supported in a branch, a loop, `and`, `or` or a conditional expression"
            )
        uses = ctx.user.options.uses
        has_blocks = not kinds.isdisjoint(_BLOCKS)
        if ast.Call in kinds:
            node = _ExplicitSuper().visit(node)
        if ast.ExceptHandler in kinds:
            _set_exception_names(node, lambda name: ast.Name(name, ast.Store()))
        graphs = cfg.build(node) if has_blocks else None
        node = activity.resolve(qual_names.resolve(node), ctx, None)
        if has_blocks:
            node = reaching_definitions.resolve(node, ctx, graphs)
            anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
        node = functions.transform(node, ctx)
        if has_blocks:
            node = _Directives(ctx).visit(node)
        if ast.Break in kinds or _has_else_of_loop(node):
            node = break_statements.transform(node, ctx)
        if uses(converter.Feature.ASSERT_STATEMENTS):
            node = asserts.transform(node, ctx)
        if ast.Break in kinds or ast.Continue in kinds:
            node = continue_statements.transform(node, ctx)
        if has_blocks and _returns_from_blocks(node):
            node = return_statements.transform(node, ctx)
        if uses(converter.Feature.LISTS):
            node = lists.transform(node, ctx)
            node = slices.transform(node, ctx)
        node = _Calls(ctx).visit(qual_names.resolve(node))
        if has_blocks:
            node = control_flow.transform(node, ctx)
        node = _ConditionalExpressions(ctx).visit(node)
        node = logical_expressions.transform(node, ctx)
        return variables.transform(node, ctx) if has_blocks else node


def _set_exception_names(tree: Any, change: Callable[[Any], Any]) -> None:
    """Changes the names of caught exceptions: strings in Python's trees, nodes for malt."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.name is not None:
            node.name = change(node.name)


def _has_else_of_loop(node: Any) -> bool:
    return any(isinstance(n, ast.For | ast.While) and n.orelse for n in ast.walk(node))


_BLOCKS = (ast.If, ast.For, ast.While)


def _returns_from_blocks(node: Any, inside: bool = False) -> bool:
    """Whether a branch or a loop, which become functions, has a `return`."""
    if isinstance(node, ast.Return):
        return inside
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        inside = False
    elif isinstance(node, _BLOCKS):
        inside = True
    return any(_returns_from_blocks(child, inside) for child in ast.iter_child_nodes(node))


def _assigns_in_parts(node: Any, inside: bool = False) -> bool:
    """Whether `:=` stands in what becomes a function, whose variable it would be."""
    if isinstance(node, ast.NamedExpr) and inside:
        return True
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        inside = False
    elif isinstance(node, ast.BoolOp | ast.IfExp | ast.While):
        inside = True
    elif isinstance(node, ast.Compare):
        inside = inside or len(node.ops) > 1
    elif isinstance(node, ast.If | ast.For):
        head = node.test if isinstance(node, ast.If) else node.iter
        return _assigns_in_parts(head, inside) or any(
            _assigns_in_parts(statement, True) for statement in [*node.body, *node.orelse]
        )
    return any(_assigns_in_parts(child, inside) for child in ast.iter_child_nodes(node))


class _Converted(NamedTuple):
    """A function's converted code, from which functions are created."""

    tree: Any
    name: str
    factory: types.CodeType  # of a function of `ag__` that returns the converted function


_lock = threading.RLock()
_transpiler = _Transpiler()
_cache: weakref.WeakKeyDictionary[types.CodeType, dict[Any, _Converted]] = (
    weakref.WeakKeyDictionary()
)
_namespace = types.SimpleNamespace(
    **{name: getattr(operators, name) for name in operators.__all__},
    ConversionOptions=converter.ConversionOptions,
    Feature=converter.Feature,
    STD=converter.STANDARD_OPTIONS,
    autograph_artifact=directives.final,
    converted_call=conversion.converted_call,
)


def convert(function: types.FunctionType, options: Options) -> types.FunctionType:
    """A function with converted code and the same globals, closure and defaults.

    The code is converted once for all functions that share it.

    Raises:
        Exception: malt's errors, if the source is not known or has unsupported statements.
    """
    converted = _converted(function, options)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in converted.factory.co_freevars)
    make = types.FunctionType(converted.factory, function.__globals__, converted.name, (), closure)
    result = make(_namespace)
    result.__name__ = converted.name
    result.__defaults__ = function.__defaults__
    result.__kwdefaults__ = function.__kwdefaults__
    result.__annotations__ = function.__annotations__
    return result


def source(function: types.FunctionType, options: Options) -> str:
    """The converted code as text."""
    return ast.unparse(ast.fix_missing_locations(_converted(function, options).tree)) + "\n"


def _converted(function: types.FunctionType, options: Options) -> _Converted:
    code = function.__code__
    key = code.co_filename, options  # code objects of different files may be equal
    result = _cache.get(code, {}).get(key)
    if result is None:
        with _lock:
            result = _cache.setdefault(code, {}).get(key)
            if result is None:
                result = _cache[code][key] = _transpile(function, options)
    return result


def _transpile(function: types.FunctionType, options: Options) -> _Converted:
    code = function.__code__
    # A function without attributes: malt would look for the source of one in `__wrapped__`.
    bare = types.FunctionType(
        code, function.__globals__, code.co_name, function.__defaults__, function.__closure__
    )
    program = converter.ProgramContext(options=options)
    program.qualified_name = getattr(code, "co_qualname", function.__qualname__)
    with _parameters_inside():
        tree, context = _transpiler.transform_function(bare, program)
    _set_exception_names(tree, lambda name: name.id if isinstance(name, ast.Name) else name)
    name = context.info.name
    if isinstance(tree, ast.Lambda):
        target = ast.Name(name, ast.Store())
        tree = ast.copy_location(ast.Assign([target], tree), tree)
    else:
        tree.name = name
        _remove_annotations(tree)
    if log.enabled(3):
        log.report(3, "Converted %s:\n%s", function, ast.unparse(ast.fix_missing_locations(tree)))
    _set_lines(tree, code.co_firstlineno)
    generated = {name, *context.namer.generated_names}
    factory = _factory(tree, name, code)
    return _Converted(tree, name, _renamed(factory, generated, code.co_name))


@contextlib.contextmanager
def _parameters_inside() -> Iterator[None]:
    """Leaves the parameters of a function inside out of the names that malt thinks its surroundings bind.

    A branch with such a function would take them for variables of its own. All converters analyse the
    tree, by this one class of malt's.
    """
    visit = activity.ActivityAnalyzer.visit_arg

    def visit_arg(self: Any, node: Any) -> Any:
        # Defaults and annotations are those of the surroundings, and are visited first, by themselves.
        return self.generic_visit(node) if self._track_annotations_only else visit(self, node)

    activity.ActivityAnalyzer.visit_arg = visit_arg
    try:
        yield
    finally:
        activity.ActivityAnalyzer.visit_arg = visit


def _remove_annotations(tree: ast.FunctionDef) -> None:
    """Removes annotations, whose scope is gone: `convert` sets those of the original."""
    tree.returns = None
    arguments = tree.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in (*every, arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None


def _set_lines(node: Any, line: int) -> None:
    """Sets the source line of a node and of those inside, by default that of the outer node."""
    origin = anno.getanno(node, anno.Basic.ORIGIN, default=None)
    if origin is not None:
        line = origin.loc.lineno
    if "lineno" in node._attributes:
        node.lineno = node.end_lineno = line
        node.col_offset = node.end_col_offset = -1  # unknown: statements have become calls
    for field, value in ast.iter_fields(node):
        if isinstance(value, tuple):
            setattr(node, field, list(value))  # as the compiler needs it
    for child in ast.iter_child_nodes(node):
        _set_lines(child, line)


def _factory(tree: Any, name: str, code: types.CodeType) -> types.CodeType:
    """The code of a function of `ag__` that defines the converted function and returns it."""
    inner = _function("factory", ["ag__"], [tree, ast.Return(ast.Name(name, ast.Load()))])
    # The compiler treats variables as free if a function around it defines them.
    free = [
        ast.Assign([ast.Name(variable, ast.Store())], ast.Constant(None))
        for variable in code.co_freevars
    ]
    module = ast.Module([_function("scope", [], [*free, inner])], [])
    for node in ast.walk(module):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            vars(node).update(lineno=code.co_firstlineno, end_lineno=code.co_firstlineno)
            vars(node).update(col_offset=-1, end_col_offset=-1)
    compiled = compile(
        module, code.co_filename, "exec", code.co_flags & _FUTURE_FLAGS, dont_inherit=True
    )
    scope = _codes(compiled)[0]
    return _codes(scope)[0]


def _function(name: str, parameters: Iterable[str], body: list[Any]) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    function = ast.FunctionDef(name, arguments, body, [])
    if "type_params" in ast.FunctionDef._fields:  # since Python 3.12
        function.type_params = []  # type: ignore[attr-defined, unused-ignore]
    return function


def _codes(code: types.CodeType) -> list[types.CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def _renamed(code: types.CodeType, generated: set[str], name: str) -> types.CodeType:
    """The code with the mark; generated functions in it get the name of the one around them."""
    constants: list[Any] = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = constant.co_name
            if inner in generated or inner.startswith("<"):
                inner = name
            constant = _renamed(constant, generated, inner)
            constant = constant.replace(co_name=inner)
        constants.append(constant)
    return code.replace(co_consts=(*constants, MARK))
