// Who is told of memory that tensors allocate and free.
#pragma once

#include <atomic>
#include <cstddef>

namespace ef {

struct BufferWatch {
  void (*allocated)(const void* buffer, size_t bytes);
  void (*freed)(const void* buffer);
};

// Null: nobody. Buffers that were allocated meanwhile are reported when they are freed.
inline std::atomic<const BufferWatch*> buffer_watch{nullptr};

}  // namespace ef
