from eagerflow_compat.v1.summary import merge, merge_all
from eagerflow_compat.v1.zero.summaries import (
    audio_summary as audio_summary,
    histogram_summary as histogram_summary,
    image_summary as image_summary,
    scalar_summary as scalar_summary,
)

merge_summary = merge
merge_all_summaries = merge_all
