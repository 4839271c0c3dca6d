// Where operations run and where values are stored, if there are several devices.
#include "eager/device_backend.h"

#include <algorithm>
#include <cstdio>

#include "device/pjrt/client.h"
#include "eager/observer.h"
#include "graph/record.h"
#include "ops/op_facts.h"

namespace ef {
namespace {

class PlacementLog final : public Observer {
 public:
  void ran(const Op& op, std::span<const Tensor>, AttrsRef,
           std::span<const Tensor> outputs) override {
    const DeviceId id = outputs.empty() ? current_device() : outputs[0].impl()->device();
    std::fprintf(stderr, "Executing op %s in device %s\n", tf_name(op), device_at(id).name.c_str());
  }
};

PlacementLog placement_log;

}  // namespace

Tensor on_device(const Tensor& value, DeviceId device) {
  DeviceBackend* const backend = device_at(device).backend;
  const bool holds = backend && backend->holds(value.dtype());
  Tensor result = holds ? backend->copy_to(device, value) : value;
  if (result.impl() == value.impl()) {
    result = holds ? pjrt::alias(value) : value.alias();
    result.impl()->set_device(backend && !holds ? 0 : device);
  }
  return result;
}

DeviceId device_for(DType dtype) {
  if (!several_devices) [[likely]]
    return 0;
  find_devices();
  const DeviceId id = current_device();
  DeviceBackend* const backend = device_at(id).backend;
  return backend && !backend->holds(dtype) ? 0 : id;
}

Tensor placed_constant(const Tensor& value) {
  const DeviceId id = device_for(value.dtype());
  if (!has_own_memory(id) || value.dtype() == DType::kInt32 || value.impl()->lazy() ||
      graph::building()) {
    return value;
  }
  return on_device(value, id);
}

bool run_on_backend(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                    const SpecList& specs, TensorList& outputs) {
  find_devices();
  const DeviceId id = current_device();
  DeviceBackend* const backend = device_at(id).backend;
  return backend && backend->run(id, op, inputs, attrs, specs, outputs);
}

bool logs_placement() { return std::ranges::find(observers, &placement_log) != observers.end(); }

void log_placement(bool enabled) {
  if (enabled == logs_placement()) return;
  if (enabled) {
    observers.push_back(&placement_log);
  } else {
    std::erase(observers, &placement_log);
  }
}

}  // namespace ef
