"""What MkDocs cannot read by itself: the API reference, tutorials, and pages outside of `docs/`.

A hook of MkDocs (`mkdocs.yml`). The reference is written from the package as it runs, since public names
are imported when they are first used, and many functions are native: each namespace has a page, each name
stands on the page of one namespace, and other namespaces link to it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from site_links import Names
from site_notebooks import Tutorial, tutorials
from site_notebooks import files as tutorial_files

import eagerflow as tf

ROOT = Path(__file__).resolve().parent.parent
# Pages of the repository's folder, and what they are called here.
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
NEWS = re.compile(r"^<!-- news.*-->$", re.MULTILINE)
NOTEBOOKS = "examples/notebooks/"
# Each name stands on the page of the first namespace that has it.
NAMESPACES = """
keras.layers keras.losses keras.metrics keras.optimizers keras.optimizers.schedules keras.callbacks
keras.activations keras.initializers keras.regularizers keras.constraints keras.models keras.utils
keras.applications keras.datasets keras.backend keras.mixed_precision keras.preprocessing.image
keras.preprocessing.sequence keras.preprocessing.text keras.ops keras
data data.experimental nn math linalg image strings signal audio sparse ragged sets random bitwise
debugging debug dtypes io io.gfile lookup saved_model train summary feature_column autograph autodiff func
distribute config experimental experimental.numpy profiler.experimental nest errors test types version
quantization
""".split()
# Namespaces that repeat names of others: the search ranks them lower.
SECOND = frozenset(["experimental.numpy", "keras.backend", "keras.ops"])
# Classes whose methods are shown in full.
IN_FULL = frozenset(
    "GradientTape Dataset Model Layer Optimizer Module Variable Checkpoint CheckpointManager Generator "
    "Sequential Tensor".split()
)
# Arguments with the same meaning everywhere: docstrings mention them only if they mean more.
COMMON = {
    "name": "what the operation or object is called in graphs; it changes no result.",
    **dict.fromkeys(
        "a_is_sparse acceptable_fraction aggregate_to_topk allow_fast_lookup allowed_batch_sizes "
        "b_is_sparse back_prop batch_timeout_micros buffer_output_elements caching_device "
        "cluster_device_filters colocate_with_first_write_call compile_ops coordinator_address "
        "coordinator_name credentials critical_section_def discovery_url enable_large_batch_splitting "
        "example_name example_names exclusive_resource_access execution_mode expected_shape "
        "experimental_enable_variable_lifting experimental_is_anonymous flow graph_parents "
        "import_scope initial_num_buckets input_buffer_size input_size layout "
        "make_master_device_default max_enqueued_batches mesh num_batch_threads num_packs "
        "output_classes parallel_iterations path_length_limit perturb_singular "
        "prefetch_input_elements project protocol random_seed reduction_input_size_override "
        "run_metadata sanitize save_debug_info separate_compiled_gradients service shared_name "
        "sorted_input stack_height_limit store_memory_usage store_trace support_partition swap_memory "
        "synchronous tensor_array_name tile_size use_cudnn_on_gpu use_locking "
        "use_unbounded_threadpool var_policy warn".split(),
        "accepted for TensorFlow's programs; without effect.",
    ),
}
_SECTIONS = ("Args", "Raises", "Returns", "Yields", "Attributes")
_SECTION = re.compile(rf"^({'|'.join(_SECTIONS)}):\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)
_ITEM = re.compile(r"^(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): (.*)$", re.DOTALL)
_EXAMPLE = re.compile(r"(?:^(?:>>>|\.\.\.) ?.*\n(?:(?!>>>|\s*$).+\n)*)+", re.MULTILINE)
_FOREIGN = re.compile(
    r"<(?:script|img|iframe|source|video)\b[^>]*\bsrc=[\"']?(?:https?:)?//[^>]*>"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|icon|preload|preconnect))[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>"
)
_ANNOTATION_QUOTES = re.compile(r"(?<=: )'([^']*)'(?=[,) =])|(?<=-> )'([^']*)'")


class Site:
    """What the hooks have in common during one build."""

    tutorials: list[Tutorial]
    names: Names


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fills in the lists of the navigation, and leaves pages out that nobody has written yet."""
    Site.tutorials = tutorials(ROOT / NOTEBOOKS)
    config.nav = list(_existing(config.nav or [], Path(config.docs_dir)))
    if not config.site_url:
        config.extra.pop("version", None)  # a site that is not published has no others beside it
    return config


def _existing(items: list[Any], docs: Path) -> Iterator[Any]:
    for item in items:
        ((title, target),) = item.items()
        if isinstance(target, list):
            yield {title: list(_existing(target, docs))}
        elif (docs / target).is_file() or target in OUTSIDE.values():
            yield item
        elif target == "api":
            yield {title: [{"Namespaces": "api/index.md"}, *_reference()]}
        elif target == "tutorials":
            pages = [
                {each.title.replace("`", ""): f"tutorials/{each.path.stem}.md"}
                for each in Site.tutorials
            ]
            yield {title: [{"Gallery": "tutorials/index.md"}, *pages]}


def _reference() -> list[dict[str, str]]:
    return [{_title(name): f"api/{name}.md"} for name in ["tf", *sorted(NAMESPACES)]]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the reference, the tutorials, and the pages outside of `docs/`."""
    for source, name in OUTSIDE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/", "](", text)
        files.append(File.generated(config, name, content=text))
    pages = reference_pages()
    Site.names = Names(pages)
    for name, text in pages.items():
        files.append(File.generated(config, f"api/{name}.md", content=text))
    for name, content in tutorial_files(Site.tutorials, NOTEBOOKS):
        files.append(File.generated(config, f"tutorials/{name}", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links that leave `docs/` into links to pages of the site, and names of the API into links."""
    markdown = markdown.replace("](../README.md)", "](index.md)")
    for source, name in OUTSIDE.items():
        markdown = markdown.replace(f"](../{source})", f"]({name})").replace(
            f"]({source})", f"]({name})"
        )
    if NEWS.search(markdown):
        markdown = NEWS.sub(_highlights(), markdown)
    page.meta.setdefault("description", _description(markdown))
    page.edit_url = _edit_url(page, config)
    return Site.names.linked(markdown, page.file.src_uri)


def _highlights() -> str:
    """What the changelog says first of the newest version that has highlights."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^### Highlights\n\n(.*?)(?=^##)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def _edit_url(page: Page, config: MkDocsConfig) -> str | None:
    """Where the text of a page can be changed, if the repository is known and one file has it."""
    name = page.file.src_uri
    sources = {name: source for source, name in OUTSIDE.items()}
    sources |= {
        f"tutorials/{each.path.stem}.md": NOTEBOOKS + each.path.name for each in Site.tutorials
    }
    source = sources.get(name) if page.file.generated_by else f"docs/{name}"
    return (
        f"{config.repo_url.rstrip('/')}/edit/main/{source}" if config.repo_url and source else None
    )


def _description(markdown: str) -> str:
    """The first paragraph, without its markup, for search engines and previews of links."""
    for paragraph in re.sub(r"^```.*?^```$", "", markdown, flags=re.M | re.S).split("\n\n"):
        if re.match(r"[A-Za-z`*]", paragraph):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", lambda found: found[1] or "", paragraph)
            return textwrap.shorten(text, 200, placeholder=" …")
    return ""


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuses pages that load something from other hosts: readers are nobody else's business."""
    found = _FOREIGN.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} loads from another host: {found[0]}")
    return output


def _title(name: str) -> str:
    return "tf" if name == "tf" else f"tf.{name}"


def _namespace(name: str) -> Any:
    value: Any = tf
    for part in name.split("."):
        value = value if part == "tf" else getattr(value, part)
    return value


def _public(namespace: Any) -> list[str]:
    return sorted((name for name in dir(namespace) if not name.startswith("_")), key=str.lower)


def reference_pages() -> dict[str, str]:
    """The pages of the reference in Markdown, by their names."""
    home: dict[int, tuple[str, str]] = {}
    entries: dict[str, list[tuple[str, Any]]] = {}
    for namespace in [*NAMESPACES, "tf"]:
        module = _namespace(namespace)
        entries[namespace] = []
        for name in _public(module):
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                continue
            entries[namespace].append((name, value))
            if callable(value):
                home.setdefault(id(value), (namespace, name))
    pages = {
        namespace: "\n".join(_page(namespace, values, home))
        for namespace, values in entries.items()
    }
    lines = ["# API reference", "", "`import eagerflow as tf`, or `import tensorflow as tf` under"]
    lines += ["`python -m eagerflow`. [Coverage](../coverage.md) compares with TensorFlow.", ""]
    lines += ["| namespace | | names |", "|---|---|---:|"]
    for namespace in ["tf", *sorted(NAMESPACES)]:
        summary = (
            _about(_namespace(namespace))
            if namespace != "tf"
            else "The names that most programs use."
        )
        lines.append(
            f"| [`{_title(namespace)}`]({namespace}.md) | {summary} | {len(entries[namespace])} |"
        )
    pages["index"] = "\n".join(lines) + "\n"
    return pages


def _summary(value: Any) -> str:
    text = (inspect.getdoc(value) or "").strip()
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


def _about(namespace: Any) -> str:
    """What a namespace says of itself, which stands beside its name."""
    text = re.sub(r"^(?:tf|eagerflow|keras)[\w.]*: ", "", _summary(namespace))
    return text[:1].upper() + text[1:]


def _page(
    namespace: str, values: list[tuple[str, Any]], home: dict[int, tuple[str, str]]
) -> Iterator[str]:
    module = _namespace(namespace)
    if namespace in SECOND:
        yield "---\nsearch:\n  boost: 0.5\n---\n"
    yield f"# {_title(namespace)}\n"
    if namespace != "tf":
        yield _about(module) + "\n"
    yield "| name | |\n|---|---|"
    for name, value in values:
        where, other = home.get(id(value), (namespace, name))
        anchor = other.lower() if (where, other) == (namespace, name) else ""
        target = f"#{_anchor(namespace, name)}" if anchor else f"{where}.md#{_anchor(where, other)}"
        text = _summary(value) if callable(value) else f"`{_short(value)}`"
        yield f"| [`{name}`]({target}) | {text} |" if callable(value) else f"| `{name}` | {text} |"
    yield ""
    for name, value in values:
        if callable(value) and home[id(value)] == (namespace, name):
            yield from _entry(namespace, name, value)


def _anchor(namespace: str, name: str) -> str:
    return f"{_title(namespace)}.{name}"


def _short(value: Any) -> str:
    text = repr(value).replace("`", "'").replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= 60 else text[:57] + "..."


def _signature(name: str, value: Any) -> str:
    try:
        shown = str(inspect.signature(value))
    except (TypeError, ValueError):
        return name
    shown = _ANNOTATION_QUOTES.sub(lambda m: m[1] or m[2] or m[0], shown)
    shown = re.sub(r"\bAny\b", "object", shown).replace(": object", "").replace(" -> None", "")
    shown = re.sub(r"^\(self(?:, )?", "(", shown)
    if len(name + shown) > 88:
        parts = re.split(r", (?![^\[(]*[\])])", shown[shown.index("(") + 1 : shown.rindex(")")])
        after = shown[shown.rindex(")") + 1 :]
        shown = "(\n" + "".join(f"    {part},\n" for part in parts) + f"){after}"
    return name + shown


def _entry(namespace: str, name: str, value: Any, level: int = 2, owner: str = "") -> Iterator[str]:
    path = f"{owner}.{name}" if owner else _anchor(namespace, name)
    shown = f"{owner.rpartition('.')[2]}.{name}" if owner else path
    yield f"{'#' * level} {name} {{ #{path} }}\n"
    is_type = isinstance(value, type)
    yield f"```python\n{'class ' if is_type else ''}{_signature(shown, value)}\n```\n"
    yield from _text(_with_common(inspect.getdoc(value) or "", shown, value))
    if is_type and level == 2:
        yield from _members(namespace, path, name, value)


def _members(namespace: str, path: str, name: str, cls: type) -> Iterator[str]:
    members = []
    for base in cls.__mro__ if name in IN_FULL else [cls]:
        if (base.__module__ or "").split(".")[0] not in ("eagerflow", "tensorflow"):
            continue
        for member, value in vars(base).items():
            value = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            documented = inspect.getdoc(value) if not isinstance(value, int | str) else None
            if not member.startswith("_") and documented and member not in dict(members):
                members.append((member, value))
    if not members:
        return
    if name in IN_FULL:
        for member, value in sorted(members, key=lambda item: item[0]):
            yield from _entry(namespace, member, value, 3, path)
        return
    yield "| member | |\n|---|---|"
    for member, value in sorted(members, key=lambda item: item[0]):
        yield f"| `{member}` | {_summary(value)} |"
    yield ""


def _with_common(text: str, name: str, value: Any) -> str:
    """A docstring that also describes the common arguments, if it describes arguments at all."""
    section = next((found for found in _SECTION.finditer(text + "\n") if found[1] == "Args"), None)
    if section is None:
        return text
    parameters = re.findall(r"(?<=[(\s])(\w+)(?=[:=,)])", _signature(name, value))
    described = section[2].rstrip("\n")
    added = [
        f"\n    {each}: {COMMON[each]}"
        for each in parameters
        if each in COMMON and not re.search(rf"^    {each}: ", described, re.MULTILINE)
    ]
    at = section.start(2) + len(described)
    return text[:at] + "".join(added) + text[at:]


def _text(text: str) -> Iterator[str]:
    """A docstring as Markdown: its sections as lists, its examples as code."""
    position = 0
    text += "\n"
    for section in _SECTION.finditer(text):
        yield _prose(text[position : section.start()])
        yield f"**{section[1]}**\n"
        body = textwrap.dedent(section[2]).strip("\n")
        items = re.split(r"\n(?=\S)", body)
        if section[1] in ("Returns", "Yields") or not all(_ITEM.match(item) for item in items):
            yield _prose(body + "\n")
        else:
            for item in items:
                found = _ITEM.match(item)
                assert found is not None
                yield f"- `{found[1]}`: {' '.join(found[2].split())}"
            yield ""
        position = section.end()
    yield _prose(text[position:])


def _prose(text: str) -> str:
    parts = _EXAMPLE.split(text)
    examples = _EXAMPLE.findall(text)
    out = []
    for i, part in enumerate(parts):
        # What stands indented is laid out by hand, and angle brackets are no HTML.
        out.append(part.replace("<", "&lt;") if "`" not in part else _outside_code(part))
        if i < len(examples):
            out.append(f"\n```pycon\n{examples[i].rstrip()}\n```\n")
    return "".join(out)


def _outside_code(text: str) -> str:
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;") for p in pieces)
