"""What configurations can name: a closed list, of which nothing touches files or the network.

`python tests/keras/saving/test_reachable.py` writes the list, `tests/keras/saving/reachable.txt`,
anew: look at every line that is new in it before it is committed.
"""

import json
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.feature_column.classes import CLASSES as COLUMN_CLASSES
from eagerflow.keras.engine.functional.op_layer import TFOpLambda
from eagerflow.keras.engine.functional.op_names import OPERATORS
from eagerflow.keras.saving import reachable

keras = tf.keras
LIST = pathlib.Path(__file__).with_name("reachable.txt")


def listed():
    """A line for each name that a configuration can have in each kind of position."""
    lines = []
    for kind, each in reachable.KINDS.items():
        for name, found in each.objects().items():
            is_class = isinstance(found, type)
            home = f"{found.__module__}.{found.__qualname__}" if is_class else "a function"
            lines.append(f"{kind}: {name} = {home}")
    lines += [
        f"feature column: {name} = {found.__module__}.{name}"
        for name, found in COLUMN_CLASSES.items()
    ]
    lines += [f"operation: {name}" for name in [*OPERATORS, *reachable.operations()]]
    return sorted(lines)


def test_the_list_does_not_grow_unseen():
    assert listed() == LIST.read_text().splitlines(), (
        "What model files can name has changed. Is each new name harmless, whatever its arguments? "
        "Then run `python tests/keras/saving/test_reachable.py` and commit the list."
    )


def test_classes_are_of_their_kind():
    for each in reachable.KINDS.values():
        if each.base is None:
            continue
        base = getattr(sys.modules[each.base[0]], each.base[1])
        for name, found in each.objects().items():
            if isinstance(found, type):
                assert issubclass(found, base), name


# Runs in a process of its own: an audit hook cannot be taken away.
EFFECTS = '''
import inspect, os, sys, warnings
import numpy as np
import eagerflow as tf
from eagerflow.feature_column.classes import CLASSES
from eagerflow.keras.saving import reachable

warnings.simplefilter("ignore")
path = sys.argv[1]
objects = {}
for kind, each in reachable.KINDS.items():
    objects |= {f"{kind} {name}": found for name, found in each.objects().items()}
objects |= {f"operation {name}": found for name, found in reachable.operations().items()}
objects |= CLASSES
one = np.float32(1)

def called(found):
    """Calls with paths, then runs what was made of them."""
    try:
        names = [
            p.name for p in inspect.signature(found).parameters.values()
            if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
    except (TypeError, ValueError):
        names = []
    calls = [([path] * n, {}) for n in range(4)]
    calls += [([one, path], {}), ([[path], path], {})]
    calls += [([[path]], {name: path}) for name in names[1:]]
    calls += [([], {name: path}) for name in names]
    for args, kwargs in calls:
        try:
            made = found(*args, **kwargs)
            if callable(made):
                made(np.array([[path]]))
        except Exception:
            pass

seen = set()
for found in objects.values():
    called(found)  # everything is imported now
doing = None

def watch(event, args):
    first = args[0] if args else None
    touched = event in ("open", "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename")
    if touched and doing and isinstance(first, (str, bytes)) and os.fsdecode(first) == path:
        seen.add((doing, event))
    elif event.split(".")[0] in ("socket", "subprocess", "urllib", "shutil", "ftplib", "tempfile"):
        seen.add((doing, event))
    elif event in ("os.system", "os.exec", "os.fork", "os.posix_spawn", "exec", "ctypes.dlopen"):
        seen.add((doing, event))

sys.addaudithook(watch)
for doing, found in objects.items():
    called(found)
doing = None
for item in sorted(seen):
    print(*item)
'''
# Their configurations are refused if they have a path: see below.
READERS = {
    "layer IntegerLookup open",
    "layer StringLookup open",
    "layer TextVectorization open",
}


def test_nothing_in_the_list_touches_files(tmp_path):
    path = tmp_path / "file"
    path.write_text("1\n2\n")
    done = subprocess.run(
        [sys.executable, "-c", EFFECTS, str(path)],
        capture_output=True, text=True, timeout=600, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) == READERS
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


FUNCTIONS = [
    ("keras.utils", "get_file"),
    ("tf_keras.src.utils", "get_file"),
    ("eagerflow.keras.utils", "get_file"),
    ("eagerflow.keras.utils.file_download", "get_file"),
    ("keras.models", "load_model"),
    ("keras.saving", "save_model"),
    ("keras.backend", "clear_session"),
    ("keras.activations", "deserialize"),
    ("numpy", "save"),
    ("numpy", "load"),
    ("json", "load"),
    ("builtins", "get"),
    ("builtins", "eval"),
    ("__main__", "test_reachable"),
]


@pytest.mark.parametrize("kind", [None, *reachable.KINDS])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_of_other_kinds(function, kind):
    """Neither as a function nor as a class, wherever they stand."""
    module, name = function
    as_function = {
        "module": module, "class_name": "function", "config": name, "registered_name": name,
    }  # fmt: skip
    as_class = {"module": module, "class_name": name, "config": {}, "registered_name": name}
    dotted = {"module": "keras", "class_name": f"utils.{name}", "config": {}}
    from eagerflow.keras.saving.serialization import deserialize_as

    for config in (as_function, as_class, dotted):
        with pytest.raises((TypeError, ValueError), match="Could not locate"):
            if kind is None:
                keras.utils.deserialize_keras_object(config)
            else:
                deserialize_as(kind, config)


@pytest.mark.parametrize(
    ("get", "cls"),
    [
        (keras.layers.deserialize, keras.optimizers.Adam()),
        (keras.optimizers.deserialize, keras.layers.Dense(1)),
        (keras.losses.deserialize, keras.layers.Dense(1)),
        (keras.metrics.deserialize, keras.initializers.Zeros()),
        (keras.initializers.deserialize, keras.layers.Dense(1)),
        (keras.regularizers.deserialize, keras.constraints.NonNeg()),
        (keras.constraints.deserialize, keras.regularizers.L2()),
        (keras.optimizers.schedules.deserialize, keras.optimizers.Adam()),
        (keras.activations.deserialize, keras.losses.Huber()),
        (keras.mixed_precision.Policy.from_config, None),
    ],
)
def test_positions_take_their_own_kind(get, cls):
    if cls is None:
        cls, get = keras.layers.Dense(1), lambda config: keras.layers.Dense(1, dtype=config)
    with pytest.raises((TypeError, ValueError), match=r"Could not locate|Unknown|Cannot convert"):
        get(keras.utils.serialize_keras_object(cls))


@pytest.mark.parametrize(
    "symbol",
    [
        "install_as_tensorflow", "keras.backend.set_floatx", "keras.backend.clear_session",
        "variable_creator_scope", "nn.fixed_unigram_candidate_sampler", "while_loop",
        "__operators__.call", "__operators__.delitem", "random.set_global_generator",
        "keras.utils.get_file", "keras.backend.os.system", "numpy.save", "raw.__loader__",
    ],
)  # fmt: skip
def test_operations_have_no_effects(symbol):
    with pytest.raises(TypeError, match="no operation"):
        TFOpLambda.from_config({"name": "x", "function": symbol})


def with_function(config, function, arguments):
    for layer in config["config"]["layers"]:
        if layer["class_name"] == "Lambda":
            layer["config"].update(function=function, arguments=arguments)
            if isinstance(function, dict):
                layer["config"]["function_type"] = "function"


@pytest.mark.parametrize("form", ["m.keras", "m.h5", "json"])
def test_lambdas_that_name_functions_on_files(tmp_path, form):
    """The function would run on an empty tensor while the model is made."""
    payload = tmp_path / "payload"
    payload.write_text("bytes of somebody else")
    inputs = keras.Input((2,))
    empty = tf.reshape(inputs[:, :0], [0])
    model = keras.Model(inputs, keras.layers.Lambda(tf.identity, name="lam")(empty))
    function = {
        "module": "keras.utils", "class_name": "function", "config": "get_file",
        "registered_name": "get_file",
    }  # fmt: skip
    arguments = {
        "origin": payload.as_uri(), "cache_dir": str(tmp_path / "out"), "cache_subdir": "x",
    }  # fmt: skip
    path = tmp_path / form
    with pytest.raises((TypeError, ValueError), match="get_file"):
        if form == "json":
            config = json.loads(model.to_json())
            with_function(config, function, arguments)
            keras.models.model_from_json(json.dumps(config))
        elif form == "m.h5":
            import h5py

            model.save(path)
            with h5py.File(path, "r+") as file:
                config = json.loads(file.attrs["model_config"])
                with_function(config, function, arguments)
                file.attrs["model_config"] = json.dumps(config)
            keras.models.load_model(path)
        else:
            model.save(path)
            with zipfile.ZipFile(path) as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
            config = json.loads(members["config.json"])
            with_function(config, function, arguments)
            members["config.json"] = json.dumps(config)
            with zipfile.ZipFile(path, "w") as archive:
                for name, content in members.items():
                    archive.writestr(name, content)
            keras.models.load_model(path)
    assert not (tmp_path / "out").exists()


def test_lambdas_of_operations_come_back(tmp_path):
    x = np.array([[1.0, -2.0]], "f")
    for number, function in enumerate((tf.identity, tf.nn.relu, tf.abs)):
        path = tmp_path / f"{number}.keras"
        keras.Sequential([keras.Input((2,)), keras.layers.Lambda(function)]).save(path)
        expected = function(x).numpy()
        np.testing.assert_array_equal(keras.models.load_model(path)(x), expected)


def test_vocabularies_are_in_the_file_itself(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a\nb\n")
    layer = keras.layers.StringLookup(vocabulary=str(path))
    model = keras.Sequential([keras.Input((1,), dtype="string"), layer])
    model.save(tmp_path / "m.keras")
    model.save(tmp_path / "m.h5")
    path.unlink()
    for name in ("m.keras", "m.h5"):
        again = keras.models.load_model(tmp_path / name)
        assert again(np.array([["b"], ["c"]])).numpy().tolist() == [[2], [0]]


@pytest.mark.parametrize("name", ["StringLookup", "IntegerLookup", "TextVectorization"])
def test_vocabularies_in_other_files_need_an_opt_in(tmp_path, name):
    path = tmp_path / "secret"
    path.write_text("1\n2\n")
    layer = getattr(keras.layers, name)()
    config = keras.layers.serialize(layer)
    config["config"]["vocabulary"] = str(path)
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.layers.deserialize(config)
    text = json.dumps({"class_name": "Sequential", "config": {"name": "m", "layers": [config]}})
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.models.model_from_json(text)
    model = keras.models.model_from_json(text, safe_mode=False)
    assert "2" in map(str, model.layers[0].get_vocabulary())


def test_columns_of_files_need_an_opt_in(tmp_path):
    path = tmp_path / "secret"
    path.write_text("a\nb\n")
    column = tf.feature_column.indicator_column(
        tf.feature_column.categorical_column_with_vocabulary_file("w", str(path))
    )
    config = keras.layers.serialize(keras.layers.DenseFeatures([column]))
    with pytest.raises(ValueError, match="safe_mode=False"):
        keras.layers.deserialize(config)


if __name__ == "__main__":
    LIST.write_text("\n".join(listed()) + "\n")
