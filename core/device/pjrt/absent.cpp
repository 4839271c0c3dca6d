// Replaces the other files if the interface's header is missing at build time.
#include "device/pjrt/client.h"
#include "tensor/error.h"

namespace ef::pjrt {
namespace {

[[noreturn]] void refuse_accelerators() {
  fail(Code::kUnimplemented,
       "This build of eagerflow has no accelerators: the header of the PJRT interface was missing "
       "when it was built. Install the package xla-cpu-pjrt, which has it, and build again.");
}

}  // namespace

bool Client::built_in() { return false; }
bool Client::holds(DType) { return false; }
Client& Client::load(const std::string&, std::span<const Option>) { refuse_accelerators(); }
Tensor Client::to_device(const Tensor&, int) { refuse_accelerators(); }
Tensor Client::adopt(PJRT_Buffer*, const TensorSpec&, int) { refuse_accelerators(); }
MemoryStats Client::memory(int) const { refuse_accelerators(); }
ExecutablePtr Client::compile(const std::string&, const SpecList&, std::span<const int>) {
  refuse_accelerators();
}
ExecutablePtr Client::load_program(const std::string&, const SpecList&) { refuse_accelerators(); }
std::string Client::compile_options(std::span<const int>) const { refuse_accelerators(); }
Executable::~Executable() = default;
void Executable::run(std::span<const Tensor>, std::span<const char>, int, TensorList&) const {
  refuse_accelerators();
}
void Executable::run_replicas(std::span<const TensorList>, std::span<const char>,
                              std::span<const int>, std::span<TensorList>) const {
  refuse_accelerators();
}
std::string Executable::serialized() const { refuse_accelerators(); }
Tensor alias(const Tensor& tensor) { return tensor.alias(); }
bool only_of_variable(const Tensor&) { return false; }
bool only_handle(const Tensor&) { return false; }
DeviceMemory* device_memory(const Tensor&) { return nullptr; }
PJRT_Buffer* DeviceMemory::buffer() const { return buffer_.get(); }
const Tensor& DeviceMemory::host() { refuse_accelerators(); }
void DeviceMemory::release() { buffer_.reset(); }
void MemoryUse::check(int64_t, std::span<const TensorSpec>) const {}
int Client::divide(int) { refuse_accelerators(); }
void MemoryUse::add(int64_t) {}

}  // namespace ef::pjrt
