// Operations, copies and memory on devices of plugins.
#include "lower/plugin_device.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "eager/fused_update.h"
#include "ops/elementwise.h"
#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// The programs of a plugin, which all of its devices share.
template <class Programs>
std::shared_ptr<Programs> programs_of(pjrt::Client& client) {
  static std::mutex mutex;
  static auto& all = *new std::map<pjrt::Client*, std::shared_ptr<Programs>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Programs>& programs = all[&client];
  if (!programs) programs = std::make_shared<Programs>(client);
  return programs;
}

// As in TensorFlow, sizes and indices stay in the host's memory, where they are computed and read:
// int32 values that do not come from the device. Results without elements need no program; the size
// of a range is unknown until its kernel has read the limits.
bool stays_on_host(std::span<const Tensor> inputs, const SpecList& specs) {
  const auto is_empty = [](const TensorSpec& s) { return s.shape.num_elements() == 0; };
  const auto is_index = [](const TensorSpec& s) { return s.dtype == DType::kInt32; };
  return std::ranges::all_of(specs, is_empty) ||
         (std::ranges::all_of(specs, is_index) &&
          std::ranges::none_of(inputs, pjrt::device_memory));
}

// Waits for the program, whose results tell whether it has failed.
void raise_refusals(const std::vector<std::string>& messages, size_t count, TensorList& outputs) {
  for (size_t k = 0; k < messages.size(); ++k) {
    const Tensor& refused = pjrt::device_memory(outputs[count + k])->host();
    if (*refused.data<bool>()) invalid_argument(messages[k]);
  }
  outputs.resize(count);
}

bool is_copy(const Op& op) { return &op == &ops::identity || &op == &ops::stop_gradient; }

}  // namespace

DeviceId PluginDevice::add(pjrt::Client& client, int index, const std::string& type,
                           int64_t memory_limit) {
  static std::set<std::pair<pjrt::Client*, int>> taken;
  if (!taken.emplace(&client, index).second) index = client.divide(index);
  // Rows of the table stay until the process ends.
  auto* const device = new PluginDevice(client, index, programs_of<OperationPrograms>(client),
                                        programs_of<UpdatePrograms>(client));
  if (memory_limit > 0) client.use(index).set_limit(memory_limit);
  const DeviceId row = add_device(type, device);
  client.use(index).set_device(device_at(row).name);
  return row;
}

bool PluginDevice::run(DeviceId device, const Op& op, std::span<const Tensor> inputs,
                       AttrsRef attrs, const SpecList& specs, TensorList& outputs) {
  for (const Tensor& input : inputs) {
    if (!holds(input.dtype())) return false;
  }
  for (const TensorSpec& spec : specs) {
    if (!holds(spec.dtype)) return false;
  }
  if (specs.empty() || sizes_from_values(op) || stays_on_host(inputs, specs)) return false;
  if (is_copy(op)) {
    outputs.push_back(on_device(inputs[0], device));
    return true;
  }
  const OperationPrograms::Found found = programs_->find(op, inputs, attrs, specs);
  if (!found.executable) return false;
  if (found.late.empty()) {
    found.executable->run(inputs, {}, index_, outputs);
  } else {
    TensorList all(inputs);
    for (const Tensor& number : found.late) all.push_back(number);
    found.executable->run(all, {}, index_, outputs);
  }
  if (found.refusals) raise_refusals(*found.refusals, specs.size(), outputs);
  for (const Tensor& output : outputs) output.impl()->set_device(device);
  return true;
}

void PluginDevice::prepare_update(const Op& op, const Tensor& value) {
  const Tensor inputs[] = {value, value};
  SpecList specs;
  specs.push_back({value.dtype(), value.shape()});
  programs_->find(op, inputs, {}, specs, true);
}

Tensor PluginDevice::update(DeviceId device, const Op& op, const Tensor& value,
                            const Tensor& other) {
  const pjrt::DeviceMemory* const memory = pjrt::device_memory(value);
  const bool given = memory && memory->device() == index_ && pjrt::only_handle(value);
  const Tensor inputs[] = {value, other};
  SpecList specs;
  specs.push_back({value.dtype(), value.shape()});
  const OperationPrograms::Found found = programs_->find(op, inputs, {}, specs, true);
  if (!found.executable) fail(Code::kInternal, "There is no program for ", tf_name(op), ".");
  const char donated[] = {given, 0};
  TensorList results;
  found.executable->run(inputs, donated, index_, results);
  results[0].impl()->set_device(device);
  return std::move(results[0]);
}

bool PluginDevice::update(DeviceId device, const cpu::OptimizerStep& step,
                          std::span<const UpdateTarget> targets) {
  return updates_->run(device, index_, step, targets);
}

Tensor PluginDevice::copy_to(DeviceId device, const Tensor& source) {
  Tensor copy = client_.to_device(source, index_);
  if (copy.impl() != source.impl()) copy.impl()->set_device(device);
  return copy;
}

DeviceMemory PluginDevice::memory(DeviceId) {
  const pjrt::MemoryStats stats = client_.memory(index_);
  return {stats.in_use, stats.peak, stats.limit};
}

PluginDevice* plugin_device(DeviceId id) {
  return static_cast<PluginDevice*>(device_at(id).backend);
}

}  // namespace ef::lower
