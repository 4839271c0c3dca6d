// Memory for the time of one kernel.
#pragma once

#include <cstddef>

namespace ef {

// Scratch memory from the caching allocator.
class Scratch {
 public:
  explicit Scratch(size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Rounds up the size of short-lived scratch memory beyond that of the blocks that threads cache,
// which would otherwise stay between larger blocks and fragment memory.
size_t passing_bytes(size_t bytes);

}  // namespace ef
