// What pending results are made of, for lazy.cpp and its siblings.
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

// Guards the links between pending results. It is held while they are walked, and not while
// anything is computed or freed.
extern std::mutex links;

// Returns when no result takes the memory of what it is made of: until then its value, and those
// of what it is made of, cannot be had.
void wait_for_overwriting();

// The bytes that pending results keep alive.
extern std::atomic<int64_t> held_bytes;

using Operands = InlineVector<Tensor, 3>;

class Pending;

// Pending results that share operations: the first that is needed computes all. The others get
// their values here, as threads may be dropping them.
struct Joint {
  struct Member {
    Pending* node;  // null once it is dropped
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
  bool spreads = false;   // it is the input, broadcast; chains read the input itself
  double cost = 0;        // nanoseconds, with that of pending inputs
  double wholes = 0;      // and of those that are no part of chains

  // Below, guarded by `links`.
  InlineVector<Tensor, 3> inputs;  // none once the value is known
  int32_t steps = 1;               // at most so many operations are pending, itself included
  int32_t leaves = 0;              // and read so many large tensors
  int64_t held = 0;                // bytes of its inputs that are not pending
  bool was_read = false;
  std::shared_ptr<Joint> joint;
  size_t place = 0;         // in it
  bool busy = false;        // its pass writes over inputs
  std::exception_ptr lost;  // why such a pass has ended without a value
  // Of the last walk that came by.
  uint64_t walk = 0;
  int32_t number = 0;
  int32_t uses = 0;  // as an input of others
};

// Null if the tensor is not such a result, or has its value.
Pending* pending_of(const Tensor& tensor);

// Takes a value that was computed with another one, if there is one. Under `links`.
bool settle_jointly(Pending& node);

// Whether a result may wait. Those so large that memory may not hold them are computed, or refused,
// by the call.
bool may_wait(int64_t count, DType dtype);

// A value that is written only where its elements do not suffice.
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
  double cost() const { return cost_; }  // of an element
  double total_cost() const { return cost_ * static_cast<double>(self->size()); }

  TensorImpl* self = nullptr;

 private:
  void read_all(const cpu::ElementSource& source, const Tensor& value) const;

  const double cost_;
  int64_t held_;                                      // guarded by `links`, like the source
  std::shared_ptr<const cpu::ElementSource> source_;  // none once it is settled
};

Generated* generated_of(const Tensor& tensor);

// The result of an operation that is no part of chains, but may be one of a greater whole: of
// attention (eager/attention.h).
class Whole final : public LazyValue {
 public:
  Whole(const Op& of, AttrsRef with, std::span<const Tensor> from, const TensorSpec& spec);
  ~Whole() override { held_bytes -= held; }

  void settle(const Settler& settler) override;

  const Op* const op;
  const SavedAttrs attrs;
  const DType dtype;
  TensorImpl* self = nullptr;
  double cost = 0;  // nanoseconds, with that of pending inputs

  // Below, guarded by `links`.
  Operands inputs;  // none once the value is known
  int64_t held = 0;
  bool passed_over = false;  // the greater whole has been computed without it

  // So many greater wholes are computed step by step from now on: somebody has asked for a part
  // after it was passed over, and would probably do so again.
  static inline std::atomic<int32_t> asked_for{0};
};

Whole* whole_of(const Tensor& tensor);

// A tensor whose value waits: a Pending, Generated or Whole.
template <class Value>
Tensor tensor_of(std::unique_ptr<Value> value, const TensorSpec& spec) {
  Value* const made = value.get();
  Tensor result(TensorImpl::create_lazy(spec.dtype, spec.shape, std::move(value)));
  made->self = result.impl();
  return result;
}

// What pending results are made of: the tensors they begin with, and operations in order.
struct Expression {
  TensorList leaves;
  std::vector<Pending*> nodes;
};

// A walk through a pending result, under `links`.
class Walk {
 public:
  explicit Walk(Expression& found) : found_(found), walk_(++last_walk) {}

  void visit(Pending& node) {
    if (node.walk == walk_) return;
    node.walk = walk_;
    if (node.lost) std::rethrow_exception(node.lost);
    if (std::exchange(waits_, waits_ || node.busy) || node.busy) return;
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

  // Whether inputs are being written over; nothing else is known then.
  bool waits() const { return waits_; }

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
  bool waits_ = false;
};

// Computes the values of such kind that an expression begins with.
void settle_wholes(Pending& root);

// The expression as a chain reads it. Under `links`.
ChainKey key_of(const Walk& walk, const Expression& expression);

}  // namespace ef::lazy
