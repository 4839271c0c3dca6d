"""What to use instead of names of tensorflow-text that are not provided."""

import difflib

from eagerflow.util import lazy

_INSTEAD = {
    "FastBertNormalizer": "normalize_utf8 and case_fold_utf8",
    "FastSentencepieceTokenizer": "SentencepieceTokenizer",
    "HubModuleSplitter": "tensorflow_hub's KerasLayer",
    "HubModuleTokenizer": "tensorflow_hub's KerasLayer",
    "PhraseTokenizer": "WordpieceTokenizer",
    "FastBertTokenizer": "BertTokenizer",
    "FastWordpieceTokenizer": "WordpieceTokenizer",
    "SplitMergeFromLogitsTokenizer": "tf.strings.unicode_split, and tf.strings.reduce_join by labels",
    "SplitMergeTokenizer": "tf.strings.unicode_split, and tf.strings.reduce_join by labels",
    "StateBasedSentenceBreaker": "RegexSplitter with the ends of sentences as its pattern",
    "sentence_fragments": "RegexSplitter with the ends of sentences as its pattern",
    "utf8_binarize": "tf.strings.unicode_decode and tf.bitwise",
    "wordshape": "tf.strings.regex_full_match",
    "WordShape": "tf.strings.regex_full_match",
    "max_spanning_tree": "networkx's maximum_spanning_arborescence in tf.py_function",
    "greedy_constrained_sequence": "tf.argmax of the scores plus the weights of transitions",
    "viterbi_constrained_sequence": "tf.contrib.crf's crf_decode",
}


def message(name: str) -> str:
    """What an error says about a name that this module does not have.

    >>> from eagerflow_compat.text import absent
    >>> absent.message("PhraseTokenizer")
    "eagerflow's tensorflow_text has no PhraseTokenizer. Use WordpieceTokenizer"
    """
    names = list(lazy.origins("eagerflow_compat.text"))
    near = difflib.get_close_matches(name, names, 1)
    instead = _INSTEAD.get(name) or (near[0] if near else None)
    use = f"Use {instead}" if instead else f"It has {', '.join(sorted(names))}"
    return f"eagerflow's tensorflow_text has no {name}. {use}"
