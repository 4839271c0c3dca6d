// Python's garbage collector and the memory of tensors.
#pragma once

namespace ef::py {

// From now on until Python shuts down, memory that has doubled has Python collect garbage. The
// collector counts objects, not what they hold: a few cycles of objects, which every model is, can
// keep gigabytes.
void collect_garbage_on_growth();

}  // namespace ef::py
