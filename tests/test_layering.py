"""Modules import only from their own layer and those below it, as docs/design.md draws them."""

import ast
import collections
import functools
import pathlib

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "eagerflow"


def _drawn_layers():
    """The layers that docs/design.md draws for Python, the lowest first: the names in each."""
    drawing = (ROOT / "docs" / "design.md").read_text().split("```")[1]
    layers = []
    for line in drawing.partition("C++20")[0].replace("Python", "", 1).strip().splitlines():
        names, _, description = line.strip().partition("  ")
        if description:
            layers.append([])
        layers[-1] += names.split()
    return layers[::-1]


LAYERS = _drawn_layers()
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}

# What is imported against the layers when a function is called: the module -> what it needs there.
CALLS_UP = {
    # Graphs are written as messages, and modules tell what checkpoints and SavedModels have of them.
    "framework": {"graphdef", "checkpoint", "saved_model"},
    # Some operations give sparse tensors, and tf.vectorized_map traces its function.
    "ops": {"sparse", "autograph", "functions"},
    # Columns are configured as Keras's objects are, and their weights are variables of version 1.
    "feature_column": {"keras", "v1"},
    # Models are saved as SavedModels, and their weights on graphs are variables of version 1.
    "keras": {"saved_model"},
}


def _modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


@functools.cache
def _tree(path):
    return ast.parse(path.read_text())


def _imports(node, modules, inside=False):
    """The modules that a piece of code imports, and whether that is when a function is called."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] == "eagerflow":
            base = child.module.partition(".")[2]
            for alias in child.names:
                name = f"{base}.{alias.name}".strip(".")
                yield (name if name in modules else base), inside
        elif isinstance(child, ast.Import):
            for alias in child.names:
                if alias.name.split(".")[0] == "eagerflow":
                    yield alias.name.partition(".")[2], inside
        elif isinstance(child, ast.Call) and ast.unparse(child.func) == "lazy.Module":
            package, _, name = child.args[0].value.partition(".")
            if package == "eagerflow":
                yield name, True
        yield from _imports(child, modules, inside or isinstance(child, ast.FunctionDef))


def _graph():
    modules = dict(_modules())
    found = collections.defaultdict(set)
    for name, path in modules.items():
        for target, inside in _imports(_tree(path), modules):
            if target not in ("", name):  # the package itself is asked for `_core`
                found[name].add((target, inside))
    return found


GRAPH = _graph()


def _rank(module):
    return RANKS.get(module.split(".")[0], len(LAYERS))


def test_every_module_is_drawn_once():
    there = {name.split(".")[0] for name, _ in _modules()} - {"", "__main__"}
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
        and target.split(".")[0] not in CALLS_UP.get(module.split(".")[0], ())
    ]
    assert not up


def test_what_is_written_down_is_needed():
    needed = collections.defaultdict(set)
    for module, targets in GRAPH.items():
        for target, inside in targets:
            if inside and _rank(target) > _rank(module):
                needed[module.split(".")[0]].add(target.split(".")[0])
    assert {
        module: targets - needed[module] for module, targets in CALLS_UP.items()
    } == dict.fromkeys(CALLS_UP, set())


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
        if isinstance(child, ast.ImportFrom) and (child.module or "").startswith("eagerflow")
        for alias in child.names
        if alias.name.startswith("_") and not alias.name.startswith("__") and alias.name != "_core"
    ]
    assert not taken
