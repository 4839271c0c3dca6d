// Python's garbage collector and the memory of tensors.
#pragma once

namespace ef::py {

// Until Python shuts down, garbage is collected whenever the allocated memory has doubled. The
// collector counts objects, not their memory: a few cycles of objects, as in every model, may hold
// gigabytes.
void collect_garbage_on_growth();

}  // namespace ef::py
