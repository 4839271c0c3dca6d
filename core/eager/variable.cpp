// Reading and writing variables.
#include "eager/variable.h"

#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "device/pjrt/client.h"
#include "eager/device_backend.h"
#include "eager/dispatch.h"
#include "eager/lazy.h"
#include "eager/profile.h"
#include "eager/substitution.h"
#include "eager/tape.h"
#include "graph/variables.h"
#include "kernels/cpu/exact_sum.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/infer_context.h"
#include "ops/kernel_context.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef {
namespace {

Tensor copy_of(const Tensor& t) {
  Tensor copy = Tensor::empty(t.dtype(), t.shape());
  if (t.dtype() == DType::kString) {
    std::copy(t.strings().begin(), t.strings().end(), copy.mutable_data<std::string>());
  } else if (t.size() > 0) {
    std::memcpy(copy.mutable_raw_data(), t.raw_data(), static_cast<size_t>(t.bytes()));
  }
  return copy;
}

}  // namespace

// The variable's handle never leaves it while a tape records, so it gets an identity of its own.
Variable::Variable(const Tensor& value, bool trainable, const Shape& shape)
    : trainable_(trainable),
      dtype_(value.dtype()),
      shape_(shape),
      id_(new_identity()),
      device_(device_for(value.dtype())),
      value_(own_handle(value)) {}

Variable::Variable(const TensorSpec& spec, bool trainable, std::string name, bool declaration)
    : trainable_(trainable),
      dtype_(spec.dtype),
      shape_(spec.shape),
      id_(new_identity()),
      declaration_(declaration),
      device_(device_for(spec.dtype)),
      name_(std::move(name)) {}

Tensor Variable::own_handle(const Tensor& value) const {
  if (several_devices && device_at(device_).backend) return on_device(value, device_);
  // A result on a device stays there until it is read.
  Tensor handle = pjrt::alias(value);
  handle.impl()->set_device(device_);
  return handle;
}

void Variable::refuse_reading() const {
  fail(Code::kFailedPrecondition, "Attempting to use uninitialized value ", name_,
       ": run its initializer first, such as tf.global_variables_initializer().");
}

VariableRef::VariableRef(Variable& variable) : variable_(&variable) { variable_->retain(); }

void VariableRef::release() { variable_->release(); }

void Variable::lock() {
  while (busy_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
}

// While a session runs, functions that nodes call also use declarations.
Tensor Variable::peek() {
  if (const Tensor* value = Substitution::find(id_)) return *value;
  if (declaration_) [[unlikely]]
    return graph::variable_of_run(*this).peek();
  lock();
  Tensor value = value_;
  unlock();
  if (!value) [[unlikely]]
    refuse_reading();
  // Readers of a value on a device have tensors of their own, which shows whether there are readers
  // when a program would take over the memory.
  if (value.impl()->lazy() && pjrt::device_memory(value)) [[unlikely]]
    return pjrt::alias(value);
  return value;
}

Tensor Variable::read() {
  if (const Tensor* value = Substitution::find(id_)) return *value;
  graph::Graph* const graph = graph::building();
  Tensor value = graph ? graph::add_read(*graph, *this) : peek();
  const auto tapes = active_tapes();
  if (tapes.empty()) return value;
  bool watched = false;
  for (Tape* tape : tapes) {
    if (tape->watches_reads_of(*this)) {
      // Each read has a new identity: a value that was read before the tape began stays unwatched.
      if (!std::exchange(watched, true) && !graph) value = pjrt::alias(value);
      tape->variable_read(*this, value);
    }
  }
  return value;
}

void Variable::assign(const Tensor& value) {
  if (Tensor* substitute = Substitution::find(id_)) {
    *substitute = value;
    return;
  }
  if (graph::Graph* const graph = graph::building()) {
    return graph::add_assign(*graph, *this, graph::Change::kReplace, value);
  }
  if (declaration_) [[unlikely]]
    return graph::variable_of_run(*this).assign(value);
  if (!pjrt::device_memory(value)) compute_now(value);
  Tensor fresh = own_handle(value);
  lock();
  std::swap(value_, fresh);
  unlock();
  if (remainder_) [[unlikely]]
    forget_remainder(value.shape());
}

bool Variable::assign_if(const Tensor& expected, const Tensor& value) {
  if (Tensor* substitute = Substitution::find(id_)) {
    *substitute = value;
    return true;
  }
  if (graph::Graph* const graph = graph::building()) {
    graph::add_assign(*graph, *this, graph::Change::kReplace, value);
    return true;
  }
  Tensor fresh = own_handle(value);
  lock();
  const auto* const memory = pjrt::device_memory(expected);
  const bool same =
      value_.impl() == expected.impl() || (memory && memory == pjrt::device_memory(value_));
  if (same) std::swap(value_, fresh);
  unlock();
  if (same && remainder_) forget_remainder(value.shape());
  return same;
}

void Variable::keep_remainder() {
  if (remainder_ || !kFloatTypes.contains(dtype_)) return;
  const DeviceScope here(device_);
  if (value_) {
    remainder_ = new Variable(zeros(dtype_, value_.shape()), false, shape_);
  } else {
    // It receives its value together with this variable.
    remainder_ = new Variable({dtype_, shape_}, false, name_, declaration_);
  }
  if (copies_) remainder_->make_copy(copies_ + 1, copies_are_equal_);
}

void Variable::forget_remainder(const Shape& shape) {
  const StopRecording quiet;
  remainder_->assign(zeros(dtype_, shape));
}

namespace {

void add_in_place(const Op& op, const Tensor& value, const Tensor& delta) {
  const Tensor inputs[] = {value, delta};
  SpecList specs;
  specs.push_back({value.dtype(), value.shape()});
  TensorList outputs{value};
  KernelContext context(op, inputs, {}, specs, outputs);
  context.run();
}

[[noreturn]] void refuse_delta(const Shape& value, const Shape& delta, const char* op_name) {
  invalid_argument("Cannot update variable with shape ", value, " using a Tensor with shape ",
                   delta, ", shapes must be equal. [Op:", op_name, "]");
}

}  // namespace

// The shape is checked under the lock, since another thread may have changed it. The variable is
// unlocked before the GIL is acquired: a reader may hold the GIL and wait for the lock.
void Variable::add(const Op& op, const Tensor& delta, const char* op_name) {
  if (declaration_) [[unlikely]]
    return graph::variable_of_run(*this).add(op, delta, op_name);
  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]] {
    // In a graph, the node is an event already.
    const profile::Scope* const node = profile::current();
    if (!node || node->name() != op_name) scope.emplace(op_name);
  }
  if (remainder_) return add_exactly(op, delta, op_name);
  const KernelRegion region(static_cast<double>(delta.bytes()) / 4);
  if (several_devices && device_at(device_).backend) return add_on_device(op, delta, op_name);
  delta.impl()->settle();  // it may depend on the old value
  const Update update(*this);
  if (delta.shape() != update.tensor().shape()) {
    refuse_delta(update.tensor().shape(), delta.shape(), op_name);
  }
  add_in_place(op, update.tensor(), delta);
}

void Variable::add_exactly(const Op& op, const Tensor& delta, const char* op_name) {
  const bool subtracts = &op == &ops::subtract;
  if (several_devices && device_at(device_).backend) {
    const DeviceScope there(device_);
    const StopRecording quiet;
    while (true) {
      const Tensor old = peek();
      if (delta.shape() != old.shape()) refuse_delta(old.shape(), delta.shape(), op_name);
      const ExactSum sum = exact_sum(old, remainder_->peek(), delta, subtracts);
      if (!assign_if(old, sum.rounded)) continue;
      return remainder_->assign(sum.remainder);
    }
  }
  delta.impl()->settle();
  const Update sum(*this, true), remainder(*remainder_, true);
  if (delta.shape() != sum.tensor().shape()) {
    refuse_delta(sum.tensor().shape(), delta.shape(), op_name);
  }
  cpu::add_exactly(sum.tensor(), remainder.tensor(), delta, subtracts);
}

void Variable::add_on_device(const Op& op, const Tensor& delta, const char* op_name) {
  DeviceBackend& backend = *device_at(device_).backend;
  const Tensor own = on_device(delta, device_);
  {
    const Tensor value = peek();
    if (delta.shape() != value.shape()) refuse_delta(value.shape(), delta.shape(), op_name);
    backend.prepare_update(op, value);
  }
  lock();
  try {
    if (value_.shape() != own.shape()) refuse_delta(value_.shape(), own.shape(), op_name);
    value_ = backend.update(device_, op, value_, own);
  } catch (...) {
    unlock();
    throw;
  }
  unlock();
}

void Variable::assign_add(const Tensor& delta) {
  if (Tensor* substitute = Substitution::find(id_)) {
    *substitute = call(ops::add, {*substitute, delta});
    return;
  }
  if (graph::Graph* const graph = graph::building()) {
    return graph::add_assign(*graph, *this, graph::Change::kAdd, delta);
  }
  add(ops::add, delta, "AssignAddVariableOp");
}

void Variable::assign_sub(const Tensor& delta) {
  if (Tensor* substitute = Substitution::find(id_)) {
    *substitute = call(ops::subtract, {*substitute, delta});
    return;
  }
  if (graph::Graph* const graph = graph::building()) {
    return graph::add_assign(*graph, *this, graph::Change::kSubtract, delta);
  }
  add(ops::subtract, delta, "AssignSubVariableOp");
}

void Variable::change(const Op& op, std::span<const Tensor> operands, AttrsRef attrs) {
  TensorList inputs;
  inputs.push_back({});
  for (const Tensor& operand : operands) inputs.push_back(operand);
  if (Tensor* substitute = Substitution::find(id_)) {
    inputs[0] = *substitute;
    *substitute = call(op, inputs, attrs);
    return;
  }
  if (declaration_) [[unlikely]]
    return graph::variable_of_run(*this).change(op, operands, attrs);
  const StopRecording quiet;
  if (several_devices && device_at(device_).backend) {
    do {
      inputs[0] = peek();
    } while (!assign_if(inputs[0], call(op, inputs, attrs)));
    return;
  }
  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]]
    scope.emplace(op.tf_name);
  double bytes = 0;
  for (const Tensor& operand : operands) {
    operand.impl()->settle();  // it may depend on the old value
    bytes += static_cast<double>(operand.bytes());
  }
  const KernelRegion region(bytes / 4);
  const Update update(*this);
  inputs[0] = update.tensor();
  check_inputs(op, inputs);
  const SpecList specs = infer(op, inputs, attrs);
  TensorList outputs{inputs[0]};
  KernelContext context(op, inputs, attrs, specs, outputs);
  context.run();
}

Variable::Update::Update(Variable& variable, bool keeps_remainder)
    : variable_(variable.declaration_ ? graph::variable_of_run(variable) : variable) {
  if (variable_.remainder_ && !keeps_remainder)
    variable_.forget_remainder(variable_.peek().shape());
  // A value on a device is copied before the lock is acquired, because that may wait for Python's
  // lock.
  if (several_devices && device_at(variable_.device_).backend) variable_.peek().impl()->settle();
  variable_.lock();
  if (!variable_.value_) [[unlikely]] {
    variable_.unlock();
    variable_.refuse_reading();
  }
  if (variable_.value_.exclusively_owned()) {
    variable_.value_.impl()->reset_id();
    return;
  }
  try {
    previous_ = std::exchange(variable_.value_, copy_of(variable_.value_));
    variable_.value_.impl()->set_device(variable_.device_);
  } catch (...) {
    variable_.unlock();
    throw;
  }
}

// Changes that the host made are copied back to the variable's device.
Variable::Update::~Update() {
  if (several_devices && device_at(variable_.device_).backend) {
    try {
      variable_.value_ = on_device(variable_.value_, variable_.device_);
    } catch (const Error&) {
      // The device has no room: the value stays on the host.
    }
  }
  variable_.unlock();
}

}  // namespace ef
