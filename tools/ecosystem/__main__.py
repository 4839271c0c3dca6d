"""Runs packages' own tests on eagerflow and on TensorFlow, and writes the counts into docs/ecosystem.md.

    python tools/ecosystem dm-sonnet                     # some packages, or all
    python tools/ecosystem dm-sonnet --files linear      # test files whose path contains a word
    python tools/ecosystem --tensorflow PYTHON           # the Python that has TensorFlow 2.21

What is installed, and the repositories that have the tests, lie in `.ecosystem/`. Both Pythons take a
package from there. TensorFlow's results are kept there, too, and asked for again with --again.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / ".ecosystem"
COUNTS = HERE / "counts.json"
PAGE = ROOT / "docs" / "ecosystem.md"
# So many test files share a process: importing a framework takes longer than most of them.
_BATCH = 12
_Results = dict[tuple[str, str], dict[str, Any]]


def prepare(name: str, package: dict[str, Any]) -> list[str]:
    """Installs a package and returns its test files, none where they cannot be had."""
    site = FOLDER / name / "packages"
    done = site / ".installed"
    wanted = "\n".join(package["install"])
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(site, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        for requirement in package["install"]:
            # One by one: packages that declare other versions of each other exclude nothing.
            command = [*pip, "--no-deps", "--upgrade", "--target", str(site), requirement]
            if subprocess.run(command, stderr=subprocess.PIPE, check=False).returncode:
                print(f"{name}: cannot install {requirement}")
                return []
        done.write_text(wanted)
    root = site
    if package["tests"].startswith("https:"):
        root = FOLDER / name / "source"
        if not root.exists() and not _clone(package, root):
            print(f"{name}: cannot clone {package['tests']}: is there a network?")
            return []
    elif package["tests"] != "package":
        root = Path(os.environ.get("PEERS", ROOT / "../shared/peer-tests"), package["tests"])
        if not root.exists():
            print(f"{name}: there are no tests in {root} (PEERS)")
            return []
    files = {path for pattern in package["files"] for path in root.glob(pattern)}
    files -= {path for pattern in package.get("without", []) for path in root.glob(pattern)}
    if root != site and not package.get(
        "in_place"
    ):  # Beside its repository a test would import the package from there.
        flat = FOLDER / name / "tests"
        shutil.rmtree(flat, ignore_errors=True)
        flat.mkdir()
        for path in package.get("beside", []):
            shutil.copy(root / path, flat)
        files = {_copy(path, root, flat, package.get("replace", {})) for path in files}
    return sorted(str(path.relative_to(FOLDER / name)) for path in files)


def _copy(path: Path, root: Path, flat: Path, replace: dict[str, str]) -> Path:
    """A test file as it is read by the package that is installed, in a folder without folders."""
    text = path.read_text()
    for pattern, replacement in replace.items():
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    copy = flat / "__".join(path.relative_to(root).parts)
    copy.write_text(text)
    return copy


def _clone(package: dict[str, Any], root: Path) -> bool:
    command = ["git", "clone", "--quiet", "--depth", "1", "--branch", package["revision"]]
    return not subprocess.run([*command, package["tests"], str(root)], check=False).returncode


def run(
    name: str,
    kept: Path,
    files: list[str],
    command: list[str],
    variables: dict[str, str],
    alone: Sequence[str] = (),
) -> _Results:
    """Runs the tests in these files, and returns all results that the file `kept` has then.

    Files whose names end like one of `alone` have a process of their own.
    """
    folder = FOLDER / name
    left = files
    results: _Results = {}
    while left:
        count = next((k for k, f in enumerate(left[:_BATCH]) if f.endswith(tuple(alone))), _BATCH)
        batch, left = left[: count or 1], left[count or 1 :]
        rows = _run_batch(folder, batch, command, variables)
        for row in rows:
            key = _key(row)
            if results.get(key, row)["outcome"] in ("begun", "passed", row["outcome"]):
                results[key] = row
        if rows and rows[-1]["outcome"] == "begun":  # The process has ended in this test.
            rows[-1] |= {"outcome": "failed", "text": "E  the process ended"}
            left = batch[batch.index(rows[-1]["file"]) + 1 :] + left
        _keep(kept, results)
        passed = sum(row["outcome"] == "passed" for row in results.values())
        print(f"{name}: {passed} of {len(results)} pass, {len(left)} files left", flush=True)
    return _keep(kept, results)


def _run_batch(
    folder: Path, batch: list[str], command: list[str], variables: dict[str, str]
) -> list[dict[str, Any]]:
    """What the plugin noted of the tests in some files."""
    noted = folder / f"noted-{os.getpid()}.jsonl"
    noted.write_text("")
    environment = os.environ | variables
    # Tests that lie in their repository take the package from there, and read files from its root.
    is_in_place = batch[0].startswith("source")
    paths = [folder / "source"] if is_in_place else []
    paths += [folder / "packages", HERE, *filter(None, [variables.get("PYTHONPATH")])]
    environment |= {
        "ECOSYSTEM_RESULTS": str(noted),
        "ECOSYSTEM_SECONDS": os.environ.get("TEST_SECONDS", "60"),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "MPLBACKEND": "Agg",
    }
    options = "-p plugin -p no:cacheprovider -p no:warnings -q --tb=native --import-mode=importlib"
    options += " --continue-on-collection-errors"
    options += f" -c /dev/null --rootdir={folder} --confcutdir={folder}"
    files = [str(folder / path) for path in batch]
    pytest = [*command, "-m", "pytest", *options.split(), *files]
    limit = float(os.environ.get("FILE_SECONDS", "300")) * len(batch)
    with open(folder / "log.txt", "a") as log:
        try:
            subprocess.run(
                pytest,
                cwd=folder / "source" if is_in_place else folder,
                env=environment,
                stdout=log,
                stderr=log,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            print("some files took too long")
    rows = [json.loads(line) for line in noted.read_text().splitlines()]
    noted.unlink()
    return rows


def _key(row: dict[str, Any]) -> tuple[str, str]:
    """The file and name of a test, without what depends on versions and processes.

    Some names have the path of Keras, or the addresses of functions.
    """
    name = row["test"].replace("tf_keras.api._v2.keras", "tensorflow.keras")
    return row["file"], re.sub(r"at0x[0-9a-f]{6,}", "", name)


def _keep(path: Path, results: _Results) -> _Results:
    """The results that a file keeps, with these instead of older ones."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    files = {file for file, _ in results}
    kept = {_key(row): row for row in rows if row["file"] not in files}
    kept |= results
    path.write_text("".join(json.dumps(row) + "\n" for row in kept.values()))
    return kept


def count(name: str, package: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """How many tests pass under TensorFlow, and here, of the files that both have run.

    Parts of which no file was run keep what was counted of them before.
    """
    ours = _keep(FOLDER / name / "here.jsonl", {})
    theirs = _keep(FOLDER / name / "tensorflow.jsonl", {})
    tried = {file for file, _ in ours} & {file for file, _ in theirs}

    def counts(files: set[str]) -> dict[str, int]:
        passing = {k for k, row in theirs.items() if k[0] in files and row["outcome"] == "passed"}
        here = sum(ours.get(key, {}).get("outcome") == "passed" for key in passing)
        return {"files": len(files), "tensorflow": len(passing), "here": here}

    counted = {"packages": package["install"][0].replace("==", " "), **counts(tried)}
    if "parts" in package:
        found = {part: {f for f in tried if f"__{part}__" in f} for part in package["parts"]}
        found["others"] = tried.difference(*found.values())
        parts = {part: counts(files) for part, files in found.items() if files}
        parts = before.get("parts", {}) | parts
        counted["parts"] = {part: parts[part] for part in found if part in parts}
        for key in ("files", "tensorflow", "here"):
            counted[key] = sum(part[key] for part in parts.values())
    return counted


def families(failures: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """The exceptions of failures, the commonest first."""
    lines = collections.Counter()
    for row in failures:
        errors = re.findall(
            r"^(?:E +)?([\w.]*(?:Error|Exception)\b.*)", row.get("text", ""), re.MULTILINE
        )
        lines[(errors or ["?", row.get("text", "").strip()[-160:]])[-1][:160]] += 1
    return lines.most_common()


def write_page(counts: dict[str, Any]) -> None:
    """Fills the table of docs/ecosystem.md."""
    order = list(tomllib.loads((HERE / "packages.toml").read_text()))
    lines = [
        "| package | test files | pass under TensorFlow 2.21 | of these pass here | |",
        "|---|--:|--:|--:|--:|",
    ]
    for name in sorted(counts, key=order.index):
        parts = counts[name].get("parts", {})
        rows = [counts[name], *({"packages": f"– {part}", **parts[part]} for part in parts)]
        for c in rows:
            share = f"{100 * c['here'] / c['tensorflow']:.1f}%" if c["tensorflow"] else ""
            lines.append(
                f"| {c['packages']} | {c['files']} | {c['tensorflow']:,} | {c['here']:,} | {share} |"
            )
    text = PAGE.read_text()
    begin, end = "<!-- counts -->\n", "<!-- end of counts -->"
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    PAGE.write_text(before + begin + "\n".join(lines) + "\n" + end + after)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--tensorflow", default=os.environ.get("TENSORFLOW_PYTHON"))
    parser.add_argument("--files", default="", help="only test files whose path contains this")
    parser.add_argument("--again", action="store_true", help="run TensorFlow's part again, too")
    parser.add_argument("--every", type=int, default=1, help="run only every nth test file")
    options = parser.parse_args()
    packages = tomllib.loads((HERE / "packages.toml").read_text())
    if unknown := set(options.packages) - set(packages):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(packages)}")
    if options.tensorflow is None:
        print(
            "There is no Python with TensorFlow (--tensorflow): what it has passed before counts."
        )
    counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    failed = False
    for name in options.packages or packages:
        package = packages[name]
        files = prepare(name, package)
        if not files:
            failed = True
            continue
        files = [path for path in files if options.files in path][:: options.every]
        variables = {"TF_USE_LEGACY_KERAS": "0" if name == "keras" else "1"}
        variables |= package.get("environment", {})
        shared = [str(FOLDER / name / "source" / path) for path in package.get("paths", ())]
        variables["PYTHONPATH"] = os.pathsep.join(shared)
        here = [sys.executable, "-m", "eagerflow", "--generation", "2.x"]
        if not package.get("keras", True):
            here.append("--no-keras")
        began = time.time()
        alone = package.get("alone", ())
        ours = run(name, FOLDER / name / "here.jsonl", files, here, variables, alone)
        print(f"{name}: {time.time() - began:.0f} s here")
        kept = FOLDER / name / "tensorflow.jsonl"
        known = {file for file, _ in _keep(kept, {})}
        fresh = files if options.again else [path for path in files if path not in known]
        if package.get("keras_2"):
            variables["ECOSYSTEM_KERAS_2"] = "1"
        if fresh and options.tensorflow:
            run(name, kept, fresh, [options.tensorflow], variables, alone)
        failures = [row for row in ours.values() if row["outcome"] == "failed"]
        for line, number in families([row for row in failures if row["file"] in files])[:20]:
            print(f"{number:6} {line}")
        counted = count(name, package, counts.get(name, {}))
        if counted["tensorflow"]:
            print(
                f"{name}: {counted['here']} of the {counted['tensorflow']} that pass under TensorFlow"
            )
            counts[name] = counted
        COUNTS.write_text(json.dumps(counts, indent=1) + "\n")
    write_page(counts)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
