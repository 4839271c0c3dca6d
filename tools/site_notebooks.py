"""Notebooks as pages of the site, with the outputs that they hold, and a gallery of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from jinja2 import DictLoader
from nbconvert import MarkdownExporter
from nbconvert.preprocessors import CoalesceStreamsPreprocessor

# Outputs stand in blocks of their own; nbconvert's template indents them like code of the program.
_TEMPLATE = """
{% extends 'markdown/index.md.j2' %}
{% block input %}
```python
{{ cell.source }}
```
{% endblock input %}
{%- block stream -%}
{{ block('text', output.text) }}
{%- endblock stream -%}
{%- block error -%}
{{ block('text', output.traceback | join('\\n')) }}
{%- endblock error -%}
{%- block data_text scoped -%}
{{ block('text', output.data['text/plain']) }}
{%- endblock data_text -%}
{%- block data_html scoped -%}
<div class="output">
{{ output.data['text/html'] }}
</div>
{%- endblock data_html -%}
"""


def _block(language: str, text: str) -> str:
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).rstrip("\n")
    return f"\n```{{.{language} .output}}\n{plain}\n```\n"


class Tutorial:
    """A notebook: its page in Markdown, the pictures on it, and what the gallery says of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notebook = nbformat.read(path, as_version=4)
        exporter = MarkdownExporter(
            template_file="tutorial.md.j2",
            extra_loaders=[DictLoader({"tutorial.md.j2": _TEMPLATE})],
        )
        exporter.environment.globals["block"] = _block
        # What one cell printed is one output, in which later progress bars replace earlier ones.
        exporter.register_preprocessor(CoalesceStreamsPreprocessor, enabled=True)
        text, resources = exporter.from_notebook_node(
            self.notebook, resources={"unique_key": path.stem}
        )
        self.pictures: dict[str, bytes] = resources["outputs"]
        heading = re.search(r"^# (.*)$", text, re.MULTILINE)
        self.title = heading[1] if heading else path.stem.replace("_", " ").capitalize()
        self.text = text if heading else f"# {self.title}\n\n{text}"
        first = re.search(r"^# .*\n+((?:[A-Za-z`*\[].*\n)+)", self.text, re.MULTILINE)
        self.summary = " ".join(first[1].split()) if first else ""

    @property
    def order(self) -> tuple[int, str]:
        """Where it stands in the gallery: by `order` in the notebook's metadata, then by name."""
        return self.notebook.metadata.get("order", 1000), self.path.stem

    def page(self) -> str:
        """The page, which begins with the notebook itself to be downloaded."""
        head, _, rest = self.text.partition("\n" * 2)
        download = f"[Download the notebook]({self.path.name}){{ .md-button download }}"
        return f"{head}\n\n{download}\n\n{rest}"

    def card(self) -> str:
        """Its place in the gallery."""
        picture = next((name for name in self.pictures if name.endswith((".png", ".svg"))), None)
        shown = f"    ![]({picture})\n\n" if picture else ""
        return f"-   **[{self.title}]({self.path.stem}.md)**\n\n{shown}    {self.summary}\n"


def tutorials(folder: Path) -> list[Tutorial]:
    """All notebooks of a folder, in the order of the gallery."""
    return sorted(map(Tutorial, folder.glob("*.ipynb")), key=lambda each: each.order)


def gallery(found: list[Tutorial], folder: str) -> str:
    """The page that shows them all."""
    cards = "\n".join(each.card() for each in found)
    return (
        "# Tutorials\n\n"
        f"Notebooks that run from the first cell to the last. They lie in `{folder}`; "
        "the pages show what they printed.\n\n"
        f'<div class="grid cards" markdown>\n\n{cards}\n</div>\n'
    )


def files(found: list[Tutorial], folder: str) -> Iterator[tuple[str, str | bytes]]:
    """The names and contents of all files of the gallery."""
    yield "index.md", gallery(found, folder)
    for each in found:
        yield f"{each.path.stem}.md", each.page()
        yield each.path.name, each.path.read_bytes()
        yield from each.pictures.items()
