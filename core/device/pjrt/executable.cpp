// Programs: compiled, loaded and run.
#include "device/pjrt/api.h"
#include "device/pjrt/client.h"
#include "eager/dispatch.h"
#include "tensor/error.h"

namespace ef::pjrt {
namespace {

// xla.CompileOptionsProto: one replica, one partition, for any of the client's devices.
constexpr char kOneDevice[] = "\x1a\x04\x20\x01\x28\x01\x20\x01";

}  // namespace

ExecutablePtr Client::compile(const std::string& program, const SpecList& results) {
  auto source = arguments<PJRT_Program>();
  source.code = const_cast<char*>(program.data());
  source.code_size = program.size();
  source.format = "mlir";
  source.format_size = 4;
  auto args = arguments<PJRT_Client_Compile_Args>();
  args.client = handle_;
  args.program = &source;
  args.compile_options = kOneDevice;
  args.compile_options_size = sizeof kOneDevice - 1;
  const KernelRegion released(1e9);
  EF_PJRT(*api_, Client_Compile, args);
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

void Executable::run(std::span<const Tensor> inputs, std::span<const char> donated, int device,
                     TensorList& results) const {
  const Api& api = client_.api();
  Temporaries temporaries(api);
  InlineVector<PJRT_Buffer*, 16> buffers;
  InlineVector<int64_t, 16> kept;  // inputs whose memory is not the program's
  for (size_t k = 0; k < inputs.size(); ++k) {
    const bool given = k < donated.size() && donated[k];
    if (!given) kept.push_back(static_cast<int64_t>(k));
    DeviceMemory* const memory = device_memory(inputs[k]);
    if (memory && &memory->client() == &client_) {
      buffers.push_back(memory->device() == device
                            ? memory->buffer()
                            : temporaries.add(client_.copied(*memory, device)));
    } else {
      buffers.push_back(temporaries.add(client_.upload(inputs[k], device, true)));
    }
  }
  int64_t needed = 0;
  for (const TensorSpec& spec : results_) {
    needed += spec.shape.num_elements() * static_cast<int64_t>(element_size(spec.dtype));
  }
  for (size_t k = 0; k < donated.size(); ++k) {
    if (donated[k]) needed -= inputs[k].bytes();
  }
  client_.use(device).check(needed, {results_.begin(), results_.size()},
                            client_.devices()[static_cast<size_t>(device)].description);
  InlineVector<PJRT_Buffer*, 16> outputs;
  outputs.resize(results_.size());
  auto options = arguments<PJRT_ExecuteOptions>();
  options.non_donatable_input_indices = kept.begin();
  options.num_non_donatable_input_indices = kept.size();
  auto args = arguments<PJRT_LoadedExecutable_Execute_Args>();
  PJRT_Buffer* const* argument_list = buffers.begin();
  PJRT_Buffer** output_list = outputs.begin();
  args.executable = loaded_;
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = inputs.size();
  args.output_lists = &output_list;
  args.execute_device = client_.devices()[static_cast<size_t>(device)].handle;
  EF_PJRT(api, LoadedExecutable_Execute, args);
  for (size_t k = 0; k < donated.size(); ++k) {
    if (DeviceMemory* const memory = donated[k] ? device_memory(inputs[k]) : nullptr) {
      memory->release();
    }
  }
  for (size_t k = 0; k < results_.size(); ++k) {
    results.push_back(client_.adopt(outputs[k], results_[k], device));
  }
}

}  // namespace ef::pjrt
