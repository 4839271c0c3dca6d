"""Packages without content, by which pip finds what requires TensorFlow."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import sysconfig

import pytest

from eagerflow.commands.main import main
from eagerflow_compat.dropin import shim


@pytest.fixture(autouse=True)
def site(tmp_path, monkeypatch):
    """A folder in place of the environment's."""
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def listed():
    command = [sys.executable, "-m", "pip", "list", "--format=freeze", "--path", sys.path[0]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else pytest.skip("there is no pip")


@pytest.mark.parametrize(
    ("requirement", "pinned"),
    [
        ("tensorflow", "tensorflow==2.21.0"),
        ("TensorFlow_CPU", "tensorflow-cpu==2.21.0"),
        ("tf-keras", "tf_keras==2.21.0"),
        ("tensorflow==2.15.1", "tensorflow==2.15.1"),
    ],
)
def test_pip_finds_it(requirement, pinned):
    assert main(["shim", requirement]) == 0
    assert [line.replace("-", "_") for line in listed()] == [pinned.replace("-", "_")]
    assert main(["shim", requirement]) == 0  # again
    assert main(["shim", "--remove", requirement.partition("==")[0]]) == 0
    assert listed() == []


def test_importlib_knows_the_module():
    main(["shim", "--generation", "1.x", "tensorflow"])
    assert importlib.metadata.version("tensorflow") == "1.15.5"
    assert "tensorflow" in importlib.metadata.packages_distributions()["tensorflow"]
    assert importlib.metadata.distribution("tensorflow").requires == ["eagerflow"]


def real(site, name):
    folder = site / f"{name}-2.20.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.20.0\n")
    (folder / "INSTALLER").write_text("pip\n")


def test_the_package_itself_stays(site, capsys):
    real(site, "tensorflow")
    assert main(["shim", "tensorflow"]) == 1
    assert "2.20.0 itself is installed" in capsys.readouterr().out
    assert main(["shim", "--remove", "tensorflow"]) == 1
    assert (site / "tensorflow-2.20.0.dist-info").is_dir()


def test_the_module_of_another_package_stays(site, capsys):
    (site / "tensorflow.py").write_text("")
    assert main(["shim", "tensorflow-cpu"]) == 1
    assert "There is a module tensorflow" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["numpy"], ["--remove", "tensorflow"]])
def test_what_cannot_be(arguments, capsys):
    assert main(["shim", *arguments]) == 1
    assert "eagerflow shim:" in capsys.readouterr().out


def test_a_path_is_no_requirement():
    with pytest.raises(shim.Refused, match="not for ../x"):
        shim.write("../x")
