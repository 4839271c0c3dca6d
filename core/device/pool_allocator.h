// The caching allocator for containers.
#pragma once

#include <cstddef>
#include <new>

#include "device/allocator.h"

namespace ef {

// For containers that grow large and are read all over: large blocks lie in huge pages.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>& /*other*/) {}

  T* allocate(size_t count) {
    void* const block = pool_allocate(count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t count) { pool_deallocate(block, count * sizeof(T)); }

  friend bool operator==(const PoolAllocator& /*a*/, const PoolAllocator& /*b*/) { return true; }
};

}  // namespace ef
