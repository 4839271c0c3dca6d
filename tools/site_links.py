"""Links from names in code spans to the entries of the reference that describe them."""

from __future__ import annotations

import posixpath
import re

# A heading of an entry, and the line of a name in the table of a namespace.
_ENTRY = re.compile(r"^#+ \S+ \{ #tf\.(\S+) \}$", re.MULTILINE)
_LISTED = re.compile(r"^\| \[`(\w+)`\]\((\S*?)#(\S+)\) \|", re.MULTILINE)
# Code blocks, headings and links are passed over; the last alternative is a code span.
_SPAN = re.compile(
    r"^(?P<indent> *)(?P<fence>```+).*?^(?P=indent)(?P=fence)[ ]*$"
    r"|^#.*?$"
    r"|\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^()\s]*\)"
    r"|(?P<ticks>`+)(?P<code>[^`\n]+)(?P=ticks)",
    re.MULTILINE | re.DOTALL,
)
# A name by itself, decorating, or called.
_NAME = re.compile(r"@?(?:(tf|eagerflow)\.)?([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:\(.*\))?")


class Names:
    """Where the reference describes each public name."""

    def __init__(self, pages: dict[str, str]) -> None:
        """`pages` are the reference's pages in Markdown, by their namespaces."""
        self._targets = {
            namespace: f"api/{namespace}.md" for namespace in pages if namespace != "tf"
        }
        self._namespaces = {name.partition(".")[0] for name in self._targets}
        for namespace, text in pages.items():
            for name in _ENTRY.findall(text):
                self._targets[name] = f"api/{namespace}.md#tf.{name}"
            prefix = "" if namespace == "tf" else f"{namespace}."
            for name, page, anchor in _LISTED.findall(text):
                self._targets.setdefault(prefix + name, f"api/{page or f'{namespace}.md'}#{anchor}")

    def target(self, code: str) -> str | None:
        """The page and anchor for what a code span says, or None: `tf.exp`, `tf.exp(x)`, `keras.Model`."""
        found = _NAME.fullmatch(code.strip())
        if found is None:
            return None
        prefix, name = found.groups()
        if prefix is None and ("." not in name or name.partition(".")[0] not in self._namespaces):
            return None
        owner, _, member = name.rpartition(".")
        target = self._targets.get(name)
        if target is None and member and owner[owner.rfind(".") + 1 :][:1].isupper():
            target = self._targets.get(owner)  # a method that the table of its class lists
        return target

    def linked(self, markdown: str, page: str) -> str:
        """The text of a page in which code spans with public names are links."""

        def link(found: re.Match[str]) -> str:
            target = self.target(found["code"]) if found["code"] else None
            if target is None:
                return found[0]
            return f"[{found[0]}]({posixpath.relpath(target, posixpath.dirname(page) or '.')})"

        return _SPAN.sub(link, markdown)
