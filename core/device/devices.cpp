// The table of devices.
#include "device/devices.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "tensor/error.h"

namespace ef {
namespace {

// Readers take no lock: a row is written before it is counted.
struct Table {
  Table() { add("CPU", nullptr); }

  DeviceId add(const std::string& type, DeviceBackend* backend) {
    const std::lock_guard lock(mutex);
    const int row = count.load();
    if (row == static_cast<int>(rows.size())) {
      fail(Code::kResourceExhausted, "A process has at most ", rows.size(), " devices.");
    }
    int index = 0;
    for (int k = 0; k < row; ++k) index += rows[static_cast<size_t>(k)]->type == type;
    const std::string name = cat("/job:localhost/replica:0/task:0/device:", type, ":", index);
    rows[static_cast<size_t>(row)] = std::make_unique<Device>(Device{type, index, name, backend});
    count.store(row + 1, std::memory_order_release);
    return static_cast<DeviceId>(row);
  }

  std::array<std::unique_ptr<const Device>, 256> rows;
  std::atomic<int> count{0};
  std::atomic<DeviceId> chosen{0};  // the device of operations outside of all scopes
  std::mutex mutex;
};

Table& table() {
  static Table* const devices = new Table;  // threads may read it until the process ends
  return *devices;
}

constinit thread_local int scope = -1;

std::atomic<FindDevices> finder{nullptr};

}  // namespace

void find_devices_later(FindDevices find) {
  finder.store(find);
  several_devices = find || device_count() > 1;
}

void find_devices() {
  if (!finder.load(std::memory_order_relaxed)) [[likely]]
    return;
  if (const FindDevices find = finder.exchange(nullptr)) find();
}

DeviceId add_device(const std::string& type, DeviceBackend* backend) {
  const DeviceId id = table().add(type, backend);
  several_devices = true;
  return id;
}

int device_count() { return table().count.load(std::memory_order_acquire); }

const Device& device_at(DeviceId id) { return *table().rows[id]; }

DeviceId current_device() {
  return scope >= 0 ? static_cast<DeviceId>(scope) : table().chosen.load();
}

void set_default_device(DeviceId id) { table().chosen.store(id); }

int enter_device(int id) { return std::exchange(scope, id); }

bool has_own_memory(DeviceId id) { return device_at(id).backend != nullptr; }

DeviceId current_host_device() {
  const DeviceId id = current_device();
  return device_at(id).backend ? 0 : id;
}

}  // namespace ef
