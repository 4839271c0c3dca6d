"""The command `eagerflow`."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from eagerflow.commands import completion, doctor, main, parser


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("train.py --check", "run train.py --check"),
        ("--generation 1.x old.py run", "run --generation 1.x old.py run"),
        ("--check a.py b.py", "check a.py b.py"),
        ("--generation 2.x --check a.py", "check --generation 2.x a.py"),
        ("--no-keras run a.py", "run --no-keras a.py"),
        ("-m check x", "run -m check x"),
        ("./check x", "run ./check x"),
        ("-- check x", "run -- check x"),
        ("run check x", "run check x"),
        ("doctor --json", "doctor --json"),
        ("--no-keras --help", "--help"),
    ],
)
def test_commands_may_be_left_out(given, meant):
    commands = list(parser.subparsers(parser.parser()))
    assert main._with_command(given.split(), commands) == meant.split()


def test_scripts_may_be_called_like_commands(tmp_path):
    (tmp_path / "check").write_text("import sys, tensorflow\nprint(sys.argv[1:])")
    for arguments in (["./check", "--json"], ["run", "check", "--json"], ["--", "check", "--json"]):
        assert run(tmp_path, *arguments).stdout == "['--json']\n"


def test_help_is_shown_and_misspelt_commands_are_noticed(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 2 and "eagerflow doctor" in done.stderr
    done = run(tmp_path, "docter")
    assert done.returncode == 2 and "did you mean `eagerflow doctor`?" in done.stderr


@pytest.mark.parametrize("command", [["doctor"], ["check", __file__], ["completion", "bash"]])
def test_a_reader_may_end_early(command):
    words = [sys.executable, "-m", "eagerflow", *command]
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        words, stdout=write, stderr=subprocess.PIPE, text=True, env=environment, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_the_doctor_reports_as_text_and_as_json(tmp_path, monkeypatch):
    monkeypatch.setenv("EAGERFLOW_ISSA", "avx2")
    monkeypatch.setenv("KERAS_HOME", "/here")
    report = doctor.report()
    assert report["environment"]["KERAS_HOME"] == "/here"
    assert "does not read" in report["environment"]["EAGERFLOW_ISSA"]
    done = run(tmp_path, "doctor", "--json")
    assert json.loads(done.stdout).keys() == report.keys(), done.stderr
    text = run(tmp_path, "doctor").stdout
    assert re.findall(r"^(\S+)$", text, re.MULTILINE) == list(report)


@pytest.mark.parametrize("shell", parser.SHELLS)
def test_completion_scripts_are_accepted_by_their_shells(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(completion.script(shell, parser.parser()))
    done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["do"], ["doctor"]),
        (["run", "--g"], ["--generation"]),
        (["check", "--generation", ""], ["1.x", "2.x"]),
        (["completion", ""], list(parser.SHELLS)),
        (["run", "train.py", "--g"], []),
    ],
)
def test_bash_completes(words, offered, tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    script = completion.script("bash", parser.parser())
    script += f"COMP_WORDS=(eagerflow {' '.join(word or chr(39) * 2 for word in words)})\n"
    script += f"COMP_CWORD={len(words)}; compopt() {{ :; }}; _eagerflow\n"
    script += 'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == offered, done.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-c", "import tensorflow as tf, sys; print(int(tf.constant(1) + 1), sys.argv)", "a"], ""),
        (["-", "a"], "import tensorflow as tf, sys; print(int(tf.constant(1) + 1), sys.argv)"),
    ],
)
def test_a_program_that_is_no_file(arguments, text):
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"2 {[arguments[0], 'a']}\n", done.stderr


def test_options_of_python_are_passed_on():
    code = "import sys; print(sys.flags.optimize, sys.warnoptions, sys.flags.utf8_mode)"
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", "run", "-O", "-W", "error", "-Xutf8", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "1 ['error'] 1\n", done.stderr
