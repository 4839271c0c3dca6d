// Memory on devices: copies from and to the host, and between devices.
#include <algorithm>
#include <cstring>
#include <optional>

#include "device/pjrt/api.h"
#include "device/pjrt/client.h"
#include "eager/dispatch.h"
#include "tensor/error.h"

namespace ef::pjrt {
namespace {

struct TypePair {
  DType dtype;
  PJRT_Buffer_Type type;
};

// Dtypes whose elements have the same bytes on devices as on the host.
constexpr TypePair kTypes[] = {
    {DType::kBool, PJRT_Buffer_Type_PRED},       {DType::kInt8, PJRT_Buffer_Type_S8},
    {DType::kInt16, PJRT_Buffer_Type_S16},       {DType::kInt32, PJRT_Buffer_Type_S32},
    {DType::kInt64, PJRT_Buffer_Type_S64},       {DType::kUint8, PJRT_Buffer_Type_U8},
    {DType::kUint16, PJRT_Buffer_Type_U16},      {DType::kUint32, PJRT_Buffer_Type_U32},
    {DType::kUint64, PJRT_Buffer_Type_U64},      {DType::kFloat16, PJRT_Buffer_Type_F16},
    {DType::kBfloat16, PJRT_Buffer_Type_BF16},   {DType::kFloat32, PJRT_Buffer_Type_F32},
    {DType::kFloat64, PJRT_Buffer_Type_F64},     {DType::kComplex64, PJRT_Buffer_Type_C64},
    {DType::kComplex128, PJRT_Buffer_Type_C128},
};

std::optional<PJRT_Buffer_Type> find_type(DType dtype) {
  for (const TypePair& pair : kTypes) {
    if (pair.dtype == dtype) return pair.type;
  }
  return std::nullopt;
}

PJRT_Buffer_Type type_of(DType dtype) {
  const std::optional<PJRT_Buffer_Type> type = find_type(dtype);
  if (!type) {
    invalid_argument("Tensors of dtype ", dtype, " stay on the host: accelerators do not hold it.");
  }
  return *type;
}

void destroy(const Api& api, PJRT_Event* event) {
  auto args = arguments<PJRT_Event_Destroy_Args>();
  args.event = event;
  api.quietly(&PJRT_Api::PJRT_Event_Destroy, args);
}

// Waits for an event, destroys it, and throws its error.
void await(const Api& api, PJRT_Event* event) {
  if (!event) return;
  auto ready = arguments<PJRT_Event_IsReady_Args>();
  ready.event = event;
  EF_PJRT(api, Event_IsReady, ready);
  auto args = arguments<PJRT_Event_Await_Args>();
  args.event = event;
  try {
    const KernelRegion released(ready.is_ready ? 0 : 1e9);
    EF_PJRT(api, Event_Await, args);
  } catch (...) {
    destroy(api, event);
    throw;
  }
  destroy(api, event);
}

struct Held {
  Tensor tensor;
  const Api* api;
  PJRT_Event* event;
};

void release_held(PJRT_Error* error, void* held) {
  auto* const mine = static_cast<Held*>(held);
  if (error) {
    try {
      mine->api->fail_with(error, "copy to the device");
    } catch (const Error&) {
      // The buffer has the same error, which its readers get.
    }
  }
  destroy(*mine->api, mine->event);
  delete mine;
}

// Tensors up to this size are copied at once, which is faster than an event.
constexpr int64_t kSmall = 16'384;

// From this size on, memory of our allocator, which reuses large pages, is faster to write than
// memory that a CPU plugin requests from the system.
constexpr int64_t kLarge = 1 << 20;

Tensor copy_of(const Tensor& tensor) {
  Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape());
  const auto bytes = static_cast<size_t>(tensor.bytes());
  const KernelRegion released(static_cast<double>(bytes) / 4);
  std::memcpy(copy.mutable_raw_data(), tensor.raw_data(), bytes);
  return copy;
}

int64_t bytes_of(const TensorSpec& spec) {
  return spec.shape.num_elements() * static_cast<int64_t>(element_size(spec.dtype));
}

}  // namespace

bool Client::holds(DType dtype) { return find_type(dtype).has_value(); }

PJRT_Buffer* Client::upload(const Tensor& tensor, int device, bool may_stay) {
  auto args = arguments<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = handle_;
  args.data = tensor.raw_data();
  args.type = type_of(tensor.dtype());
  args.dims = tensor.shape().data();
  args.num_dims = static_cast<size_t>(tensor.rank());
  args.device = this->device(device).handle;
  // NumPy's memory, which is not writable, is released with Python's lock held, and a thread of the
  // plugin must not wait for that lock.
  const bool stays = may_stay && tensor.bytes() > kSmall && tensor.impl()->buffer()->writable();
  const TensorSpec spec{tensor.dtype(), tensor.shape()};
  use(device).check(tensor.bytes(), {&spec, 1});
  args.host_buffer_semantics = stays ? PJRT_HostBufferSemantics_kImmutableZeroCopy
                                     : PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  try {
    EF_PJRT(*api_, Client_BufferFromHostBuffer, args);
  } catch (const Error& error) {
    refuse(error, tensor.bytes(), {&spec, 1}, device);
  }
  if (!stays) {
    destroy(*api_, args.done_with_host_buffer);
    return args.buffer;
  }
  auto on_ready = arguments<PJRT_Event_OnReady_Args>();
  on_ready.event = args.done_with_host_buffer;
  on_ready.callback = release_held;
  on_ready.user_arg = new Held{tensor, api_.get(), args.done_with_host_buffer};
  EF_PJRT(*api_, Event_OnReady, on_ready);
  return args.buffer;
}

namespace {

// "tensor with shape[2,3] and type float", as in TensorFlow's messages.
std::string described(std::span<const TensorSpec> specs) {
  constexpr size_t kMost = 4;
  std::string text;
  for (const TensorSpec& spec : specs.first(std::min(specs.size(), kMost))) {
    text +=
        cat(text.empty() ? "" : " and ", "tensor with shape", spec.shape, " and type ", spec.dtype);
  }
  return specs.size() > kMost ? cat(text, " and ", specs.size() - kMost, " more") : text;
}

constexpr const char* kAdvice =
    " Delete tensors that are not needed any more, take smaller batches, or give the device more "
    "by "
    "tf.config.LogicalDeviceConfiguration(memory_limit=...).";

}  // namespace

void Client::refuse(const Error& error, int64_t bytes, std::span<const TensorSpec> specs,
                    int device) const {
  if (error.code() != Code::kResourceExhausted) throw error;
  MemoryStats stats = use(device).stats();
  try {
    stats = memory(device);
  } catch (const Error&) {
    // The plugin does not report it.
  }
  const std::string room =
      stats.limit > 0 ? cat("of ", stats.limit, " there are ", stats.limit - stats.in_use, " free")
                      : cat("and tensors have ", stats.in_use);
  fail(Code::kResourceExhausted, "OOM when allocating ", described(specs), " on ",
       use(device).device(), ": it takes ", bytes, " bytes, ", room, ". ", error.what(), kAdvice);
}

PJRT_Buffer* Client::copied(const DeviceMemory& memory, int device) {
  auto args = arguments<PJRT_Buffer_CopyToDevice_Args>();
  args.buffer = memory.buffer();
  args.dst_device = this->device(device).handle;
  EF_PJRT(*api_, Buffer_CopyToDevice, args);
  return args.dst_buffer;
}

Tensor Client::adopt(PJRT_Buffer* buffer, const TensorSpec& spec, int device) {
  auto memory = std::make_shared<DeviceMemory>(*this, buffer, spec, device);
  return Tensor(TensorImpl::create_lazy(spec.dtype, spec.shape,
                                        std::make_unique<DeviceBuffer>(std::move(memory))));
}

Tensor Client::to_device(const Tensor& tensor, int device) {
  const TensorSpec spec{tensor.dtype(), tensor.shape()};
  DeviceMemory* const memory = device_memory(tensor);
  if (!memory || &memory->client() != this) {
    if (shares_memory() && tensor.bytes() >= kLarge) {
      return adopt(upload(copy_of(tensor), device, true), spec, device);
    }
    return adopt(upload(tensor, device, false), spec, device);
  }
  if (memory->device() == device) return tensor;
  use(device).check(tensor.bytes(), {&spec, 1});
  // Parts of one device share its memory, so a separate copy goes through the host.
  if (this->device(memory->device()).handle == this->device(device).handle) {
    return adopt(upload(memory->host(), device, false), spec, device);
  }
  return adopt(copied(*memory, device), spec, device);
}

DeviceMemory* device_memory(const Tensor& tensor) {
  LazyValue* const lazy = tensor.impl()->lazy();
  auto* const buffer = lazy ? dynamic_cast<DeviceBuffer*>(lazy) : nullptr;
  return buffer ? buffer->memory().get() : nullptr;
}

Tensor alias(const Tensor& tensor) {
  LazyValue* const lazy = tensor.impl()->lazy();
  auto* const buffer = lazy ? dynamic_cast<DeviceBuffer*>(lazy) : nullptr;
  if (!buffer) return tensor.alias();
  Tensor result(TensorImpl::create_lazy(tensor.dtype(), tensor.shape(),
                                        std::make_unique<DeviceBuffer>(buffer->memory())));
  result.impl()->set_device(tensor.impl()->device());
  return result;
}

namespace {

bool has_tensors(const Tensor& tensor, long count) {
  LazyValue* const lazy = tensor.impl()->lazy();
  auto* const buffer = lazy ? dynamic_cast<DeviceBuffer*>(lazy) : nullptr;
  return buffer && buffer->memory().use_count() == count && buffer->memory()->donatable();
}

}  // namespace

bool only_of_variable(const Tensor& tensor) { return has_tensors(tensor, 2); }
bool only_handle(const Tensor& tensor) {
  return tensor.impl()->handles() == 1 && has_tensors(tensor, 1);
}

DeviceMemory::DeviceMemory(Client& client, PJRT_Buffer* buffer, TensorSpec spec, int device)
    : client_(client),
      buffer_(buffer,
              [&api = client.api()](PJRT_Buffer* owned) {
                auto args = arguments<PJRT_Buffer_Destroy_Args>();
                args.buffer = owned;
                api.quietly(&PJRT_Api::PJRT_Buffer_Destroy, args);
              }),
      spec_(std::move(spec)),
      device_(device) {
  client_.use(device_).add(bytes_of(spec_));
}

void DeviceMemory::release() {
  if (!buffer_) return;
  buffer_.reset();
  client_.use(device_).add(-bytes_of(spec_));
}

void MemoryUse::add(int64_t bytes) {
  const int64_t now = in_use_ += bytes;
  int64_t peak = peak_;
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

void MemoryUse::check(int64_t bytes, std::span<const TensorSpec> specs) const {
  const int64_t limit = limit_, in_use = in_use_;
  if (limit <= 0 || in_use + bytes <= limit) return;
  fail(Code::kResourceExhausted, "OOM when allocating ", described(specs), " on ", device_,
       ": it takes ", bytes, " bytes, of ", limit, " there are ",
       std::max<int64_t>(limit - in_use, 0), " free.", kAdvice);
}

PJRT_Buffer* DeviceMemory::buffer() const {
  if (!buffer_) {
    fail(Code::kFailedPrecondition, "The tensor of dtype ", spec_.dtype, " and shape ", spec_.shape,
         " has no value any more: a program on its device has taken over its memory.");
  }
  return buffer_.get();
}

const Tensor& DeviceMemory::host() {
  {
    const std::lock_guard lock(mutex_);
    if (host_) return host_;
  }
  // Two threads may both copy; the first one's is kept.
  Tensor copy = client_.shares_memory() ? shared() : copied();
  const std::lock_guard lock(mutex_);
  if (!host_) host_ = std::move(copy);
  return host_;
}

// The memory itself, where the host can read it.
Tensor DeviceMemory::shared() {
  const Api& api = client_.api();
  auto ready = arguments<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer();
  EF_PJRT(api, Buffer_ReadyEvent, ready);
  await(api, ready.event);
  auto args = arguments<PJRT_Buffer_UnsafePointer_Args>();
  args.buffer = buffer();
  EF_PJRT(api, Buffer_UnsafePointer, args);
  using Owner = std::shared_ptr<PJRT_Buffer>;
  auto* const data = reinterpret_cast<std::byte*>(args.buffer_pointer);
  const auto bytes = static_cast<size_t>(spec_.shape.num_elements()) * element_size(spec_.dtype);
  Buffer* const memory = Buffer::adopt(
      data, bytes, [](void* owner) { delete static_cast<Owner*>(owner); }, new Owner(buffer_));
  return Tensor(TensorImpl::create(spec_.dtype, spec_.shape, memory, data));
}

Tensor DeviceMemory::copied() {
  const Api& api = client_.api();
  // Row-major order, whatever order the device uses.
  std::vector<int64_t> order;
  for (int axis = spec_.shape.rank(); axis-- > 0;) order.push_back(axis);
  auto layout = arguments<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = sizeof layout.tiled;
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  Tensor result = Tensor::empty(spec_.dtype, spec_.shape);
  auto args = arguments<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer();
  args.host_layout = &layout;
  args.dst = result.mutable_raw_data();
  args.dst_size = static_cast<size_t>(result.bytes());
  EF_PJRT(api, Buffer_ToHostBuffer, args);
  await(api, args.event);
  return result;
}

}  // namespace ef::pjrt
