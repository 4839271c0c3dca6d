// A limit of the memory of a single tensor.
#pragma once

#include <cstddef>

namespace ef {

// Sets the largest size of a buffer of this thread in bytes; returns the previous limit. Blocks
// from free lists are too small to be checked.
size_t set_buffer_limit(size_t bytes);
// Whether this thread has one.
bool buffers_are_limited();

}  // namespace ef
