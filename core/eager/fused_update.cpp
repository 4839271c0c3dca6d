// Fused updates of variables.
#include "eager/fused_update.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "eager/device_backend.h"
#include "eager/dispatch.h"
#include "eager/variable.h"
#include "tensor/error.h"

namespace ef {
namespace {

std::span<const int64_t> rows_of(const UpdateTarget& target) {
  return {target.rows.data<int64_t>(), static_cast<size_t>(target.rows.size())};
}

// The shape that the gradient's values must have.
Shape gradient_shape(const UpdateTarget& target, const Shape& shape) {
  if (!target.sparse) return shape;
  if (shape.rank() == 0) invalid_argument("A scalar variable has no rows to update.");
  const std::span<const int64_t> rows = rows_of(target);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= shape[0]) {
      invalid_argument("indices[", i, "] = ", rows[i], " is not in [0, ", shape[0],
                       ") [Op:ResourceScatterAdd]");
    }
  }
  Shape updated = shape;
  updated[0] = static_cast<int64_t>(rows.size());
  return updated;
}

// Whether the gradient has the required shape. As in TensorFlow, a dense gradient may have other
// axes of size one, which do not affect the memory.
bool fits(const UpdateTarget& target, const Shape& shape) {
  const Shape& given = target.gradient.shape();
  if (!target.sparse && given == shape) return true;
  const Shape wanted = gradient_shape(target, shape);
  if (given == wanted) return true;
  if (target.sparse || given.rank() > wanted.rank()) return false;
  const auto is_longer = [](int64_t size) { return size != 1; };
  return std::ranges::equal(given.dims() | std::views::filter(is_longer),
                            wanted.dims() | std::views::filter(is_longer)) &&
         given.num_elements() == wanted.num_elements();
}

void check(const UpdateTarget& target) {
  const Tensor value = target.variable->peek();
  if (!is_floating(value.dtype())) {
    invalid_argument("Optimizers update floating variables, not ", value.dtype(), ".");
  }
  if (target.gradient &&
      (target.gradient.dtype() != value.dtype() || !fits(target, value.shape()))) {
    invalid_argument("The gradient has shape ", target.gradient.shape(), " and dtype ",
                     target.gradient.dtype(), ", but its variable has shape ", value.shape(),
                     " and dtype ", value.dtype(), ".");
  }
  for (const VariableRef& slot : target.slots) {
    if (!slot) continue;
    // An update locks the variable and all slots.
    if (slot.get() == target.variable.get() ||
        std::ranges::count(target.slots, slot.get(), &VariableRef::get) > 1) {
      invalid_argument("An optimizer's slots are variables of their own, each for one purpose.");
    }
    const Tensor state = slot->peek();
    if (state.dtype() != value.dtype() || state.shape() != value.shape()) {
      invalid_argument("An optimizer slot has shape ", state.shape(), " and dtype ", state.dtype(),
                       ", but its variable has shape ", value.shape(), " and dtype ", value.dtype(),
                       ".");
    }
  }
}

[[noreturn]] void changed_meanwhile() {
  invalid_argument(
      "A variable was given a value of another shape by another thread while an optimizer updated "
      "it.");
}

// Unlocks the variables before it acquires the GIL: a reader may hold the GIL and wait for a
// variable.
void run(const cpu::OptimizerStep& step, const UpdateTarget& target) {
  const Tensor& gradient = target.gradient;
  const int64_t size = gradient ? gradient.size() : target.variable->peek().size();
  const KernelRegion region(4.0 * static_cast<double>(size));
  if (gradient)
    gradient.impl()->settle();  // it may be deferred, and depend on the variable's value
  const Variable::Update variable(*target.variable);
  // Other threads may have run since the check.
  const Shape& shape = variable.tensor().shape();
  if (gradient ? !fits(target, shape) : shape.num_elements() != size) {
    changed_meanwhile();
  }
  std::optional<Variable::Update> slots[cpu::kMaxSlots];
  cpu::UpdateArrays arrays;
  arrays.variable = variable.tensor().mutable_raw_data();
  arrays.gradient = gradient ? gradient.raw_data() : arrays.variable;
  arrays.count = size;
  for (int k = 0; k < cpu::kMaxSlots; ++k) {
    if (!target.slots[k]) continue;
    slots[k].emplace(*target.slots[k]);
    if (slots[k]->tensor().shape() != shape) changed_meanwhile();
    arrays.slots[k] = slots[k]->tensor().mutable_raw_data();
  }
  if (!target.sparse) return cpu::run_update(step, target.variable->dtype(), arrays);
  const std::span<const int64_t> rows = rows_of(target);
  if (target.every_row) {
    arrays.count = shape.num_elements();
    return cpu::run_whole_update(step, target.variable->dtype(), arrays, rows, shape[0]);
  }
  if (rows.empty()) return;
  const int64_t row_size = arrays.count / static_cast<int64_t>(rows.size());
  cpu::run_row_update(step, target.variable->dtype(), arrays, rows, row_size);
}

// Updates the targets on devices with memory of their own, all targets of a device at once. Returns
// the other targets.
std::vector<UpdateTarget> update_on_devices(const cpu::OptimizerStep& step,
                                            std::vector<UpdateTarget> targets) {
  std::map<DeviceId, std::vector<UpdateTarget>> by_device;
  for (UpdateTarget& target : targets) {
    by_device[target.variable->device()].push_back(std::move(target));
  }
  std::vector<UpdateTarget> others;
  for (auto& [device, own] : by_device) {
    DeviceBackend* const backend = device_at(device).backend;
    if (backend && backend->update(device, step, own)) continue;
    std::ranges::move(own, std::back_inserter(others));
  }
  return others;
}

}  // namespace

void update(const cpu::OptimizerStep& step, std::vector<UpdateTarget> targets) {
  for (const UpdateTarget& target : targets) check(target);
  if (several_devices) [[unlikely]]
    targets = update_on_devices(step, std::move(targets));
  for (const UpdateTarget& target : targets) run(step, target);
}

}  // namespace ef
