// What runs operations on devices with memory of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "device/devices.h"
#include "ops/op.h"

namespace ef {

struct DeviceMemory {
  int64_t in_use = 0;
  int64_t peak = 0;
  int64_t limit = 0;  // 0 if it is not known
};

// Tensors of such a device are lazy: reading their memory copies it to the host.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;

  // Runs an operation on a device, and puts the results, which lie there, into `outputs`. Returns
  // false, and has done nothing, if it cannot: the host then runs it.
  virtual bool run(DeviceId device, const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                   const SpecList& specs, TensorList& outputs) = 0;
  // A copy of a tensor of any device.
  virtual Tensor copy_to(DeviceId device, const Tensor& source) = 0;
  virtual DeviceMemory memory(DeviceId device) = 0;
  virtual void reset_peak(DeviceId device) = 0;
};

// The value on a device: the same memory where the host's is the device's, else a copy.
Tensor on_device(const Tensor& value, DeviceId device);

// Runs an operation on the current device if that has memory of its own and a program for it.
bool run_on_backend(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                    const SpecList& specs, TensorList& outputs);

// Writes, for each operation that runs from now on, its name and device to standard error.
void log_placement(bool enabled);
bool logs_placement();

}  // namespace ef
