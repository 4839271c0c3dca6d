"""Unicode's normal forms, and strings without case."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

from eagerflow.ops.array import invalid_argument
from eagerflow.typing import TensorLike
from eagerflow_compat.text.pieces import changed

_FORMS = ("NFC", "NFKC", "NFD", "NFKD")
# The characters with Unicode's property Default_Ignorable_Code_Point.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def normalize_utf8(
    input: TensorLike, normalization_form: str = "NFKC", name: str | None = None
) -> Any:
    """Brings each string into one of Unicode's normal forms; invalid bytes stay.

    Args:
        input: strings of any shape, also ragged.
        normalization_form: "NFC", "NFKC", "NFD" or "NFKD".

    Raises:
        tf.errors.InvalidArgumentError: for another form.

    >>> from eagerflow_compat import text
    >>> text.normalize_utf8(["ＫＡ"]).numpy()
    array([b'KA'], dtype=object)
    """
    form = normalization_form.upper()
    if form not in _FORMS:
        raise invalid_argument(
            f"Offset not supported for this normalization form: {normalization_form}. "
            f"Use one of {', '.join(_FORMS)} [Op:NormalizeUTF8]"
        )
    return changed(functools.partial(_normalized, form), input, "NormalizeUTF8")


def _normalized(form: Any, data: bytes) -> bytes:
    if data.isascii():
        return data
    return unicodedata.normalize(form, data.decode("utf-8", "surrogateescape")).encode(
        "utf-8", "surrogateescape"
    )


def case_fold_utf8(input: TensorLike, name: str | None = None) -> Any:
    """Makes each string lower case, in the form NFKC: strings that differ only in case become the same.

    Args:
        input: strings of any shape, also ragged.

    >>> from eagerflow_compat import text
    >>> text.case_fold_utf8(["The Straße"]).numpy()
    array([b'the strasse'], dtype=object)
    """
    return changed(_folded, input, "CaseFoldUTF8")


def _folded(data: bytes) -> bytes:
    if data.isascii():
        return data.lower()
    text = unicodedata.normalize("NFD", data.decode("utf-8", "surrogateescape"))
    for _ in range(2):
        text = unicodedata.normalize("NFKC", _IGNORABLE.sub("", text).casefold())
    return text.encode("utf-8", "surrogateescape")
