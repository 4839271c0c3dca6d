#include "device/scratch.h"

#include <algorithm>

#include "device/allocator.h"
#include "tensor/error.h"

namespace ef {

Scratch::Scratch(size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_ = pool_allocate(bytes);
  if (!data_) {
    fail(Code::kResourceExhausted, "no memory for ", bytes, " bytes of scratch space");
  }
}

Scratch::~Scratch() {
  if (data_) pool_deallocate(data_, bytes_);
}

size_t passing_bytes(size_t bytes) { return bytes == 0 ? 0 : std::max(bytes, kLargeBlock + 1); }

}  // namespace ef
