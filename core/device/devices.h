// The devices of the process, and the one that a thread computes on.
#pragma once

#include <cstdint>
#include <string>

namespace ef {

class DeviceBackend;  // eager/device_backend.h

// The row of a device in the table of all. Row 0 is the CPU that is always there. Rows are added,
// but never changed or removed.
using DeviceId = uint8_t;

struct Device {
  std::string type;  // "CPU"
  int index;         // among those of its type
  std::string name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  // What runs operations there; null for a device that computes with our kernels in the host's
  // memory.
  DeviceBackend* backend;
};

// What adds the devices of this machine when a program first computes something or makes a
// variable; null where there are none to look for, or they have been added.
using FindDevices = void (*)();
void find_devices_later(FindDevices find);
void find_devices();

// Adds a device; its index is the number of devices of its type before it. Throws
// ResourceExhausted if there are 256 already.
DeviceId add_device(const std::string& type, DeviceBackend* backend = nullptr);
int device_count();
const Device& device_at(DeviceId id);

// Whether there is more than the one CPU, or may be: the comparison that operations pay for where
// there is not.
inline bool several_devices = false;

// The device on which operations of this thread run: that of the innermost scope, or else the
// default one, which is row 0 unless a back end has chosen another.
DeviceId current_device();
// Whether that is one with memory of its own.
bool has_own_memory(DeviceId id);
inline bool computes_elsewhere() { return several_devices && has_own_memory(current_device()); }
void set_default_device(DeviceId id);
// Begins a scope, and returns the device of the one around; -1 is none.
int enter_device(int id);

// Runs operations of this thread on a device during its lifetime.
class DeviceScope {
 public:
  explicit DeviceScope(DeviceId id) : before_(enter_device(id)) {}
  ~DeviceScope() { enter_device(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_;
};

// The device of new tensors that lie in the host's memory: the current one if it computes there, or
// row 0.
DeviceId current_host_device();

}  // namespace ef
