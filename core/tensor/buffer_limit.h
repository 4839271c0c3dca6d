// A limit of the memory that a single tensor may take.
#pragma once

#include <cstddef>

namespace ef {

// The most bytes that a buffer of this thread may have from now on; gives what it was. Blocks that
// come from free lists are too small to be asked.
size_t set_buffer_limit(size_t bytes);

}  // namespace ef
