"""Modules import only from their own layer and those below it, as docs/design.md draws them."""

import ast
import collections
import functools
import pathlib

ROOT = pathlib.Path(__file__).parent.parent
NEIGHBOR = "eagerflow_compat"
PACKAGES = ("eagerflow", NEIGHBOR)


def _drawn_layers():
    """The layers that docs/design.md draws for Python, the lowest first: the names in each.

    Modules of the package `eagerflow` are named without it; others with their package.
    """
    drawing = (ROOT / "docs" / "design.md").read_text().split("```")[1]
    layers, package = [], ""
    for line in drawing.partition("C++20")[0].strip().splitlines():
        names, _, description = line.strip().partition("  ")
        if names in PACKAGES:
            package = "" if names == "eagerflow" else f"{names}."
            continue
        if description:
            layers.append([])
        layers[-1] += [package + name for name in names.split()]
    return layers[::-1]


LAYERS = _drawn_layers()
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}

# Imports of higher layers when a function is called: the module -> the imported modules.
CALLS_UP = {
    # Graphs are written as messages; modules define their part of checkpoints and SavedModels.
    "framework": {"graphdef", "checkpoint", "saved_model"},
    # Gradients of programs are registered by TensorFlow's names, and get operations in its form.
    "autodiff": {"graphdef"},
    # Some operations return sparse tensors, and tf.vectorized_map traces its function.
    "ops": {"sparse", "autograph", "functions"},
    # Columns are configured as Keras's objects are.
    "feature_column": {"keras"},
    # Models are saved as SavedModels and exported as ONNX files.
    "keras": {"onnx", "saved_model"},
}


def _name(module):
    """A module as the drawing names it: without its package, if that is `eagerflow`."""
    return module.partition(".")[2] if module.split(".")[0] == "eagerflow" else module


def _modules():
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield _name(".".join(parts[:-1] if parts[-1] == "__init__" else parts)), path


def _top(module):
    """The name of a module's top package in the drawing."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == NEIGHBOR else parts[0]


@functools.cache
def _tree(path):
    return ast.parse(path.read_text())


def _imports(node, modules, inside=False):
    """The modules that a piece of code imports, and whether it does so in a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] in PACKAGES:
            base = _name(child.module)
            for alias in child.names:
                name = f"{base}.{alias.name}".strip(".")
                yield (name if name in modules else base), inside
        elif isinstance(child, ast.Import):
            for alias in child.names:
                if alias.name.split(".")[0] in PACKAGES:
                    yield _name(alias.name), inside
        elif isinstance(child, ast.Call) and ast.unparse(child.func) == "lazy.Module":
            if child.args[0].value.split(".")[0] in PACKAGES:
                yield _name(child.args[0].value), True
        yield from _imports(child, modules, inside or isinstance(child, ast.FunctionDef))


def _graph():
    modules = dict(_modules())
    found = collections.defaultdict(set)
    for name, path in modules.items():
        for target, inside in _imports(_tree(path), modules):
            if target not in ("", name):  # `_core` is imported from the package itself
                found[name].add((target, inside))
    return found


GRAPH = _graph()


def _rank(module):
    return RANKS.get(_top(module), len(LAYERS))


def test_every_module_is_drawn_once():
    there = {_top(name) for name, _ in _modules()} - {"", "__main__", NEIGHBOR}
    assert set(RANKS) - {"_core"} == there
    assert sum(map(len, LAYERS)) == len(RANKS)
    assert set(CALLS_UP) | set().union(*CALLS_UP.values()) <= there


def test_modules_import_what_is_below_them():
    up = [
        f"{module} -> {target}"
        for module, targets in GRAPH.items()
        for target, inside in targets
        if not inside and module and _rank(target) > _rank(module)
    ]
    assert not up


def test_functions_import_from_above_only_where_it_is_written_down():
    up = [
        f"{module} -> {target}"
        for module, targets in GRAPH.items()
        for target, inside in targets
        if inside
        and module
        and _rank(target) > _rank(module)
        and _top(target) not in CALLS_UP.get(_top(module), ())
    ]
    assert not up


def test_what_is_written_down_is_needed():
    needed = collections.defaultdict(set)
    for module, targets in GRAPH.items():
        for target, inside in targets:
            if inside and _rank(target) > _rank(module):
                needed[_top(module)].add(_top(target))
    assert {
        module: targets - needed[module] for module, targets in CALLS_UP.items()
    } == dict.fromkeys(CALLS_UP, set())


def test_nothing_names_the_neighbor_but_what_finds_it():
    """Neither imports nor texts name it: tests and documents use public names."""
    naming = {
        name
        for name, path in _modules()
        if not name.startswith(NEIGHBOR) and NEIGHBOR in path.read_text()
    }
    assert naming == {"util.own_code"}


def test_no_module_imports_itself_by_way_of_others():
    done, path = set(), []

    def visit(module):
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module in done:
            return
        path.append(module)
        for target, inside in sorted(GRAPH[module]):
            if not inside:
                visit(target)
        path.pop()
        done.add(module)

    for module in sorted(GRAPH):
        visit(module)


def test_private_names_stay_in_their_module():
    taken = [
        f"{name}: {child.module}.{alias.name}"
        for name, path in _modules()
        for child in ast.walk(_tree(path))
        if isinstance(child, ast.ImportFrom) and (child.module or "").startswith(PACKAGES)
        for alias in child.names
        if alias.name.startswith("_") and not alias.name.startswith("__") and alias.name != "_core"
    ]
    assert not taken
