// Variable: a named, mutable slot that holds a tensor.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "ops/attrs.h"
#include "tensor/tensor.h"
#include "tensor/tensor_spec.h"

namespace ef {

struct Op;

class Variable {
 public:
  // Values of the variable must be compatible with `shape`, which may be partial.
  Variable(const Tensor& value, bool trainable, const Shape& shape);
  Variable(const Tensor& value, bool trainable) : Variable(value, trainable, value.shape()) {}
  // A variable without a value yet. A declaration never has a value: it represents the variables of
  // sessions, which the nodes of graphs use in its place.
  Variable(const TensorSpec& spec, bool trainable, std::string name, bool declaration);

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  uint64_t id() const { return id_; }
  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable) { trainable_ = trainable; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  // The name of a variable that may have no value; empty for other variables.
  const std::string& name() const { return name_; }
  bool is_declaration() const { return declaration_; }
  // The device of its values: the one that was current when the variable was created.
  uint8_t device() const { return device_; }
  bool initialized() const { return static_cast<bool>(value_); }

  // Makes this one of the copies of a strategy's variable on several devices. They share the id
  // `group`, which is not 0. `equal` if all copies always have equal values.
  void make_copy(uint32_t group, bool equal) {
    copies_ = group;
    copies_are_equal_ = equal;
    // Ids of strategies' variables are even, and ids of their remainders odd.
    if (remainder_) remainder_->make_copy(group + 1, equal);
  }
  uint32_t copies() const { return copies_; }
  bool copies_are_equal() const { return copies_are_equal_; }

  // The current value, recorded by tapes. While a graph is being built, reads and changes add nodes
  // to it.
  Tensor read();
  // The current value, not recorded by tapes.
  Tensor peek();
  // Replaces the value. The caller has checked dtype and shape.
  void assign(const Tensor& value);
  // Replaces the value if it is still `expected`, a result of peek(), so that concurrent writes are
  // not lost. Updates in place create a new tensor, because the caller has a handle on this one.
  bool assign_if(const Tensor& expected, const Tensor& value);
  // value ± delta, in place if there are no other handles on the old value. The caller has checked
  // the dtype. Throws InvalidArgument if the shapes of delta and value differ.
  void assign_add(const Tensor& delta);
  void assign_sub(const Tensor& delta);
  // op(value, operands...), for an operation that changes its first input: in place if there are no
  // other handles on the old value. Not while a graph is being built.
  void change(const Op& op, std::span<const Tensor> operands, AttrsRef attrs);

  // From now on, assign_add and assign_sub keep their rounding errors in another variable, which
  // the next such change adds. Any other change sets it to 0. Only variables of float dtypes have
  // rounding errors.
  void keep_remainder();
  // The variable with the rounding error; null if there is none.
  Variable* remainder() const { return remainder_; }

  // Exclusive access for fused updates: locks the variable and provides its tensor, which is copied
  // first if there are other handles. Readers on other threads wait meanwhile, possibly with
  // Python's lock held: a long update releases that lock first, and acquires it last. The caller,
  // which still holds it, notifies observers.
  class Update {
   public:
    explicit Update(Variable& variable) : Update(variable, false) {}
    ~Update();
    Update(const Update&) = delete;
    Update& operator=(const Update&) = delete;
    const Tensor& tensor() const { return variable_.value_; }

   private:
    friend class Variable;
    Update(Variable& variable, bool keeps_remainder);

    Variable& variable_;
    Tensor previous_;  // outlives the lock: releasing memory of NumPy's may need the GIL
  };

  // The Python object that owns this variable, for watched_variables(); not a counted reference.
  void* owner = nullptr;

 private:
  void add(const Op& op, const Tensor& delta, const char* op_name);
  void add_exactly(const Op& op, const Tensor& delta, const char* op_name);
  void add_on_device(const Op& op, const Tensor& delta, const char* op_name);
  [[noreturn]] void refuse_reading() const;
  // Another handle on a value, moved to the variable's device.
  Tensor own_handle(const Tensor& value) const;
  // Sets the remainder to 0, with this shape.
  void forget_remainder(const Shape& shape);
  ~Variable() {
    if (remainder_) remainder_->release();
  }
  void lock();
  void unlock() { busy_.store(false, std::memory_order_release); }

  std::atomic<uint32_t> refs_{1};
  std::atomic<bool> busy_{false};
  std::atomic<bool> trainable_;
  const DType dtype_;
  const Shape shape_;
  const uint64_t id_;
  const bool declaration_ = false;
  bool copies_are_equal_ = false;
  const uint8_t device_;
  uint32_t copies_ = 0;
  const std::string name_;
  Tensor value_;
  Variable* remainder_ = nullptr;  // a counted reference
};

}  // namespace ef
