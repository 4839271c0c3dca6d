// Programs of optimizers' steps: one for all variables of a step.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "device/devices.h"
#include "device/pjrt/client.h"
#include "eager/fused_update.h"
#include "tensor/inline_vector.h"
#include "tensor/tensor_spec.h"

namespace ef::lower {

// The programs of one plugin. A program is compiled for the values of a rule's hyperparameters, and
// for the dtypes and shapes of all variables. Learning rates are parameters, because they change
// from step to step.
class UpdatePrograms {
 public:
  explicit UpdatePrograms(pjrt::Client& client) : client_(client) {}

  // Updates variables on a device, and overwrites their memory if there are no other handles on
  // their values. Returns false, with nothing done, if there is no program for such a step.
  bool run(DeviceId device, int index, const cpu::OptimizerStep& step,
           std::span<const UpdateTarget> targets);

 private:
  struct Entry {
    size_t rule;                      // which alternative of the step
    InlineVector<double, 8> numbers;  // its numbers, without the learning rates
    SpecList inputs;
    std::vector<char> present;       // which slots and rows the targets have
    pjrt::ExecutablePtr executable;  // null if there is no program
  };

  std::optional<pjrt::ExecutablePtr> find(const Entry& wanted);
  pjrt::ExecutablePtr compile(const cpu::OptimizerStep& step, size_t rates,
                              std::span<const UpdateTarget> targets, const SpecList& inputs);

  pjrt::Client& client_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<Entry>> entries_;  // the last one is first
};

}  // namespace ef::lower
