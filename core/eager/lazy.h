// Lazy results: elementwise operations on large tensors run when somebody needs values.
//
// Such a result is a tensor whose memory is pending. TensorImpl::settle, which every access to
// memory passes, computes it, together with the pending results that it is made of, in one pass
// over memory (kernels/cpu/chain.h). What can fail has been checked when the operation was called.
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

// The result of a call on tensors with values, whose inputs and attributes have been checked;
// empty if it has to be computed now.
Tensor make_lazy(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                 const TensorSpec& spec);

// The estimated time, in nanoseconds on one thread, until `tensor` has its value; 0 if it has it.
double pending_cost(const Tensor& tensor);

// Computes a pending value as operations are computed: meanwhile other threads may have Python's
// lock, and signals interrupt. Any access to the memory computes it as well, without that.
void compute_now(const Tensor& tensor);

// A large value whose elements `source` gives: chains read them without memory. `cost` is the time
// for one in nanoseconds, and `held` the bytes that the source keeps alive. Empty if the elements
// have to be written now.
Tensor make_generated(std::shared_ptr<const cpu::ElementSource> source, const TensorSpec& spec,
                      double cost, int64_t held);
// Whether a tensor is such a value, which has not been written.
bool is_generated(const Tensor& tensor);

// Has results that share operations computed in one pass, when the first of them is needed: those
// of one backward pass, which are used together.
void compute_jointly(std::span<const Tensor> results);

// A pending result that is read once, without being written to memory.
struct LazyRead {
  std::shared_ptr<const cpu::Chain> chain;  // with one result
  TensorList inputs;
};
// Empty if the tensor is not pending, or is better written, since it has been read before or takes
// long. For kernels of operations that take lazy inputs (`takes_lazy` of the entry); `reader` is
// what logs name them.
std::optional<LazyRead> read_lazy(const Tensor& tensor, const char* reader);

// The value of a pending result for one call, after which it is pending still: what it is made of
// is in memory anyway, and holding it until the gradient needs it would take more. For first inputs
// of convolutions and products, whose time is long beside that of computing it twice. Empty if it
// is better written, as when it is read again.
Tensor value_for_call(const Tensor& tensor, const Op& reader);

// `value` broadcast to a large shape: operations that broadcast read the value itself. Empty if the
// elements have to be written now.
Tensor make_lazy_broadcast(const Tensor& value, const Shape& shape);

// Whether elementwise operations run together, here and in plans of graphs: by default, unless
// EAGERFLOW_FUSE is 0 in the environment.
bool fuses();
// Returns what it was.
bool set_fuses(bool fuses);

}  // namespace ef
