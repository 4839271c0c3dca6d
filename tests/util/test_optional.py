"""What eagerflow imports, and what it says where a package is missing that only some functions need."""

import ast
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

from eagerflow.util.optional import PACKAGES

ROOT = pathlib.Path(__file__).parents[2]
NEEDED = {"absl", "eagerflow", "eagerflow_compat", "malt", "ml_dtypes", "numpy", "re2"}

# Imports eagerflow as if no package but those were installed, runs `source`, and leaves `found`.
WITHOUT = """
import pickle, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
import numpy as np
import eagerflow as tf
{source}
pickle.dump(found, open({path!r}, "wb"))
"""

# For each place that asks for a package, a call that gets there.
CALLS = {
    "png": "tf.io.decode_png(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(30))",
    "gif": "tf.io.decode_gif(b'GIF89a' + bytes(30))",
    "jpeg": "tf.io.decode_jpeg(b'\\xff\\xd8\\xff' + bytes(30))",
    "jpeg written": "tf.io.encode_jpeg(np.zeros((2, 2, 3), np.uint8))",
    "image": "tf.keras.preprocessing.image.array_to_img(np.zeros((2, 2, 3)))",
    "turned": "tf.keras.preprocessing.image.apply_affine_transform(np.zeros((2, 2, 3)), theta=3)",
    "bright": "affine.apply_brightness_shift(np.zeros((2, 2, 3)), 1.5)",
    "message": "tf.train.Example()",
    "message read": "tf.io.parse_tensor(b'x', tf.float32)",
    "fields": "tf.io.decode_proto([b''], 'tensorflow.Example', ['features'], [tf.string])",
    "checkpoint": "tf.train.Checkpoint(v=tf.Variable(1.0)).write(folder + '/x')",
    "hdf5": "model.save(folder + '/x.h5')",
    "hdf5 read": "tf.keras.models.load_model(folder + '/file.h5')",
    "keras": "model.save(folder + '/x.keras')",
    "safetensors": "model.save_weights(folder + '/x.safetensors')",
    "onnx": "tf.onnx.export(abs, folder + '/x.onnx', [tf.TensorSpec([2])])",
    "sobol": "tf.math.sobol_sample(2, 3)",
    "window": "tf.keras.initializers.STFT('real', window='bohman')",
    "sound": "wav.read_wav(folder + '/sound.wav', 8000)",
    "optimize": "minimized()",
    "graph": "tf.keras.utils.plot_model(model, folder + '/x.svg')",
    "plot": "tf.debug.picture(tf.zeros([9])).save(folder + '/x.svg')",
    "pieces": "text.SentencepieceTokenizer(b'')",
    "sklearn": "scikit_learn.KerasClassifier(lambda: None).__sklearn_tags__()",
}

# What does not need the packages, though it takes them where they are.
VALUES = {
    "bessel": "tf.math.special.bessel_k1(rows[0] ** 2)",
    "betainc": "tf.math.betainc(rows[0] ** 2, 2.0, 0.3)",
    "gamma": "gradient(lambda a: tf.random.stateless_gamma([4, 90], [1, 2], a), rows[0] ** 2 + 0.1)",
    "igamma": "gradient(lambda a: tf.math.igamma(a, 2.0), rows[0] ** 2 + 0.1)",
    "truncated normal": """gradient(lambda low:
        tf.random.stateless_parameterized_truncated_normal([90], [1, 2], 0.0, 1.0, low, 50.0),
        np.linspace(-3, 40, 90))""",
    "lu": "tf.linalg.lu(rows)[0]",
    "complex lu": "tf.linalg.lu(tf.complex(rows, rows[::-1]))[0]",
    "qr": "tf.abs(tf.linalg.qr(rows)[1])",
    "svd": "tf.abs(tf.linalg.svd(rows)[1])",
    "eigh": "tf.abs(tf.linalg.eigh(spd)[1])",
    "eigvalsh": "tf.linalg.eigvalsh(spd)",
    "sqrtm": "tf.linalg.sqrtm(rows + 20 * np.eye(90))",
    "hermitian sqrtm": "tf.linalg.sqrtm(spd)",
    "logm": "tf.linalg.logm(tf.complex(spd, rows))",
    "half expm": "tf.linalg.expm(tf.cast(rows[:4, :4], tf.half))",
    "complex expm": "tf.linalg.expm(tf.complex(rows, rows[::-1]) / 90)",
    "triangle": "tf.linalg.triangular_solve(tf.complex(spd, rows), tf.complex(rows, rows))",
    "upper": "tf.linalg.triangular_solve(tf.complex(spd, rows), tf.complex(rows, rows), False)",
    "adjoint": "tf.linalg.triangular_solve(tf.complex(spd, rows), tf.complex(rows, rows), True, True)",
    "tridiagonal": "tf.linalg.tridiagonal_solve(rows[:3], rows[3])",
    "tridiagonal values": "tf.linalg.eigh_tridiagonal(rows[0], rows[1, 1:])",
    "some": "tf.linalg.eigh_tridiagonal(rows[0], rows[1, 1:], select='i', select_range=(3, 9))",
    "between": "tf.linalg.eigh_tridiagonal(rows[0], rows[1, 1:], select='v', select_range=(0., 1.))",
    "vectors": "tf.abs(tf.linalg.eigh_tridiagonal(rows[0], rows[1, 1:], eigvals_only=False)[1])",
    "fft": "tf.signal.fft(tf.complex(*tf.random.stateless_normal([2, 9, 9000], [1, 2])))",
    "hann": "tf.keras.initializers.STFT('imag')((64, 1, 33))",
    "blackman": "tf.keras.initializers.STFT('real', 'blackman', periodic=True)((64, 1, 33))",
}

SETUP = """
from eagerflow.contrib import opt
from eagerflow.keras.preprocessing import affine
from eagerflow.keras.utils import wav
from eagerflow.keras.wrappers import scikit_learn
from eagerflow_compat import text
rows = np.random.RandomState(0).normal(size=(90, 90))
spd = rows @ rows.T + np.eye(90)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
def gradient(function, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(tf.cast(x, tf.float32))
    return tape.gradient(y, x)
def minimized():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=[1.0])
        session.run(v.initializer)
        opt.ScipyOptimizerInterface(tf.reduce_sum(v * v)).minimize(session)
"""


def _run_without(packages, source, path):
    program = WITHOUT.format(blocked=set(packages), source=source, path=str(path))
    # Nor are there programs, such as Graphviz's.
    environment = {"PYTHONPATH": str(ROOT), "PATH": str(path.parent)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    return pickle.loads(path.read_bytes())


def _modules():
    return sorted(
        p for name in ("eagerflow", "eagerflow_compat") for p in (ROOT / name).rglob("*.py")
    )


def _is_call(node, name):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _for_type_checkers(tree):
    """What stands under `if TYPE_CHECKING:`, and not its `else`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from node.body


def test_nothing_else_is_imported():
    for path in _modules():
        # Keras imports its backend, not the other way round.
        own = {"keras"} if path.parent.name == "keras_backend" else set()
        own |= {"eagerflow_answers"} if path.parent.name == "children" else set()
        tree = ast.parse(path.read_text())
        # What type checkers see, nothing imports at run time.
        checked = {id(node) for block in _for_type_checkers(tree) for node in ast.walk(block)}
        for node in ast.walk(tree):
            known = NEEDED | own | sys.stdlib_module_names
            if id(node) in checked:
                known |= {"typing_extensions", *PACKAGES}
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                assert name.partition(".")[0] in known, f"{path}:{node.lineno} imports {name}"


def test_extras_bring_what_is_optional():
    tomllib = pytest.importorskip("tomllib")  # since Python 3.11
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = extras["optional-dependencies"]
    for package, extra in PACKAGES.values():
        brought = [re.match(r"[\w.-]+", requirement)[0] for requirement in extras[extra]]
        assert package.lower() in brought, package
    together = re.fullmatch(r"eagerflow\[([\w,]+)\]", *extras["all"])[1].split(",")
    assert {extra for _, extra in PACKAGES.values()} == set(together)


def _subjects():
    """The first words of each message, as regular expressions."""
    for path in _modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if _is_call(node, "optional"):
                what = node.args[1]
                parts = what.values if isinstance(what, ast.JoinedStr) else [what]
                yield "".join(
                    re.escape(part.value) if isinstance(part, ast.Constant) else ".+"
                    for part in parts
                )


def test_functions_name_the_package_that_they_need(tmp_path):
    import wave

    (tmp_path / "file.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with wave.open(str(tmp_path / "sound.wav"), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", None))
        file.writeframes(bytes(64))
    calls = ", ".join(f"{name!r}: lambda: {call}" for name, call in CALLS.items())
    source = f"""{SETUP}
folder = {str(tmp_path)!r}
found = {{}}
for name, call in {{{calls}}}.items():
    try:
        found[name] = type(call()).__name__
    except Exception as error:
        found[name] = f"{{type(error).__name__}}: {{error}}"
"""
    messages = _run_without(PACKAGES, source, tmp_path / "found")
    for name, message in messages.items():
        match = re.fullmatch(
            r"ImportError: .+ needs (.+): pip install (.+), or pip install 'eagerflow\[(\w+)\]'",
            message,
        )
        assert match, f"{name}: {message}"
        package, installed, extra = match.groups()
        assert (package, extra) in PACKAGES.values() and installed == package.lower()
    for subject in _subjects():
        pattern = f"ImportError: {subject} needs "
        assert any(re.match(pattern, message) for message in messages.values()), subject


def test_what_packages_only_speed_up_works_without_them(tmp_path):
    values = ", ".join(f"{name!r}: lambda: {call}" for name, call in VALUES.items())
    source = f"""{SETUP}
found = {{name: np.asarray(call()) for name, call in {{{values}}}.items()}}
"""
    missing = {*PACKAGES, "threadpoolctl", "IPython"}
    without = _run_without(missing, source, tmp_path / "without")
    everything = _run_without((), source, tmp_path / "with")
    for name, value in everything.items():
        assert np.isfinite(value).all(), name
        scale = np.abs(value).max()
        tolerance = 2e-3 if value.dtype == np.float16 else 2e-6
        np.testing.assert_allclose(without[name], value, tolerance, tolerance * scale, err_msg=name)
