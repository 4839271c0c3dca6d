from eagerflow_compat.contrib.summary import summary_test_util as summary_test_util
from eagerflow.summary.writer import SummaryWriter as SummaryWriter
from eagerflow_compat.v1.step_summary import (
    all_summary_ops as all_summary_ops,
)
from eagerflow_compat.v1.step_summary import (
    always_record_summaries as always_record_summaries,
)
from eagerflow_compat.v1.step_summary import (
    audio as audio,
)
from eagerflow_compat.v1.step_summary import (
    create_file_writer as create_file_writer,
)
from eagerflow_compat.v1.step_summary import (
    flush as flush,
)
from eagerflow_compat.v1.step_summary import (
    generic as generic,
)
from eagerflow_compat.v1.step_summary import (
    graph as graph,
)
from eagerflow_compat.v1.step_summary import (
    histogram as histogram,
)
from eagerflow_compat.v1.step_summary import (
    image as image,
)
from eagerflow_compat.v1.step_summary import (
    initialize as initialize,
)
from eagerflow_compat.v1.step_summary import (
    never_record_summaries as never_record_summaries,
)
from eagerflow_compat.v1.step_summary import (
    record_summaries_every_n_global_steps as record_summaries_every_n_global_steps,
)
from eagerflow_compat.v1.step_summary import (
    scalar as scalar,
)
from eagerflow_compat.v1.step_summary import (
    should_record_summaries as should_record_summaries,
)
from eagerflow_compat.v1.step_summary import (
    summary_writer_initializer_op as summary_writer_initializer_op,
)

create_summary_file_writer = create_file_writer
