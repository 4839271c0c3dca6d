// Deferred results: elementwise operations on large tensors run when their values are needed.
//
// A deferred result is a tensor without memory yet. Every access to its memory calls
// TensorImpl::settle, which computes it, together with the deferred results that it depends on, in
// one pass over memory (kernels/cpu/chain.h). Errors were already reported when the operation was
// called.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "kernels/cpu/chain.h"
#include "kernels/cpu/element_source.h"
#include "ops/attrs.h"
#include "tensor/tensor_spec.h"

namespace ef {

// From this size on, saving a pass over memory is worth the bookkeeping.
inline constexpr int64_t kLazyElements = 16'384;

// The deferred result of a call on tensors with values, whose inputs and attributes have been
// checked; empty if the result has to be computed now.
Tensor make_lazy(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                 const TensorSpec& spec);

// The estimated time, in nanoseconds on one thread, to compute a deferred value; 0 if it has its
// value.
double pending_cost(const Tensor& tensor);

// Computes a deferred value like an operation: meanwhile other threads may have Python's lock, and
// signals may interrupt. Any access to the memory computes the value as well, but without these.
void compute_now(const Tensor& tensor);

// A large deferred value whose elements `source` computes; chains read them without memory. `cost`
// is the time per element in nanoseconds, and `held` the number of bytes that the source keeps
// alive. Empty if the elements have to be written now.
Tensor make_generated(std::shared_ptr<const cpu::ElementSource> source, const TensorSpec& spec,
                      double cost, int64_t held);
// Whether a tensor is such a value and has not been written.
bool is_generated(const Tensor& tensor);

// Whether a tensor is the deferred result of an elementwise operation.
bool is_pending(const Tensor& tensor);

// Makes results that share operations be computed in one pass when the first of them is needed.
// These are the gradients of one backward pass, which are used together.
void compute_jointly(std::span<const Tensor> results);

// A deferred result that is read once, without being written to memory.
struct LazyRead {
  std::shared_ptr<const cpu::Chain> chain;  // with one result
  TensorList inputs;
};
// Empty if the tensor is not deferred, or should be written because it has been read before or is
// slow to compute. For kernels of operations that accept deferred inputs (`takes_lazy` of the
// entry); `reader` is the name in logs.
std::optional<LazyRead> read_lazy(const Tensor& tensor, const char* reader);

// The value of a deferred result for one call, after which the result is deferred again. The
// operands of the result are in memory anyway, and keeping the result until the gradient needs it
// would take more memory. For first inputs of convolutions and products, which take long compared
// to computing the value twice. Empty if it should be written, for example because it is read
// again.
Tensor value_for_call(const Tensor& tensor, const Op& reader);

// `value` broadcast to a large shape; operations that broadcast read `value` itself. Empty if the
// elements have to be written now.
Tensor make_lazy_broadcast(const Tensor& value, const Shape& shape);

// Whether elementwise operations are fused, here and in plans of graphs: true unless EAGERFLOW_FUSE
// is 0 in the environment.
bool fuses();
// Returns the previous setting.
bool set_fuses(bool fuses);

}  // namespace ef
