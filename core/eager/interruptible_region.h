// Kernels that signals may interrupt.
#pragma once

#include <optional>

#include "device/parallel.h"
#include "eager/dispatch.h"

namespace ef {

// A KernelRegion whose loops signals may interrupt if the kernel is expected to take long. Only for
// kernels that write nothing but their results: a partly updated variable would be corrupt.
class InterruptibleRegion {
 public:
  explicit InterruptibleRegion(double nanoseconds) : region_(nanoseconds) {
    if (nanoseconds > 20e6 && region_.state()) {
      interruptible_.emplace(blocking_hooks.check, region_.state());
    }
  }

 private:
  const KernelRegion region_;
  std::optional<Interruptible> interruptible_;
};

}  // namespace ef
