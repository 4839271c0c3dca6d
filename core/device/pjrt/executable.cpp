// Programs: compiled, loaded and run.
#include <memory>
#include <string_view>
#include <vector>

#include "device/pjrt/api.h"
#include "device/pjrt/client.h"
#include "eager/dispatch.h"
#include "tensor/error.h"

namespace ef::pjrt {
namespace {

// xla.CompileOptionsProto: one replica, one partition, for any of the client's devices.
constexpr std::string_view kOneDevice{"\x1a\x04\x20\x01\x28\x01\x20\x01", 8};

std::string varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

std::string message(char tag, const std::string& content) {
  return tag + varint(content.size()) + content;
}

// A replica on each of these devices.
std::string replica_options(const std::vector<DeviceInfo>& all, std::span<const int> devices) {
  std::string ids;
  for (const int device : devices) {
    ids += varint(static_cast<uint64_t>(all[static_cast<size_t>(device)].id));
  }
  const std::string count = varint(devices.size());
  const std::string assignment =
      "\x08" + count + "\x10\x01" + message('\x1a', message('\x0a', ids));
  return message('\x1a', "\x20" + count + "\x28\x01" + message('\x4a', assignment));
}

// An entry of env_option_overrides. Enumerations are written as text.
std::string override_of(const Option& option) {
  std::string value;
  if (const bool* const flag = std::get_if<bool>(&option.second)) {
    value = std::string{'\x10', static_cast<char>(*flag)};
  } else {
    value = message('\x0a', std::get<std::string>(option.second));
  }
  return message('\x3a', message('\x0a', option.first) + message('\x12', value));
}

}  // namespace

std::string Client::compile_options(std::span<const int> devices) const {
  std::string options =
      devices.empty() ? std::string(kOneDevice) : replica_options(devices_, devices);
  const std::lock_guard lock(options_mutex_);
  for (const Option& option : compiler_options_) options += override_of(option);
  return options;
}

// Whether an error says that the compiler, of another version, lacks an option. That option is not
// passed again.
bool Client::forget_option(const Error& error) {
  if (error.code() != Code::kInvalidArgument) return false;
  const std::lock_guard lock(options_mutex_);
  return std::erase_if(compiler_options_, [&](const Option& option) {
           const std::string quoted = cat("'", option.first, "'");
           return std::string_view(error.what()).find(quoted) != std::string::npos;
         }) > 0;
}

ExecutablePtr Client::compile(const std::string& program, const SpecList& results,
                              std::span<const int> devices) {
  auto source = arguments<PJRT_Program>();
  source.code = const_cast<char*>(program.data());
  source.code_size = program.size();
  source.format = "mlir";
  source.format_size = 4;
  auto args = arguments<PJRT_Client_Compile_Args>();
  args.client = handle_;
  args.program = &source;
  const KernelRegion released(1e9);
  for (bool compiled = false; !compiled;) {
    const std::string options = compile_options(devices);
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    try {
      EF_PJRT(*api_, Client_Compile, args);
      compiled = true;
    } catch (const Error& error) {
      if (!forget_option(error)) throw;
    }
  }
  return std::make_shared<const Executable>(*this, args.executable, results);
}

ExecutablePtr Client::load_program(const std::string& serialized, const SpecList& results) {
  auto args = arguments<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = handle_;
  args.serialized_executable = serialized.data();
  args.serialized_executable_size = serialized.size();
  const KernelRegion released(1e9);
  EF_PJRT(*api_, Executable_DeserializeAndLoad, args);
  return std::make_shared<const Executable>(*this, args.loaded_executable, results);
}

Executable::~Executable() {
  auto args = arguments<PJRT_LoadedExecutable_Destroy_Args>();
  args.executable = loaded_;
  client_.api().quietly(&PJRT_Api::PJRT_LoadedExecutable_Destroy, args);
}

std::string Executable::serialized() const {
  const Api& api = client_.api();
  auto get = arguments<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = loaded_;
  EF_PJRT(api, LoadedExecutable_GetExecutable, get);
  auto args = arguments<PJRT_Executable_Serialize_Args>();
  args.executable = get.executable;
  auto destroy = arguments<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  try {
    EF_PJRT(api, Executable_Serialize, args);
  } catch (...) {
    api.quietly(&PJRT_Api::PJRT_Executable_Destroy, destroy);
    throw;
  }
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  api.quietly(&PJRT_Api::PJRT_Executable_Destroy, destroy);
  return bytes;
}

namespace {

// Buffers that live as long as a call.
class Temporaries {
 public:
  explicit Temporaries(const Api& api) : api_(api) {}
  ~Temporaries() {
    for (PJRT_Buffer* buffer : buffers_) {
      auto args = arguments<PJRT_Buffer_Destroy_Args>();
      args.buffer = buffer;
      api_.quietly(&PJRT_Api::PJRT_Buffer_Destroy, args);
    }
  }
  Temporaries(const Temporaries&) = delete;
  Temporaries& operator=(const Temporaries&) = delete;
  PJRT_Buffer* add(PJRT_Buffer* buffer) {
    buffers_.push_back(buffer);
    return buffer;
  }

 private:
  const Api& api_;
  InlineVector<PJRT_Buffer*, 8> buffers_;
};

}  // namespace

// The arguments and results of an execution on one device.
class Executable::Call {
 public:
  Call(const Executable& self, std::span<const Tensor> inputs, std::span<const char> donated,
       int device)
      : self_(self),
        inputs_(inputs),
        donated_(donated),
        device_(device),
        temporaries_(self.client_.api()) {
    Client& client = self.client_;
    for (const Tensor& input : inputs) {
      DeviceMemory* const memory = device_memory(input);
      if (memory && &memory->client() == &client) {
        const bool is_there =
            client.device(memory->device()).handle == client.device(device).handle;
        buffers_.push_back(is_there ? memory->buffer()
                                    : temporaries_.add(client.copied(*memory, device)));
      } else {
        buffers_.push_back(temporaries_.add(client.upload(input, device, true)));
      }
    }
    for (const TensorSpec& spec : self.results_) {
      needed_ += spec.shape.num_elements() * static_cast<int64_t>(element_size(spec.dtype));
    }
    for (size_t k = 0; k < donated.size(); ++k) {
      if (donated[k]) needed_ -= inputs[k].bytes();
    }
    client.use(device).check(needed_, specs());
    outputs_.resize(self.results_.size());
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  PJRT_Buffer* const* arguments() const { return buffers_.begin(); }
  PJRT_Buffer** outputs() { return outputs_.begin(); }

  // The bytes that results need beyond donated memory.
  int64_t needed() const { return needed_; }
  std::span<const TensorSpec> specs() const {
    return {self_.results_.begin(), self_.results_.size()};
  }

  // Called after the execution has begun: releases donated inputs and adopts the outputs.
  void finish(TensorList& results) const {
    for (size_t k = 0; k < donated_.size(); ++k) {
      if (DeviceMemory* const memory = donated_[k] ? device_memory(inputs_[k]) : nullptr) {
        memory->release();
      }
    }
    for (size_t k = 0; k < outputs_.size(); ++k) {
      results.push_back(self_.client_.adopt(outputs_[k], self_.results_[k], device_));
    }
  }

 private:
  const Executable& self_;
  std::span<const Tensor> inputs_;
  std::span<const char> donated_;
  int device_;
  int64_t needed_ = 0;
  Temporaries temporaries_;
  InlineVector<PJRT_Buffer*, 16> buffers_, outputs_;
};

namespace {

// The indices of inputs that are not donated.
InlineVector<int64_t, 16> kept_inputs(size_t count, std::span<const char> donated) {
  InlineVector<int64_t, 16> kept;
  for (size_t k = 0; k < count; ++k) {
    if (k >= donated.size() || !donated[k]) kept.push_back(static_cast<int64_t>(k));
  }
  return kept;
}

}  // namespace

void Executable::run(std::span<const Tensor> inputs, std::span<const char> donated, int device,
                     TensorList& results) const {
  Call call(*this, inputs, donated, device);
  const auto kept = kept_inputs(inputs.size(), donated);
  auto options = arguments<PJRT_ExecuteOptions>();
  options.non_donatable_input_indices = kept.begin();
  options.num_non_donatable_input_indices = kept.size();
  auto args = arguments<PJRT_LoadedExecutable_Execute_Args>();
  PJRT_Buffer* const* argument_list = call.arguments();
  PJRT_Buffer** output_list = call.outputs();
  args.executable = loaded_;
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = inputs.size();
  args.output_lists = &output_list;
  args.execute_device = client_.device(device).handle;
  try {
    EF_PJRT(client_.api(), LoadedExecutable_Execute, args);
  } catch (const Error& error) {
    client_.refuse(error, call.needed(), call.specs(), device);
  }
  call.finish(results);
}

void Executable::run_replicas(std::span<const TensorList> inputs, std::span<const char> donated,
                              std::span<const int> devices, std::span<TensorList> results) const {
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (size_t k = 0; k < devices.size(); ++k) {
    Call& call = *calls.emplace_back(std::make_unique<Call>(*this, inputs[k], donated, devices[k]));
    argument_lists.push_back(call.arguments());
    output_lists.push_back(call.outputs());
  }
  const auto kept = kept_inputs(inputs[0].size(), donated);
  auto options = arguments<PJRT_ExecuteOptions>();
  options.non_donatable_input_indices = kept.begin();
  options.num_non_donatable_input_indices = kept.size();
  auto args = arguments<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = loaded_;
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = devices.size();
  args.num_args = inputs[0].size();
  args.output_lists = output_lists.data();
  {
    // Replicas wait for each other.
    const KernelRegion released(1e9);
    EF_PJRT(client_.api(), LoadedExecutable_Execute, args);
  }
  for (size_t k = 0; k < devices.size(); ++k) calls[k]->finish(results[k]);
}

}  // namespace ef::pjrt
