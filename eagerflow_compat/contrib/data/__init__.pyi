from eagerflow.data.experimental import (
    AUTOTUNE as AUTOTUNE,
)
from eagerflow.data.experimental import (
    Counter as Counter,
)
from eagerflow.data.experimental import (
    CsvDataset as CsvDataset,
)
from eagerflow.data.experimental import (
    Optional as Optional,
)
from eagerflow.data.experimental import (
    RandomDataset as RandomDataset,
)
from eagerflow.data.experimental import (
    Reducer as Reducer,
)
from eagerflow.data.experimental import (
    SqlDataset as SqlDataset,
)
from eagerflow.data.experimental import (
    TFRecordWriter as TFRecordWriter,
)
from eagerflow.data.experimental import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from eagerflow.data.experimental import (
    choose_from_datasets as choose_from_datasets,
)
from eagerflow.data.experimental import (
    copy_to_device as copy_to_device,
)
from eagerflow.data.experimental import (
    dense_to_sparse_batch as dense_to_sparse_batch,
)
from eagerflow.data.experimental import (
    enumerate_dataset as enumerate_dataset,
)
from eagerflow.data.experimental import (
    get_next_as_optional as get_next_as_optional,
)
from eagerflow.data.experimental import (
    get_single_element as get_single_element,
)
from eagerflow.data.experimental import (
    group_by_reducer as group_by_reducer,
)
from eagerflow.data.experimental import (
    group_by_window as group_by_window,
)
from eagerflow.data.experimental import (
    ignore_errors as ignore_errors,
)
from eagerflow.data.experimental import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from eagerflow.data.experimental import (
    make_csv_dataset as make_csv_dataset,
)
from eagerflow.data.experimental import (
    make_saveable_from_iterator as make_saveable_from_iterator,
)
from eagerflow.data.experimental import (
    map_and_batch as map_and_batch,
)
from eagerflow.data.experimental import (
    parallel_interleave as parallel_interleave,
)
from eagerflow.data.experimental import (
    parse_example_dataset as parse_example_dataset,
)
from eagerflow.data.experimental import (
    prefetch_to_device as prefetch_to_device,
)
from eagerflow.data.experimental import (
    rejection_resample as rejection_resample,
)
from eagerflow.data.experimental import (
    sample_from_datasets as sample_from_datasets,
)
from eagerflow.data.experimental import (
    scan as scan,
)
from eagerflow.data.experimental import (
    shuffle_and_repeat as shuffle_and_repeat,
)
from eagerflow.data.experimental import (
    unbatch as unbatch,
)
from eagerflow.data.experimental import (
    unique as unique,
)
from eagerflow_compat.contrib.data.batches import (
    assert_element_shape as assert_element_shape,
)
from eagerflow_compat.contrib.data.batches import (
    batch_and_drop_remainder as batch_and_drop_remainder,
)
from eagerflow_compat.contrib.data.batches import (
    padded_batch_and_drop_remainder as padded_batch_and_drop_remainder,
)
from eagerflow_compat.contrib.data.batches import (
    reduce_dataset as reduce_dataset,
)
from eagerflow_compat.contrib.data.batches import (
    sliding_window_batch as sliding_window_batch,
)
from eagerflow_compat.contrib.data.batches import (
    read_batch_features as read_batch_features,
)
from eagerflow_compat.contrib.data.batches import (
    sloppy_interleave as sloppy_interleave,
)
from eagerflow_compat.v1.data import (
    Dataset as Dataset,
)
from eagerflow_compat.v1.data import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
)
from eagerflow_compat.v1.data import (
    Iterator as Iterator,
)
from eagerflow_compat.v1.data import (
    TextLineDataset as TextLineDataset,
)
from eagerflow_compat.v1.data import (
    TFRecordDataset as TFRecordDataset,
)
