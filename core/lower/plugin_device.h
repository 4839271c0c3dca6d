// Devices of plugins in the table of devices.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "eager/device_backend.h"
#include "lower/operation_programs.h"
#include "lower/update_programs.h"
#include "ops/attrs.h"
#include "tensor/tensor_list.h"

namespace ef::lower {

class PluginDevice final : public DeviceBackend {
 public:
  // Adds a device of a plugin to the table, under a name such as "GPU"; returns its row.
  // Allocations beyond `memory_limit` bytes fail; 0 is no limit.
  static DeviceId add(pjrt::Client& client, int index, const std::string& type,
                      int64_t memory_limit);

  pjrt::Client& client() const { return client_; }
  int index() const { return index_; }

  bool holds(DType dtype) const override { return pjrt::Client::holds(dtype); }
  bool run(DeviceId device, const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
           const SpecList& specs, TensorList& outputs) override;
  void prepare_update(const Op& op, const Tensor& value) override;
  Tensor update(DeviceId device, const Op& op, const Tensor& value, const Tensor& other) override;
  bool update(DeviceId device, const cpu::OptimizerStep& step,
              std::span<const UpdateTarget> targets) override;
  Tensor copy_to(DeviceId device, const Tensor& source) override;
  DeviceMemory memory(DeviceId device) override;
  void reset_peak(DeviceId) override { client_.use(index_).reset_peak(); }

 private:
  PluginDevice(pjrt::Client& client, int index, std::shared_ptr<OperationPrograms> programs,
               std::shared_ptr<UpdatePrograms> updates)
      : client_(client),
        index_(index),
        programs_(std::move(programs)),
        updates_(std::move(updates)) {}

  pjrt::Client& client_;
  int index_;
  std::shared_ptr<OperationPrograms> programs_;
  std::shared_ptr<UpdatePrograms> updates_;
};

// The plugin's device behind a row of the table; null for the CPU.
PluginDevice* plugin_device(DeviceId id);

}  // namespace ef::lower
