// The interface of devices with memory of their own, which run operations there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "device/devices.h"
#include "kernels/cpu/optimizers.h"
#include "ops/attrs.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

namespace ef {

struct UpdateTarget;  // eager/fused_update.h

struct DeviceMemory {
  int64_t in_use = 0;
  int64_t peak = 0;
  int64_t limit = 0;  // 0 if unknown
};

// Tensors of such a device are lazy: reading their memory copies it to the host.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;

  // Whether the device can store values of a dtype; others stay on the host.
  virtual bool holds(DType dtype) const = 0;
  // Runs an operation on a device, and appends the results, which are on the device, to `outputs`.
  // Returns false, with nothing done, if it cannot; the host then runs the operation.
  virtual bool run(DeviceId device, const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                   const SpecList& specs, TensorList& outputs) = 0;
  // The result of an operation on a variable's value and another value on the device, of the same
  // dtype and shape. It may reuse the memory of `value` if only the variable has a handle.
  // `prepare` does the slow part, during which other threads may have Python's lock.
  virtual void prepare_update(const Op& op, const Tensor& value) = 0;
  virtual Tensor update(DeviceId device, const Op& op, const Tensor& value,
                        const Tensor& other) = 0;
  // Updates variables of the device by an optimizer's rule. Returns false, with nothing done, if
  // the device does not support it.
  virtual bool update(DeviceId device, const cpu::OptimizerStep& step,
                      std::span<const UpdateTarget> targets) = 0;
  // A copy of a value on this device; the tensor itself if it is already there.
  virtual Tensor copy_to(DeviceId device, const Tensor& source) = 0;
  virtual DeviceMemory memory(DeviceId device) = 0;
  virtual void reset_peak(DeviceId device) = 0;
};

// The value on a device: the same memory if the device uses the host's memory, otherwise a copy.
// Values that the device cannot store stay on the host.
Tensor on_device(const Tensor& value, DeviceId device);
// Copies a value from the host to the current device. As in TensorFlow, int32 stays on the host.
Tensor placed_constant(const Tensor& value);
// The device of a new value of a dtype: the current device if it can store it, else the host.
DeviceId device_for(DType dtype);

// Runs an operation on the current device if that has its own memory and a program for it.
bool run_on_backend(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                    const SpecList& specs, TensorList& outputs);

// If enabled, writes the name and device of each operation that runs to standard error.
void log_placement(bool enabled);
bool logs_placement();

}  // namespace ef
