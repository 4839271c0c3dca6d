"""What `make demo` installs."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def demo(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "tools")
    sys.modules.pop("demo", None)
    import demo

    monkeypatch.setattr(demo, "DIST", tmp_path)
    monkeypatch.setattr(demo, "SOURCES", ())
    return demo


def _wheel(folder, tag, changed):
    path = folder / f"eagerflow-0.1.0-{tag}.whl"
    path.touch()
    os.utime(path, (changed, changed))
    return path


def test_the_newest_wheel_for_this_python_is_taken(demo, tmp_path):
    assert demo.newest_wheel(Path(sys.executable)) is None
    _wheel(tmp_path, "cp39-cp39-win32", 9)
    assert demo.newest_wheel(Path(sys.executable)) is None
    _wheel(tmp_path, "py3-none-any", 5)
    newest = _wheel(tmp_path, "py2.py3-none-any", 6)
    assert demo.newest_wheel(Path(sys.executable)) == newest


def test_a_wheel_that_is_older_than_the_sources_is_named(demo, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "ROOT", tmp_path)
    monkeypatch.setattr(demo, "SOURCES", ("package",))
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "changed.py").touch()
    wheel = _wheel(tmp_path, "py3-none-any", 5)
    assert demo.newest_wheel(Path(sys.executable)) == wheel
    assert "make wheel" in capsys.readouterr().out
