"""Answers `import tensorflow` in processes that a program under `eagerflow run` starts.

They find this folder by PYTHONPATH, whichever way they are started, and with it modules that are called
like TensorFlow's packages. Such a module gives way to what the program gets by that name. Processes of
other environments, which may not have eagerflow, find their own packages.
"""

import importlib
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
VARIABLE = "EAGERFLOW_CHILDREN"


def inherit(generation: str, keras: bool) -> None:
    """Lets the processes that this one starts import what it imports.

    Args:
        generation: "1.x" or "2.x".
        keras: whether `import keras` imports eagerflow's, too.
    """
    os.environ[VARIABLE] = f"{generation} {int(keras)} {sys.prefix}"
    folders = [FOLDER, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, folders)))
    # multiprocessing gives its processes this list; here, an import hook answers before it is searched.
    if FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)


def answer(name: str) -> None:
    """Replaces the module of that name, which is being imported."""
    del sys.modules[name]
    generation, keras, prefix = os.environ.get(VARIABLE, "2.x 0 ").split(" ", 2)
    if prefix == sys.prefix:
        from eagerflow_compat.dropin import install

        if install.generation() is None:
            install.install_as_tensorflow(generation, keras == "1")
    # What is not ours is found behind this folder.
    sys.path[:] = [folder for folder in sys.path if folder != FOLDER]
    importlib.import_module(name)
