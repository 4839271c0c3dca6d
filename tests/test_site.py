"""The site: its navigation, links from names to the reference, and notebooks as pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
REFERENCE = {
    "nn": "# tf.nn\n\n| name | |\n|---|---|\n| [`relu`](#tf.nn.relu) | Positive parts. |\n\n"
    "## relu { #tf.nn.relu }\n",
    "tf": "| [`nn_relu`](nn.md#tf.nn.relu) | Positive parts. |\n\n## Tape { #tf.Tape }\n\n"
    "### watch { #tf.Tape.watch }\n",
}


@pytest.fixture
def names(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from site_links import Names

    return Names(REFERENCE)


@pytest.mark.parametrize(
    ("code", "target"),
    [
        ("tf.nn.relu", "api/nn.md#tf.nn.relu"),
        ("nn.relu(x, [1])", "api/nn.md#tf.nn.relu"),
        ("eagerflow.nn.relu", "api/nn.md#tf.nn.relu"),
        ("tf.nn_relu", "api/nn.md#tf.nn.relu"),
        ("tf.Tape.watch", "api/tf.md#tf.Tape.watch"),
        ("tf.Tape.other", "api/tf.md#tf.Tape"),
        ("@tf.Tape", "api/tf.md#tf.Tape"),
        ("tf.nn", "api/nn.md"),
        ("tf.nn.unknown", None),
        ("relu", None),
        ("x = tf.nn.relu(x)", None),
    ],
)
def test_names_lead_to_their_entries(names, code, target):
    assert names.target(code) == target


def test_only_code_spans_of_the_text_become_links(names):
    text = (
        "## `tf.nn.relu`\n\nSee `tf.nn.relu` and [`tf.Tape`](x.md).\n\n```python\n`tf.Tape`\n```\n\n"
        "| `tf.Tape()` | `x` |\n"
    )
    assert names.linked(text, "design/a.md") == text.replace(
        "See `tf.nn.relu`", "See [`tf.nn.relu`](../api/nn.md#tf.nn.relu)"
    ).replace("| `tf.Tape()`", "| [`tf.Tape()`](../api/tf.md#tf.Tape)")


def test_every_page_is_in_the_navigation():
    navigation = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    docs = ROOT / "docs"
    assert {str(path.relative_to(docs)) for path in docs.rglob("*.md")} <= navigation


def test_notebooks_become_pages_with_their_outputs(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbconvert")
    import site_notebooks

    cells = nbformat.v4
    picture = {"image/png": "aGVsbG8=", "text/plain": "<Figure>"}
    for order, name in enumerate(["second", "first"]):
        code = cells.new_code_cell("1 + 1")
        code.outputs = [
            cells.new_output("execute_result", {"text/plain": "2"}),
            cells.new_output("stream", text="\x1b[31mred\x1b[0m\n1 of 2"),
            cells.new_output("stream", text="\b\b\b\b\b\b\r2 of 2\n"),
            cells.new_output("display_data", {"text/html": "<b>bold</b>", "text/plain": "bold"}),
            cells.new_output("display_data", picture),
        ]
        notebook = cells.new_notebook(
            cells=[cells.new_markdown_cell(f"# The {name}\n\nOne sentence\nhere."), code],
            metadata={"order": 1 - order},
        )
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    found = site_notebooks.tutorials(tmp_path)
    assert [each.title for each in found] == ["The first", "The second"]
    files = dict(site_notebooks.files(found, "folder/"))
    assert files.keys() >= {"index.md", "first.md", "first.ipynb", "second.md"}
    page = files["first.md"]
    assert (
        "```python\n1 + 1\n```" in page and "\nred\n2 of 2\n```" in page and "<b>bold</b>" in page
    )
    (picture_name,) = found[0].pictures
    assert f"]({picture_name})" in page and files[picture_name] == b"hello"
    assert "**[The first](first.md)**" in files["index.md"]
    assert "One sentence here." in files["index.md"]
