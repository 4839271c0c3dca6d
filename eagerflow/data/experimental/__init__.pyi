from eagerflow.data.arguments import AUTOTUNE as AUTOTUNE, INFINITE, UNKNOWN
from eagerflow.data.csv_files import CsvDataset as CsvDataset
from eagerflow.data.experimental.examples import (
    make_batched_features_dataset as make_batched_features_dataset,
    parse_example_dataset as parse_example_dataset,
)
from eagerflow.data.experimental.functions import (
    assert_cardinality as assert_cardinality,
    at as at,
    bucket_by_sequence_length as bucket_by_sequence_length,
    cardinality as cardinality,
    choose_from_datasets as choose_from_datasets,
    copy_to_device as copy_to_device,
    Counter as Counter,
    dense_to_ragged_batch as dense_to_ragged_batch,
    dense_to_sparse_batch as dense_to_sparse_batch,
    enable_debug_mode as enable_debug_mode,
    enumerate_dataset as enumerate_dataset,
    from_list as from_list,
    from_variant as from_variant,
    get_single_element as get_single_element,
    get_structure as get_structure,
    group_by_reducer as group_by_reducer,
    group_by_window as group_by_window,
    ignore_errors as ignore_errors,
    load as load,
    make_saveable_from_iterator as make_saveable_from_iterator,
    map_and_batch as map_and_batch,
    pad_to_cardinality as pad_to_cardinality,
    parallel_interleave as parallel_interleave,
    prefetch_to_device as prefetch_to_device,
    rejection_resample as rejection_resample,
    sample_from_datasets as sample_from_datasets,
    save as save,
    scan as scan,
    SHARD_HINT as SHARD_HINT,
    shuffle_and_repeat as shuffle_and_repeat,
    snapshot as snapshot,
    take_while as take_while,
    to_variant as to_variant,
    unbatch as unbatch,
    unique as unique,
)
from eagerflow.data.experimental.lookup_sources import (
    DatasetInitializer as DatasetInitializer,
    index_table_from_dataset as index_table_from_dataset,
    table_from_dataset as table_from_dataset,
)
from eagerflow.data.experimental.reducing import Reducer as Reducer
from eagerflow.data.experimental.sql import SqlDataset as SqlDataset
from eagerflow.data.experimental.tables import make_csv_dataset as make_csv_dataset
from eagerflow.data.experimental.writing import TFRecordWriter as TFRecordWriter
from eagerflow.data.iterator import (
    get_next_as_optional as get_next_as_optional,
    Optional as Optional,
)
from eagerflow.data.options import (
    AutoShardPolicy as AutoShardPolicy,
    AutotuneAlgorithm as AutotuneAlgorithm,
    AutotuneOptions as AutotuneOptions,
    DistributeOptions as DistributeOptions,
    ExternalStatePolicy as ExternalStatePolicy,
    OptimizationOptions as OptimizationOptions,
    ServiceOptions as ServiceOptions,
    ThreadingOptions as ThreadingOptions,
)
from eagerflow.data.random_source import RandomDataset as RandomDataset

INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN
