// Deferred results and their dependencies, for lazy.cpp and its siblings.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "eager/chain_cache.h"
#include "kernels/cpu/element_source.h"
#include "tensor/tensor_spec.h"

namespace ef::lazy {

// Guards the links between deferred results. It is held while links are followed, and not while
// values are computed or freed.
extern std::mutex links;

// Returns when no result is being written over its inputs: until then, neither its value nor the
// values of its inputs can be read.
void wait_for_overwriting();

// The number of bytes that deferred results keep alive.
extern std::atomic<int64_t> held_bytes;

using Operands = InlineVector<Tensor, 3>;

class Pending;

// Deferred results that share operations: the first one that is needed computes all. The others
// store their values here, because other threads may be freeing them.
struct Joint {
  struct Member {
    Pending* node;  // null once it is freed
    Tensor value;
  };
  std::vector<Member> members;  // guarded by `links`
};

class Pending final : public LazyValue {
 public:
  Pending(const Op& of, AttrsRef with, const TensorSpec& spec)
      : op(&of), attrs(with), dtype(spec.dtype) {}
  ~Pending() override;

  void settle(const Settler&) override;

  const Op* const op;
  const SavedAttrs attrs;
  const DType dtype;
  TensorImpl* self = nullptr;
  bool forwards = false;  // the value is that of the input
  bool spreads = false;   // the value is the input, broadcast; chains read the input itself
  double cost = 0;        // nanoseconds, including pending inputs
  double parts_cost = 0;  // nanoseconds of inputs that are not parts of chains

  // Below, guarded by `links`.
  InlineVector<Tensor, 3> inputs;  // none once the value is known
  int32_t steps = 1;               // an upper bound of its pending operations, including itself
  int32_t leaves = 0;              // an upper bound of the large tensors that these read
  int64_t held = 0;                // bytes of its inputs that are not pending
  bool was_read = false;
  std::shared_ptr<Joint> joint;
  size_t place = 0;         // index in the joint
  bool busy = false;        // its pass is overwriting inputs
  std::exception_ptr lost;  // the error that ended such a pass
  // Set by the latest walk that visited the node.
  uint64_t walk = 0;
  int32_t number = 0;
  int32_t uses = 0;  // the number of nodes that read it
};

// Null if the tensor is not such a result, or has its value.
Pending* pending_of(const Tensor& tensor);

// Uses a value that a joint computation has stored, if there is one. Under `links`.
bool settle_jointly(Pending& node);

// Whether a result may be deferred. Results that may not fit into memory are computed by the call,
// which raises the error.
bool may_defer(int64_t count, DType dtype);

// A value that is written only if a reader needs memory instead of elements.
class Generated final : public cpu::SourcedValue {
 public:
  Generated(std::shared_ptr<const cpu::ElementSource> source, double cost, int64_t held)
      : cost_(cost), held_(held), source_(std::move(source)) {
    held_bytes += held_;
  }
  ~Generated() override { held_bytes -= held_; }

  std::shared_ptr<const cpu::ElementSource> source() override {
    const std::lock_guard lock(links);
    return source_;
  }

  void settle(const Settler& settler) override;

  // Under `links`.
  const Tensor* kept() const { return source_ ? source_->kept() : nullptr; }
  double cost() const { return cost_; }  // per element
  double total_cost() const { return cost_ * static_cast<double>(self->size()); }

  TensorImpl* self = nullptr;

 private:
  void read_all(const cpu::ElementSource& source, const Tensor& value) const;

  const double cost_;
  int64_t held_;                                      // guarded by `links`, like the source
  std::shared_ptr<const cpu::ElementSource> source_;  // none once it is settled
};

Generated* generated_of(const Tensor& tensor);

// The deferred result of an operation that is not part of a chain, but may be part of a fused
// attention (eager/attention.h).
class DeferredPart final : public LazyValue {
 public:
  DeferredPart(const Op& of, AttrsRef with, std::span<const Tensor> from, const TensorSpec& spec);
  ~DeferredPart() override { held_bytes -= held; }

  void settle(const Settler& settler) override;

  const Op* const op;
  const SavedAttrs attrs;
  const DType dtype;
  TensorImpl* self = nullptr;
  double cost = 0;  // nanoseconds, including pending inputs

  // Below, guarded by `links`.
  Operands inputs;  // none once the value is known
  int64_t held = 0;
  bool skipped = false;  // the attention was computed without this result

  // The number of attentions that run step by step from now on. A program that has read a skipped
  // result will probably do so again.
  static inline std::atomic<int32_t> unfused_runs{0};
};

DeferredPart* deferred_part_of(const Tensor& tensor);

// A tensor with a deferred value: Pending, Generated or DeferredPart.
template <class Value>
Tensor tensor_of(std::unique_ptr<Value> value, const TensorSpec& spec) {
  Value* const made = value.get();
  Tensor result(TensorImpl::create_lazy(spec.dtype, spec.shape, std::move(value)));
  made->self = result.impl();
  return result;
}

// A deferred computation: the tensors that it reads, and its operations in order.
struct Expression {
  TensorList leaves;
  std::vector<Pending*> nodes;
};

// Collects the expression of a deferred result, under `links`.
class Walk {
 public:
  explicit Walk(Expression& found) : found_(found), walk_(++last_walk) {}

  void visit(Pending& node) {
    if (node.walk == walk_) return;
    node.walk = walk_;
    if (node.lost) std::rethrow_exception(node.lost);
    if (std::exchange(is_blocked_, is_blocked_ || node.busy) || node.busy) return;
    node.uses = 0;
    for (const Tensor& input : node.inputs) {
      if (Pending* const inner = pending_of(input); inner && !settle_jointly(*inner)) {
        visit(*inner);
        ++inner->uses;
      } else if (leaf_number(input) < 0) {
        found_.leaves.push_back(input);
      }
    }
    node.number = static_cast<int32_t>(found_.nodes.size());
    found_.nodes.push_back(&node);
  }

  bool has_visited(const Pending& node) const { return node.walk == walk_; }

  // Whether inputs are being overwritten; then the expression is incomplete.
  bool is_blocked() const { return is_blocked_; }

  int32_t leaf_number(const Tensor& tensor) const {
    for (size_t i = found_.leaves.size(); i-- > 0;) {
      if (found_.leaves[i].impl() == tensor.impl()) return static_cast<int32_t>(i);
    }
    return -1;
  }

 private:
  static inline uint64_t last_walk = 0;

  Expression& found_;
  const uint64_t walk_;
  bool is_blocked_ = false;
};

// Computes all deferred parts that an expression reads.
void settle_parts(Pending& root);

// The expression as the key of a chain. Under `links`.
ChainKey key_of(const Walk& walk, const Expression& expression);

}  // namespace ef::lazy
