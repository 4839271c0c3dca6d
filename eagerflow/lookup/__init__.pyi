from eagerflow.lookup import experimental as experimental
from eagerflow.lookup.tables import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
