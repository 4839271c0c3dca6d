"""What a program does of TensorFlow's under one generation, read from its syntax tree: nothing of it is run.

Statements are followed as Python would run them. Conditions that follow from the version, or from which names
there are, choose one branch; others leave both possible. Loops are taken to run, functions where they are
called or named.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import Any

from eagerflow.version import GENERATIONS
from eagerflow_compat.dropin import constant_values as values
from eagerflow_compat.dropin import generations
from eagerflow_compat.dropin.constant_values import UNKNOWN, Names, Path, truth
from eagerflow_compat.dropin.own_modules import OwnModules, absolute, package_of
from eagerflow_compat.dropin.reading_parts import (
    Class,
    Function,
    Level,
    Missing,
    Module,
    Problem,
    Scope,
    kinds_caught,
)
from eagerflow_compat.dropin.usage import PACKAGES

# Methods of datasets that went away with the first generation.
_OLD_METHODS = frozenset({"make_one_shot_iterator", "make_initializable_iterator"})
_VERSION_NAMES = frozenset({"__version__", "VERSION", "version.VERSION"})
_SESSIONS = frozenset(
    {"Session", "InteractiveSession", "MonitoredSession", "MonitoredTrainingSession"}
    | {"SingularMonitoredSession", "Supervisor", "Estimator", "train_and_evaluate"}
)
_EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})
_STARTS_EAGER = frozenset({"enable_eager_execution", "enable_v2_behavior"})
_ENDS_EAGER = frozenset({"disable_eager_execution", "disable_v2_behavior"})
# A function is followed so often at most: each time may find other values.
_MOST_RUNS = 6


class Reading:
    """What a program does under one generation.

    Args:
        source: the program's text.
        generation: "1.x" or "2.x".
        folder: the folder that its own modules are found from; None passes them over.
        file: its name.
        package: the package that its relative imports count from.

    Raises:
        SyntaxError: if the program is no Python.

    >>> from eagerflow_compat.dropin.reading import Reading
    >>> text = "import tensorflow as tf\\nif tf.__version__ < '2': tf.Session()\\nelse: tf.function"
    >>> Reading(text, "1.x").problems, Reading(text, "2.x").problems
    ({}, {})
    >>> [
    ...     problem.name
    ...     for problem in Reading("import tensorflow as tf; tf.Session()", "2.x").problems
    ... ]
    ['tf.Session']
    """

    def __init__(
        self,
        source: str,
        generation: str,
        folder: FilePath | None = None,
        file: str = "program.py",
        package: str = "",
    ) -> None:
        self.generation = generation
        self.problems: dict[Problem, Level] = {}
        self.eager: bool | None = generation == "2.x"  # None if unknown
        self.has_uses = False  # whether anything of TensorFlow's is used where something runs
        self.own = OwnModules(folder)
        self._level = Level.CERTAIN
        self._caught: list[frozenset[str]] = []  # what enclosing `try` statements catch
        self._named: dict[str, Level] = {}  # identifiers that what runs has
        self._functions: list[Function] = []
        self._scopes: list[Scope] = []
        self._returned: list[object] = []
        self._stars: dict[str, list[str]] = {}  # by module: the packages whose names it imports
        self._eager_only: list[tuple[Problem, Level]] = []
        self._old_only: list[tuple[Problem, Level]] = []
        self._names_version_1 = False
        self._has_sessions = False
        path = folder / FilePath(file).name if folder else None
        main = Module("__main__", ast.parse(source), file, path, package or self.own.package)
        self._module = main
        self._modules: dict[str, Module | None] = {FilePath(file).stem: main}
        self._follow_module(main)
        self._follow_functions()
        if self.eager is False and not self._has_sessions:
            self._note(self._eager_only)
        if generation == "2.x" and not self._names_version_1:
            self._note(self._old_only)

    def _note(self, found: Iterable[tuple[Problem, Level]]) -> None:
        for problem, level in found:
            self.problems[problem] = min(level, self.problems.get(problem, level))

    # Modules and functions

    def _follow_module(self, module: Module) -> None:
        outer = self._module, self._scopes
        self._module, self._scopes = module, [module.scope]
        try:
            self._run(module.tree.body)
        finally:
            self._module, self._scopes = outer

    def _own_module(self, name: str) -> Module | None:
        """A module of the program's, which is followed when it is first imported, after its packages."""
        if name in self._modules:
            return self._modules[name]
        for part, file in self.own.find(name) if name else []:
            if part in self._modules:
                continue
            self._modules[part] = None
            source = file.read_text(encoding="utf-8", errors="replace") if file else ""
            try:
                tree = ast.parse(source)
            except (SyntaxError, ValueError):
                break
            parent, _, last = part.rpartition(".")
            package = package_of(part, file)
            module = Module(part, tree, file.name if file else "", file, package)
            self._modules[part] = module
            self._follow_module(module)
            outer = self._modules.get(parent)
            if outer is not None:
                outer.scope[last] = module
        return self._modules.get(name)

    def _follow_functions(self) -> None:
        """Follows the functions that are named where something runs, then all others."""
        while True:
            for function in list(self._functions):
                level = self._level_of(function)
                if level is not None and (function.level is None or level < function.level):
                    self._at(level, function)
                    break
            else:
                break
        for function in self._functions:  # which grows meanwhile
            if function.level is None:
                self._at(Level.UNUSED, function)

    def _level_of(self, function: Function) -> Level | None:
        name = getattr(function.node, "name", "")
        level = self._named.get(name)
        owner = function.owner
        if owner is None:
            return level
        of_class = self._named.get(owner.name)
        if of_class is None:
            return None
        special = name.startswith("__") and name.endswith("__")
        # What a base class calls is not named in the program.
        if special or owner.derived:
            return of_class
        return None if level is None else max(level, of_class)

    def _at(self, level: Level, function: Function) -> None:
        outer = self._level
        self._level = level
        with contextlib.suppress(Missing):
            self._follow(function, [])
        function.level = level
        self._level = outer

    def _follow(self, function: Function, arguments: Sequence[object]) -> object:
        """Follows a function's body; what it returns."""
        new = function.level is None or self._level < function.level
        if function.runs >= _MOST_RUNS and not new:
            return UNKNOWN
        function.runs += 1
        if new:
            function.level = self._level
        node = function.node
        given = node.args
        parameters = [*given.posonlyargs, *given.args]
        scope: Scope = {
            name.arg: UNKNOWN
            for name in [*parameters, *given.kwonlyargs, given.vararg, given.kwarg]
            if name is not None
        }
        scope.update(zip((name.arg for name in parameters), arguments, strict=False))
        outer = self._module, self._scopes, self._returned
        self._module, self._scopes = function.module, [*function.scopes, scope]
        self._returned = []
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body)
            ended = self._run(node.body)
            results = self._returned if ended else [*self._returned, None]
            same = all(type(r) is type(results[0]) and r == results[0] for r in results)
            return results[0] if results and same else UNKNOWN
        finally:
            self._module, self._scopes, self._returned = outer

    # Names

    def _bind(self, target: ast.AST, value: Any) -> None:
        match target:
            case ast.Name():
                self._scopes[-1][target.id] = value
            case ast.Tuple() | ast.List():
                plain = isinstance(value, tuple | list) and len(value) == len(target.elts)
                for k, part in enumerate(target.elts):
                    starred = isinstance(part, ast.Starred)
                    self._bind(
                        part.value if isinstance(part, ast.Starred) else part,
                        value[k] if plain and not starred else UNKNOWN,
                    )
            case _:
                self.value(target)

    def _lookup(self, node: ast.Name) -> object:
        name = node.id
        self._name(name)
        for scope in reversed(self._scopes):
            if name in scope:
                value = scope[name]
                unsure = name in self._module.changed and values.is_plain(value)
                return UNKNOWN if unsure else value
        for star in self._stars.get(self._module.name, []):
            inside = f"{star}.{name}".partition(".")[2]
            if not hasattr(builtins, name) and any(
                generations.exists(inside, each) for each in generations.NAMES
            ):
                return self._attribute(Path(star), name, node)
        return UNKNOWN

    def _name(self, name: str) -> None:
        self._named[name] = min(self._level, self._named.get(name, self._level))

    def _use(self, path: str, line: int, kind: str) -> Path:
        """A name below a package that runs; `kind` is the exception that it raises if it is missing."""
        root, _, inside = path.partition(".")
        if root != "tensorflow" or not inside or "__" in inside:
            return Path(path)
        if generations.is_of_both(inside):
            self._names_version_1 |= inside.startswith("compat.v1")
            return Path(path)
        if self._level <= Level.POSSIBLE:
            self.has_uses |= kind == "attribute"
            self._has_sessions |= inside.rpartition(".")[2] in _SESSIONS
        if inside == "GradientTape":
            self._eager_only.append(
                (Problem("tf.GradientTape", self._module.file, line), self._level)
            )
        missing = generations.missing_part(inside, self.generation)
        if missing is not None:
            last = missing.rpartition(".")[2]
            self._problem(f"tf.{missing}", line, kind, last in _STARTS_EAGER | _ENDS_EAGER)
        return Path(path)

    def _problem(self, name: str, line: int, kind: str, declares: bool = False) -> None:
        caught = any(kind in kinds for kinds in self._caught)
        level = Level.CAUGHT if caught else self._level
        self._note([(Problem(name, self._module.file, line, declares), level)])
        if caught and self._level is Level.CERTAIN:
            raise Missing(kind)

    # Statements

    def _run(self, statements: Sequence[ast.stmt]) -> bool:
        """Follows statements up to one that ends them; whether one does."""
        return any(self._statement(statement) for statement in statements)

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.If():
                return self._if(node)
            case ast.Try():
                return self._try(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, UNKNOWN if values.is_plain(value) else value)
                return self._run(node.body)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                self._define_class(node)
            case ast.Import():
                self._import(node)
            case ast.ImportFrom():
                self._import_from(node)
            case ast.Assign():
                value = self.value(node.value)
                for target in node.targets:
                    self._bind(target, value)
            case ast.AnnAssign():
                self._bind(node.target, self.value(node.value) if node.value else UNKNOWN)
            case ast.AugAssign():
                added = self.value(node.value)
                if self.value(node.target) == Path("sys.path"):
                    self._extend_path(added)
                self._bind(node.target, UNKNOWN)
            case ast.Return():
                self._returned.append(None if node.value is None else self.value(node.value))
                return True
            case ast.Raise():
                self._children(node)
                self._problem(ast.unparse(node), node.lineno, "check", declares=True)
                return True
            case ast.Assert():
                if truth(self.value(node.test)) is False:
                    text = f"assert {ast.unparse(node.test)}"
                    # What follows may tell more: versions that are too exact fail in both generations.
                    self._problem(text, node.lineno, "check", declares=True)
            case ast.Expr(value=ast.Call() as call) if ast.unparse(call.func) in _EXITS:
                self._exit(call)
                return True
            case ast.Break() | ast.Continue():
                return True
            case ast.Match():
                return self._branches([case.body for case in node.cases], node.subject)
            case _:
                self._children(node)
        return False

    def _exit(self, node: ast.Call) -> None:
        """Notes a call that ends the program: a failed check, unless it ends what has done its work."""
        status = [self.value(argument) for argument in node.args]
        if self.has_uses and status in ([], [0], [None], [UNKNOWN]):
            return
        self._problem(ast.unparse(node), node.lineno, "check", declares=True)

    def _if(self, node: ast.If) -> bool:
        uses = self.has_uses
        true = truth(self.value(node.test))
        self.has_uses = uses  # what a condition asks for does no work
        if true is None:
            return self._branches([node.body, node.orelse])
        return self._run(node.body if true else node.orelse)

    def _branches(self, bodies: Sequence[Sequence[ast.stmt]], subject: Any = None) -> bool:
        """Follows branches of which any may run; whether all of them end."""
        if subject is not None:
            self.value(subject)
        before, eager = dict(self._scopes[-1]), self.eager
        after, states, ended = [], [], []
        for body in bodies:
            self._scopes[-1].clear()
            self._scopes[-1].update(before)
            self.eager = eager
            with self._possibly():
                ended.append(self._run(body))
            after.append(dict(self._scopes[-1]))
            states.append(self.eager)
        going = [k for k, end in enumerate(ended) if not end] or list(range(len(bodies)))
        first = after[going[0]]
        merged = {
            name: value
            if all(after[k].get(name, UNKNOWN) is value for k in going)
            or (values.is_plain(value) and all(after[k].get(name) == value for k in going))
            else UNKNOWN
            for name, value in first.items()
        }
        for k in going:
            merged |= {name: UNKNOWN for name in after[k] if name not in merged}
        self._scopes[-1].clear()
        self._scopes[-1].update(merged)
        self.eager = states[going[0]] if len({states[k] for k in going}) == 1 else None
        return all(ended)

    @contextlib.contextmanager
    def _possibly(self) -> Iterator[None]:
        outer = self._level
        self._level = max(outer, Level.POSSIBLE)
        try:
            yield
        finally:
            self._level = outer

    def _try(self, node: Any) -> bool:
        kinds = frozenset().union(*map(kinds_caught, node.handlers))
        self._caught.append(kinds)
        raised: str | None = None
        ended = False
        try:
            ended = self._run(node.body)
        except Missing as missing:
            if missing.kind not in kinds:
                raise
            raised = missing.kind
        finally:
            self._caught.pop()
        if raised is None:
            if not ended:
                ended = self._run(node.orelse)
            for handler in node.handlers:
                outer, self._level = self._level, Level.CAUGHT
                scope = dict(self._scopes[-1])
                with contextlib.suppress(Missing):
                    self._run(handler.body)
                self._scopes[-1].clear()
                self._scopes[-1].update(scope)
                self._level = outer
        else:
            handler = next(h for h in node.handlers if raised in kinds_caught(h))
            if handler.name:
                self._scopes[-1][handler.name] = UNKNOWN
            ended = self._run(handler.body)
        return self._run(node.finalbody) or ended

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> bool:
        # What the body changes is unknown when it begins.
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                if values.is_plain(self._scopes[-1].get(inner.id, UNKNOWN)):
                    self._scopes[-1][inner.id] = UNKNOWN
        if isinstance(node, ast.While):
            if truth(self.value(node.test)) is not False:
                self._run(node.body)
        else:
            self.value(node.iter)
            self._bind(node.target, UNKNOWN)
            self._run(node.body)
        return self._run(node.orelse)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: Any = None) -> None:
        self._children(node.args)
        for decorator in node.decorator_list:
            self.value(decorator)
        scopes = self._scopes[:-1] if owner else list(self._scopes)
        function = Function(node, self._module, scopes, owner)
        self._functions.append(function)
        self._scopes[-1][node.name] = function

    def _define_class(self, node: ast.ClassDef) -> None:
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.value(part.value if isinstance(part, ast.keyword) else part)
        scope: Scope = {}
        made = Class(node, scope)
        self._scopes.append(scope)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._define(statement, made)
            else:
                self._statement(statement)
        self._scopes.pop()
        self._scopes[-1][node.name] = made

    def _import(self, node: ast.Import) -> None:
        for name in node.names:
            root = name.name.split(".")[0]
            value = self._imported(name.name, node.lineno)
            if not name.asname:
                value = Path(root) if isinstance(value, Path) else self._modules.get(root, UNKNOWN)
            self._scopes[-1][name.asname or root] = UNKNOWN if value is None else value

    def _imported(self, name: str, line: int) -> object:
        """What `import name as value` gives."""
        if name.split(".")[0] in PACKAGES:
            return self._use(name, line, "import")
        return self._own_module(name) or (Path(name) if name in values.MODULES else UNKNOWN)

    def _import_from(self, node: ast.ImportFrom) -> None:
        source = absolute(node.module or "", node.level, self._module.package)
        base = self._imported(source, node.lineno)
        for name in node.names:
            bound: object = UNKNOWN
            if name.name == "*":
                if isinstance(base, Module):
                    self._scopes[-1].update(
                        {key: value for key, value in base.scope.items() if key[0] != "_"}
                    )
                elif isinstance(base, Path) and base.name.split(".")[0] in PACKAGES:
                    self._stars.setdefault(self._module.name, []).append(base.name)
                continue
            if isinstance(base, Path):
                bound = self._attribute(base, name.name, node)
            elif isinstance(base, Module) and name.name in base.scope:
                self._name(name.name)
                bound = base.scope[name.name]
            else:
                self._name(name.name)
                bound = self._own_module(f"{source}.{name.name}".strip(".")) or UNKNOWN
            self._scopes[-1][name.asname or name.name] = bound

    # Expressions

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self._statement(child)
            elif isinstance(child, ast.expr):
                self.value(child)
            else:
                self._children(child)

    def value(self, node: ast.AST) -> Any:
        """Follows an expression; its value, where that follows from the text."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._lookup(node)
            case ast.Attribute():
                return self._attribute(self.value(node.value), node.attr, node)
            case ast.Call():
                return self._call(node)
            case ast.BoolOp():
                return self._boolean(node)
            case ast.UnaryOp(op=ast.Not()):
                true = truth(self.value(node.operand))
                return UNKNOWN if true is None else not true
            case ast.UnaryOp(op=ast.USub()):
                return values.computed(lambda x: -x, self.value(node.operand))
            case ast.BinOp():
                return values.combined(node.op, self.value(node.left), self.value(node.right))
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                true = truth(self.value(node.test))
                if true is not None:
                    return self.value(node.body if true else node.orelse)
                with self._possibly():
                    self.value(node.body)
                    self.value(node.orelse)
            case ast.Tuple() | ast.List():
                parts = [self.value(part) for part in node.elts]
                if all(map(values.is_plain, parts)):
                    return tuple(parts) if isinstance(node, ast.Tuple) else parts
            case ast.Subscript():
                return self._subscript(node)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node)
            case ast.JoinedStr():
                return self._text(node)
            case ast.NamedExpr():
                value = self.value(node.value)
                self._bind(node.target, value)
                return value
            case ast.Lambda():
                function = Function(node, self._module, list(self._scopes), None)
                self._follow(function, [])
                return function
            case _:
                self._children(node)
        return UNKNOWN

    def _attribute(self, base: object, name: str, node: Any) -> object:
        if isinstance(base, Path):
            path = f"{base.name}.{name}"
            root, _, inside = path.partition(".")
            if root not in PACKAGES:
                return values.of_python(path)
            if path.endswith("keras.__version__"):
                return generations.keras_version(root, self.generation)
            versions = ("", "compat.v1.", "compat.v2.")
            if root == "tensorflow" and any(
                inside == prefix + known for prefix in versions for known in _VERSION_NAMES
            ):
                return GENERATIONS[self.generation]
            kind = "import" if isinstance(node, ast.ImportFrom) else "attribute"
            return self._use(path, node.lineno, kind)
        self._name(name)
        if isinstance(base, Module):
            return base.scope.get(name, UNKNOWN)
        if isinstance(base, Class):
            return base.scope.get(name, UNKNOWN)
        if name == "value" and isinstance(node.value, ast.Subscript):
            # The size of a dimension, which is a number in the second generation.
            if ast.unparse(node.value.value).endswith((".shape", ".get_shape()", ".dims")):
                problem = Problem(".shape[...].value", self._module.file, node.lineno)
                self._old_only.append((problem, self._level))
        return values.attribute(base, name)

    def _call(self, node: ast.Call) -> object:
        function: object
        receiver: object = UNKNOWN
        if isinstance(node.func, ast.Attribute):
            receiver = self.value(node.func.value)
            function = self._attribute(receiver, node.func.attr, node.func)
        else:
            function = self.value(node.func)
        arguments = [self.value(argument) for argument in node.args]
        for keyword in node.keywords:
            self.value(keyword.value)
        self._keywords(node, function)
        if isinstance(function, Path):
            if function.name.split(".")[0] in PACKAGES:
                return self._call_of_package(function.name, node)
            return self._call_of_python(function.name, node, arguments)
        if isinstance(function, Function):
            if any(isinstance(argument, ast.Starred) for argument in node.args):
                arguments = []
            return self._follow(function, arguments)
        if isinstance(node.func, ast.Name) and node.func.id == "__import__":
            return self._call_of_python(node.func.id, node, arguments)
        if isinstance(node.func, ast.Name) and node.func.id in ("hasattr", "getattr", "dir"):
            return self._asked(node, arguments)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "main":
            # A test runner calls what is named as its conventions say.
            for name in [f.node.name for f in self._functions if f.owner is not None]:
                if name.startswith(("test", "setUp", "tearDown")):
                    self._name(name)
        return values.called(node, receiver, arguments)

    def _keywords(self, node: ast.Call, function: Any) -> None:
        """Notes arguments and calls that only one generation has."""
        names = {keyword.arg for keyword in node.keywords if keyword.arg}
        where = (self._module.file, node.lineno)
        if isinstance(function, Path) and function.name.split(".")[0] == "tensorflow":
            inside = function.name.partition(".")[2]
            if inside and not generations.is_of_both(inside):
                for name in generations.missing_keywords(inside, names, self.generation):
                    self._problem(f"tf.{inside}({name}=)", node.lineno, "argument")
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in ("run", "eval") and "feed_dict" in names:
                self._old_only.append((Problem("feed_dict=", *where), self._level))
            if node.func.attr in _OLD_METHODS and function is UNKNOWN:
                self._old_only.append((Problem(f".{node.func.attr}()", *where), self._level))
            if node.func.attr == "numpy" and not node.args and not names:
                self._eager_only.append((Problem(".numpy()", *where), self._level))

    def _call_of_package(self, path: str, node: ast.Call) -> object:
        name = path.rpartition(".")[2]
        if name == "executing_eagerly":
            return UNKNOWN if self.eager is None else self.eager
        if name in _STARTS_EAGER or name in _ENDS_EAGER:
            certain = self._level is Level.CERTAIN
            wanted = name in _STARTS_EAGER
            self.eager = wanted if certain or self.eager is wanted else None
        if path.endswith("app.run") and not node.args and not node.keywords:
            self._name("main")
        if path.endswith("test.main"):
            for function in self._functions:
                if function.owner is not None and function.owner.derived:
                    self._name(function.owner.name)
        return UNKNOWN

    def _call_of_python(self, name: str, node: ast.Call, arguments: Sequence[object]) -> object:
        """What a function of Python's own modules gives."""
        if name in ("importlib.import_module", "__import__"):
            wanted = arguments[0] if arguments else None
            return self._imported(wanted, node.lineno) if isinstance(wanted, str) else UNKNOWN
        if name in ("sys.path.append", "sys.path.extend", "site.addsitedir"):
            self._extend_path(arguments[0] if arguments else UNKNOWN)
        if name == "sys.path.insert" and len(arguments) == 2:
            self._extend_path(arguments[1], first=True)
        if name == "inspect.getfile":  # of a frame of the module
            return self._module.scope["__file__"]
        return values.function_called(name, arguments)

    def _extend_path(self, added: object, first: bool = False) -> None:
        for name in added if isinstance(added, list | tuple) else [added]:
            if isinstance(name, str | FilePath):
                self.own.add(str(name), first)
            else:
                self.own.complete = False

    def _asked(self, node: ast.Call, arguments: Sequence[object]) -> object:
        """What hasattr, getattr and dir say of a package."""
        assert isinstance(node.func, ast.Name)
        if not arguments or not isinstance(arguments[0], Path):
            return UNKNOWN
        path = arguments[0].name
        if path.split(".")[0] != "tensorflow":
            return UNKNOWN
        if node.func.id == "dir":
            return Names(path)
        if len(arguments) < 2 or not isinstance(arguments[1], str):
            return UNKNOWN
        there = self._has(path, arguments[1])
        if node.func.id == "hasattr":
            return there
        if there or len(arguments) < 3:
            return self._attribute(arguments[0], arguments[1], node)
        return arguments[2]

    def _has(self, path: str, name: str) -> bool:
        inside = f"{path}.{name}".partition(".")[2]
        return inside in _VERSION_NAMES or generations.exists(inside, self.generation)

    def _boolean(self, node: ast.BoolOp) -> object:
        ending = isinstance(node.op, ast.Or)
        unknown = False
        value: list[object] = UNKNOWN
        for part in node.values:
            if unknown:
                with self._possibly():
                    value = self.value(part)
            else:
                value = self.value(part)
            true = truth(value)
            if true is ending:
                return value
            unknown |= true is None
        return UNKNOWN if unknown else value

    def _compare(self, node: ast.Compare) -> object:
        left = self.value(node.left)
        result: object = True
        for comparison, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            if isinstance(right, Names) and isinstance(left, str):
                there = self._has(right.path, left)
                one: object = there is isinstance(comparison, ast.In)
            else:
                one = values.compared(comparison, left, right)
            if one is UNKNOWN:
                result = UNKNOWN
            elif not one:
                return False
            left = right
        return result

    def _subscript(self, node: ast.Subscript) -> object:
        base = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                None if part is None else self.value(part)
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            if not all(map(values.is_plain, bounds)):
                return UNKNOWN
            return values.computed(lambda sequence: sequence[slice(*bounds)], base)
        return values.computed(lambda sequence, key: sequence[key], base, self.value(node.slice))

    def _text(self, node: ast.JoinedStr) -> object:
        parts: list[object] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.value(part.value)
                plain = values.is_plain(value) and part.format_spec is None
                parts.append(str(value) if plain and part.conversion < 0 else UNKNOWN)
            else:
                parts.append(self.value(part))
        return values.computed(lambda *texts: "".join(texts), *parts)

    def _comprehension(self, node: Any) -> object:
        self._scopes.append({})
        try:
            first = node.generators[0]
            source = self.value(first.iter)
            simple = len(node.generators) == 1 and not first.ifs and hasattr(node, "elt")
            if simple and isinstance(source, str | tuple | list) and 0 < len(source) <= 16:
                parts = []
                for element in source:
                    self._bind(first.target, element)
                    parts.append(self.value(node.elt))
                return parts if all(map(values.is_plain, parts)) else UNKNOWN
            for generator in node.generators:
                self.value(generator.iter)
                self._bind(generator.target, UNKNOWN)
                for condition in generator.ifs:
                    self.value(condition)
            for part in ("elt", "key", "value"):
                if hasattr(node, part):
                    self.value(getattr(node, part))
            return UNKNOWN
        finally:
            self._scopes.pop()
