// Where operations run and values lie, if there are several devices.
#include "eager/device_backend.h"

#include <algorithm>
#include <cstdio>

#include "eager/observer.h"

namespace ef {
namespace {

class PlacementLog final : public Observer {
 public:
  void ran(const Op& op, std::span<const Tensor>, AttrsRef,
           std::span<const Tensor> outputs) override {
    const DeviceId id = outputs.empty() ? current_device() : outputs[0].impl()->device();
    std::fprintf(stderr, "Executing op %s in device %s\n", op.tf_name, device_at(id).name.c_str());
  }
};

PlacementLog placement_log;

}  // namespace

Tensor on_device(const Tensor& value, DeviceId device) {
  if (DeviceBackend* const backend = device_at(device).backend) {
    return backend->copy_to(device, value);
  }
  Tensor result = value.alias();
  result.impl()->set_device(device);
  return result;
}

bool run_on_backend(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                    const SpecList& specs, TensorList& outputs) {
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
