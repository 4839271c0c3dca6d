// Accelerators behind the PJRT C interface: a plugin, its devices, memory on them, and programs.
//
// Vendors ship a compiler and runtime as a library with this interface. Nothing is linked: a
// library is loaded when a program asks for it. Without the interface's header at build time,
// load() says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/error.h"
#include "tensor/tensor.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

struct PJRT_Buffer;
struct PJRT_Client;
struct PJRT_Device;
struct PJRT_LoadedExecutable;

namespace ef::pjrt {

class Api;
class Client;

struct DeviceInfo {
  int id = 0;               // the plugin's number
  std::string kind;         // "NVIDIA H100", "cpu"
  std::string description;  // the plugin's words
  PJRT_Device* handle = nullptr;
};

struct MemoryStats {
  int64_t in_use = 0;
  int64_t peak = 0;
  int64_t limit = 0;  // 0 where it is not known
};

// The bytes of tensors on a device, which not every plugin counts.
class MemoryUse {
 public:
  explicit MemoryUse(std::string device) : device_(std::move(device)) {}
  // Throws ResourceExhausted, which says what is asked for, if it would go beyond the limit.
  void check(int64_t bytes, std::span<const TensorSpec> specs) const;
  void add(int64_t bytes);
  MemoryStats stats() const { return {in_use_, peak_, limit_}; }
  void reset_peak() { peak_ = in_use_.load(); }
  void set_limit(int64_t bytes) { limit_ = bytes; }
  // What messages call the device.
  const std::string& device() const { return device_; }
  void set_device(std::string name) { device_ = std::move(name); }

 private:
  std::string device_;
  std::atomic<int64_t> in_use_{0}, peak_{0}, limit_{0};
};

using Option = std::pair<std::string, std::variant<std::string, int64_t, bool, double>>;

// Memory on a device.
class DeviceMemory {
 public:
  // Takes the buffer over.
  DeviceMemory(Client& client, PJRT_Buffer* buffer, TensorSpec spec, int device);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  Client& client() const { return client_; }
  int device() const { return device_; }
  // Throws FailedPrecondition if a program has taken it over.
  PJRT_Buffer* buffer() const;
  // The value on the host, copied when it is first asked for. Throws what computing it has thrown.
  const Tensor& host();
  // Whether a program may write its results over it: nothing on the host reads it.
  bool donatable() const { return buffer_ && !host_; }
  ~DeviceMemory() { release(); }
  void release();

 private:
  Tensor copied();
  Tensor shared();

  Client& client_;
  std::shared_ptr<PJRT_Buffer> buffer_;
  TensorSpec spec_;
  int device_;
  std::mutex mutex_;
  Tensor host_;
};

// What a tensor has in place of memory if its value is on a device. Code that reads the tensor gets
// a copy on the host; the value stays where it is.
class DeviceBuffer final : public LazyValue {
 public:
  explicit DeviceBuffer(std::shared_ptr<DeviceMemory> memory) : memory_(std::move(memory)) {}
  void settle(const Settler& settler) override { settler.lend(memory_->host()); }
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }

 private:
  std::shared_ptr<DeviceMemory> memory_;
};

// The memory of a tensor whose value is on a device; null for others.
DeviceMemory* device_memory(const Tensor& tensor);
// Another tensor with the same value, as Tensor::alias(), which stays on its device.
Tensor alias(const Tensor& tensor);
// Whether a variable's value, of which this is an alias, has no others, and the host has not read
// it: then a program may take its memory over.
bool only_of_variable(const Tensor& tensor);
// The same of the variable's own tensor.
bool only_handle(const Tensor& tensor);

// A compiled program.
class Executable {
 public:
  // Takes the program over.
  Executable(Client& client, PJRT_LoadedExecutable* loaded, SpecList results)
      : client_(client), loaded_(loaded), results_(std::move(results)) {}
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const SpecList& results() const { return results_; }

  // Starts a run on a device; results are appended, and arrive later. Arguments that are not on
  // the device are copied there. The program takes over the memory of the arguments for which
  // `donated` says so, and their tensors have no value any more; it may be empty for none.
  void run(std::span<const Tensor> arguments, std::span<const char> donated, int device,
           TensorList& results) const;
  // The same of a program that was compiled for several devices, on all of them at once: arguments
  // and results are those of each device.
  void run_replicas(std::span<const TensorList> arguments, std::span<const char> donated,
                    std::span<const int> devices, std::span<TensorList> results) const;

  // The program as bytes for Client::load_program; throws Unimplemented if the plugin cannot.
  std::string serialized() const;

 private:
  class Call;

  Client& client_;
  PJRT_LoadedExecutable* loaded_;
  SpecList results_;
};
using ExecutablePtr = std::shared_ptr<const Executable>;

// A plugin's client. Clients live until the process ends: plugins keep threads of their own.
class Client {
 public:
  // Loads a library and asks it for its devices; a library that was loaded before is not loaded
  // again. Throws NotFound if there is no such library, FailedPrecondition if it has no devices or
  // another version of the interface, and what the plugin reports.
  static Client& load(const std::string& path, std::span<const Option> options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  // Whether this module was built with the interface's header.
  static bool built_in();

  const std::string& path() const { return path_; }
  const std::string& platform() const { return platform_; }                  // "cpu", "cuda"
  const std::string& platform_version() const { return platform_version_; }  // the plugin's words
  std::pair<int, int> version() const { return version_; }  // of the interface: major, minor
  // The devices, then further parts of them (divide()): what `device` numbers everywhere.
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  const DeviceInfo& device(int device) const { return devices_[static_cast<size_t>(device)]; }
  // Makes another device of one, whose memory is counted and limited by itself; returns its number.
  int divide(int device);
  const Api& api() const { return *api_; }
  PJRT_Client* handle() const { return handle_; }
  // Whether the host can read the devices' memory.
  bool shares_memory() const { return platform_ == "cpu" || platform_ == "Host"; }

  // Whether values of this dtype can be on a device.
  static bool holds(DType dtype);
  // A copy on a device of a tensor from anywhere; the tensor itself if it is there.
  Tensor to_device(const Tensor& tensor, int device);
  // A tensor for a buffer, which it takes over.
  Tensor adopt(PJRT_Buffer* buffer, const TensorSpec& spec, int device);
  // As the plugin counts, or else the tensors that there are.
  MemoryStats memory(int device) const;
  MemoryUse& use(int device) const { return *uses_[static_cast<size_t>(device)]; }

  // Compiles a program of StableHLO, as text or bytecode, whose results have these specs. One
  // program serves all devices; one whose replicas exchange values is for `devices`.
  ExecutablePtr compile(const std::string& program, const SpecList& results,
                        std::span<const int> devices = {});
  ExecutablePtr load_program(const std::string& serialized, const SpecList& results);
  // What compile() tells the compiler: a serialized xla.CompileOptionsProto.
  std::string compile_options(std::span<const int> devices) const;

 private:
  Client() = default;
  friend class Executable;
  // A buffer on a device for a tensor of the host. One that may stay reads the tensor's own memory
  // where devices can, until it is destroyed.
  PJRT_Buffer* upload(const Tensor& tensor, int device, bool may_stay);
  PJRT_Buffer* copied(const DeviceMemory& memory, int device);
  // Throws the plugin's error, and for one about memory how much is asked for and free.
  [[noreturn]] void refuse(const Error& error, int64_t bytes, std::span<const TensorSpec> specs,
                           int device) const;
  bool forget_option(const Error& error);

  std::string path_, platform_, platform_version_;
  std::pair<int, int> version_;
  std::shared_ptr<const Api> api_;
  PJRT_Client* handle_ = nullptr;
  std::vector<DeviceInfo> devices_;
  std::vector<std::unique_ptr<MemoryUse>> uses_;
  mutable std::mutex options_mutex_;
  std::vector<Option> compiler_options_;
};

}  // namespace ef::pjrt
