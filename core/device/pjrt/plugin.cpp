// Loading plugins: versions, errors, clients and their devices.
#include <filesystem>
#include <map>
#include <mutex>

#include "device/pjrt/api.h"
#include "device/pjrt/client.h"
#include "eager/dispatch.h"
#include "platform/process.h"
#include "tensor/error.h"

namespace ef::pjrt {

void Api::refuse_missing(const char* name) const {
  fail(Code::kUnimplemented, "The plugin ", plugin_, " has no function ", name,
       ": it is older than what eagerflow needs. Install a newer version of the plugin's package.");
}

void Api::destroy(PJRT_Error* error) const noexcept {
  auto args = arguments<PJRT_Error_Destroy_Args>();
  args.error = error;
  api_->PJRT_Error_Destroy(&args);
}

void Api::fail_with(PJRT_Error* error, const char* what) const {
  auto message = arguments<PJRT_Error_Message_Args>();
  message.error = error;
  api_->PJRT_Error_Message(&message);
  std::string text(message.message, message.message_size);
  auto code = arguments<PJRT_Error_GetCode_Args>();
  code.error = error;
  if (PJRT_Error* const other = api_->PJRT_Error_GetCode(&code)) {
    destroy(other);
    code.code = PJRT_Error_Code_INTERNAL;
  }
  destroy(error);
  throw Error(static_cast<Code>(code.code), cat(text, " [", plugin_, ", ", what, "]"));
}

bool Client::built_in() { return true; }

namespace {

// The minor version that has all required functions; others are looked up when they are used.
constexpr int kOldestMinor = 40;

const PJRT_Api* open_library(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    fail(Code::kNotFound, "There is no plugin ", path,
         ". EAGERFLOW_PJRT_PLUGINS and tf.config name files of shared libraries.");
  }
  void* const library = platform::load_library(path.c_str());
  if (!library) {
    fail(Code::kNotFound, "The plugin ", path, " cannot be loaded: ", platform::library_error());
  }
  using GetApi = const PJRT_Api* (*)();
  const auto get_api = reinterpret_cast<GetApi>(platform::library_symbol(library, "GetPjrtApi"));
  if (!get_api) {
    fail(Code::kFailedPrecondition, path,
         " is no plugin: it has no function GetPjrtApi, which plugins of the PJRT interface have.");
  }
  const PJRT_Api* const api = get_api();
  if (!api) fail(Code::kFailedPrecondition, "The plugin ", path, " gives no interface.");
  return api;
}

std::pair<int, int> checked_version(const PJRT_Api& api, const std::string& path) {
  const PJRT_Api_Version& version = api.pjrt_api_version;
  if (version.major_version != PJRT_API_MAJOR || version.minor_version < kOldestMinor) {
    fail(Code::kFailedPrecondition, "The plugin ", path, " has version ", version.major_version,
         ".", version.minor_version, " of the PJRT interface; eagerflow was built for ",
         PJRT_API_MAJOR, ".", PJRT_API_MINOR, " and takes ", PJRT_API_MAJOR, ".", kOldestMinor,
         " and later. Install another version of the plugin's package.");
  }
  return {version.major_version, version.minor_version};
}

PJRT_NamedValue named(const Option& option) {
  auto value = arguments<PJRT_NamedValue>();
  value.name = option.first.c_str();
  value.name_size = option.first.size();
  value.value_size = 1;
  if (const auto* text = std::get_if<std::string>(&option.second)) {
    value.type = PJRT_NamedValue_kString;
    value.string_value = text->c_str();
    value.value_size = text->size();
  } else if (const auto* number = std::get_if<int64_t>(&option.second)) {
    value.type = PJRT_NamedValue_kInt64;
    value.int64_value = *number;
  } else if (const auto* flag = std::get_if<bool>(&option.second)) {
    value.type = PJRT_NamedValue_kBool;
    value.bool_value = *flag;
  } else {
    value.type = PJRT_NamedValue_kFloat;
    value.float_value = static_cast<float>(std::get<double>(option.second));
  }
  return value;
}

PJRT_Client* make_client(const Api& api, std::span<const Option> options) {
  std::vector<PJRT_NamedValue> values;
  for (const Option& option : options) values.push_back(named(option));
  auto args = arguments<PJRT_Client_Create_Args>();
  args.create_options = values.data();
  args.num_options = values.size();
  EF_PJRT(api, Client_Create, args);
  return args.client;
}

// Options of XLA's compiler for the CPU. Its defaults may drop a NaN in a maximum or minimum, which
// TensorFlow never does; schedule for many processors, which needs more memory and more switches
// between threads than computing values when they are needed; and sum leading axes element by
// element unless its library of vector loops is allowed.
const std::vector<Option>& options_for_cpu() {
  static const auto& options = *new std::vector<Option>{
      {"xla_cpu_enable_fast_min_max", false},
      {"xla_cpu_enable_concurrency_optimized_scheduler", false},
      {"xla_cpu_experimental_ynn_fusion_type", "LIBRARY_FUSION_TYPE_REDUCE"}};
  return options;
}

DeviceInfo describe(const Api& api, PJRT_Device* device) {
  auto get = arguments<PJRT_Device_GetDescription_Args>();
  get.device = device;
  EF_PJRT(api, Device_GetDescription, get);
  DeviceInfo info;
  info.handle = device;
  auto id = arguments<PJRT_DeviceDescription_Id_Args>();
  id.device_description = get.device_description;
  EF_PJRT(api, DeviceDescription_Id, id);
  info.id = id.id;
  auto kind = arguments<PJRT_DeviceDescription_Kind_Args>();
  kind.device_description = get.device_description;
  EF_PJRT(api, DeviceDescription_Kind, kind);
  info.kind.assign(kind.device_kind, kind.device_kind_size);
  auto text = arguments<PJRT_DeviceDescription_ToString_Args>();
  text.device_description = get.device_description;
  EF_PJRT(api, DeviceDescription_ToString, text);
  info.description.assign(text.to_string, text.to_string_size);
  return info;
}

}  // namespace

Client& Client::load(const std::string& path, std::span<const Option> options) {
  static std::mutex mutex;
  static auto& clients = *new std::map<std::string, Client*>;  // never destroyed
  const KernelRegion released(1e9);  // loading takes long: other threads go on meanwhile
  const std::lock_guard lock(mutex);
  if (const auto found = clients.find(path); found != clients.end()) return *found->second;
  const PJRT_Api* const raw = open_library(path);
  auto client = std::unique_ptr<Client>(new Client);
  client->path_ = path;
  client->version_ = checked_version(*raw, path);
  client->api_ = std::make_shared<const Api>(raw, std::filesystem::path(path).filename().string());
  const Api& api = *client->api_;
  auto initialize = arguments<PJRT_Plugin_Initialize_Args>();
  EF_PJRT(api, Plugin_Initialize, initialize);
  client->handle_ = make_client(api, options);
  auto name = arguments<PJRT_Client_PlatformName_Args>();
  name.client = client->handle_;
  EF_PJRT(api, Client_PlatformName, name);
  client->platform_.assign(name.platform_name, name.platform_name_size);
  if (client->shares_memory()) client->compiler_options_ = options_for_cpu();
  auto version = arguments<PJRT_Client_PlatformVersion_Args>();
  version.client = client->handle_;
  EF_PJRT(api, Client_PlatformVersion, version);
  client->platform_version_.assign(version.platform_version, version.platform_version_size);
  auto devices = arguments<PJRT_Client_AddressableDevices_Args>();
  devices.client = client->handle_;
  EF_PJRT(api, Client_AddressableDevices, devices);
  for (size_t k = 0; k < devices.num_addressable_devices; ++k) {
    client->devices_.push_back(describe(api, devices.addressable_devices[k]));
    client->uses_.push_back(std::make_unique<MemoryUse>(client->devices_[k].description));
  }
  if (client->devices_.empty()) {
    fail(Code::kFailedPrecondition, "The plugin ", path, " has found no devices.");
  }
  return *(clients[path] = client.release());
}

int Client::divide(int device) {
  devices_.push_back(DeviceInfo(this->device(device)));
  uses_.push_back(std::make_unique<MemoryUse>(devices_.back().description));
  return static_cast<int>(devices_.size()) - 1;
}

MemoryStats Client::memory(int device) const {
  const MemoryUse& own = use(device);
  // A part of a device has a configured limit.
  if (own.stats().limit > 0 || !api_->has(&PJRT_Api::PJRT_Device_MemoryStats)) return own.stats();
  auto args = arguments<PJRT_Device_MemoryStats_Args>();
  args.device = this->device(device).handle;
  try {
    EF_PJRT(*api_, Device_MemoryStats, args);
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;
    return own.stats();
  }
  return {args.bytes_in_use, args.peak_bytes_in_use_is_set ? args.peak_bytes_in_use : 0,
          args.bytes_limit_is_set ? args.bytes_limit : 0};
}

}  // namespace ef::pjrt
