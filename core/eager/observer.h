// Observers of operations, for tools that trace or check a program.
#pragma once

#include <span>
#include <vector>

#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace ef {

class Observer {
 public:
  virtual ~Observer() = default;
  // Called after an operation, before anything else uses its results; may throw.
  virtual void ran(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                   std::span<const Tensor> outputs) = 0;
};

// Usually empty, so that operations pay for one comparison only. Shared by all threads, and guarded
// by Python's lock, which is held during dispatch and released only by kernels.
inline std::vector<Observer*> observers;

}  // namespace ef
