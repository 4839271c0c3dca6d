// A log of operations that ran as one, for eagerflow.debug.show_fusion.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eager/chain_cache.h"

namespace ef {

// A group of operations that ran as one.
struct Fusion {
  std::vector<const Op*> ops;
  std::string by;  // "chain", or the operation that read the chain's result
  DType dtype = DType::kInvalid;
  Shape shape;
  size_t inputs = 0;   // tensors that were read
  size_t results = 0;  // tensors that were written
};

// The log of this thread; null if it keeps none.
extern thread_local std::vector<Fusion>* fusion_log;

// Whether there is such a log, or a profile, whose events get the names of fused operations.
bool logs_fusions();

void log_fusion(Fusion fusion);
void log_fusion(const ChainKey& key, const Shape& shape, const char* by = "chain");
// The same for attention or its gradient.
void log_attention(const char* by, const Tensor& result, size_t inputs, size_t results);

}  // namespace ef
