// The parts of an elementwise call that determine its loop.
#pragma once

#include <span>

#include "ops/attrs.h"
#include "ops/element_loop.h"
#include "tensor/dtype.h"

namespace ef {

// The parts of a call that determine the loop.
struct ElementCall {
  const Op& op;
  std::span<const DType> inputs;
  DType output;
  AttrsRef attrs;
};

// Empty if the operation is not elementwise.
ElementLoop element_loop(const ElementCall& call);

}  // namespace ef
