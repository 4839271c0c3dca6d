from eagerflow_compat.contrib.learn.preprocessing.categories import (
    CategoricalProcessor as CategoricalProcessor,
    CategoricalVocabulary as CategoricalVocabulary,
)
from eagerflow_compat.contrib.learn.preprocessing.text import (
    ByteProcessor as ByteProcessor,
    VocabularyProcessor as VocabularyProcessor,
    tokenizer as tokenizer,
)
