// Creation of tensors and views.
#include "tensor/tensor.h"

#include <algorithm>
#include <new>

#include "device/allocator.h"
#include "device/devices.h"
#include "tensor/error.h"

namespace ef {
namespace {

// Identities are assigned to threads in blocks, so that most need no atomic operation.
constexpr uint64_t kIdBlock = 1 << 16;
std::atomic<uint64_t> next_block{1};
thread_local uint64_t next_id = 0;
thread_local uint64_t id_limit = 0;

}  // namespace

uint64_t new_identity() {
  if (next_id == id_limit) {
    next_id = next_block.fetch_add(kIdBlock, std::memory_order_relaxed);
    id_limit = next_id + kIdBlock;
  }
  return next_id++;
}

[[gnu::hot]] TensorImpl* TensorImpl::create(DType dtype, const Shape& shape, Buffer* buffer,
                                            std::byte* data) {
  void* block = pool_allocate(sizeof(TensorImpl));
  if (!block) {
    buffer->release();
    fail(Code::kResourceExhausted, "Out of memory.");
  }
  auto* impl = new (block) TensorImpl;
  impl->dtype_ = dtype;
  impl->buffer_ = buffer;
  impl->data_ = data;
  impl->size_ = shape.num_elements();
  impl->shape_ = shape;
  if (several_devices) [[unlikely]]
    impl->device_ = current_host_device();
  return impl;
}

TensorImpl* TensorImpl::create_lazy(DType dtype, const Shape& shape,
                                    std::unique_ptr<LazyValue> value) {
  void* block = pool_allocate(sizeof(TensorImpl));
  if (!block) fail(Code::kResourceExhausted, "Out of memory.");
  auto* impl = new (block) TensorImpl;
  impl->dtype_ = dtype;
  impl->size_ = known_elements(shape);
  impl->shape_ = shape;
  impl->lazy_ = value.release();
  impl->pending_.store(true, std::memory_order_release);
  if (several_devices) [[unlikely]]
    impl->device_ = current_host_device();
  return impl;
}

void TensorImpl::compute() { lazy_->settle(LazyValue::Settler(*this)); }

void LazyValue::Settler::operator()(const Tensor& value) const {
  Buffer* const buffer = value.impl()->buffer();
  buffer->retain();
  impl_.buffer_ = buffer;
  impl_.data_ = value.impl()->raw();
  impl_.pending_.store(false, std::memory_order_release);
}

void LazyValue::Settler::lend(const Tensor& value) const {
  if (impl_.buffer_) return;
  Buffer* const buffer = value.impl()->buffer();
  buffer->retain();
  impl_.buffer_ = buffer;
  impl_.data_ = value.impl()->raw();
}

[[gnu::hot]] void TensorImpl::destroy() {
  if (buffer_) buffer_->release();
  delete lazy_;
  this->~TensorImpl();
  pool_deallocate(this, sizeof(TensorImpl));
}

uint64_t TensorImpl::id() {
  uint64_t id = id_.load(std::memory_order_relaxed);
  if (id == 0) {
    const uint64_t fresh = new_identity();
    // Two threads may ask at once; the first one wins.
    if (id_.compare_exchange_strong(id, fresh, std::memory_order_relaxed)) id = fresh;
  }
  return id;
}

namespace {

// The size of a tensor whose elements have `each` bytes.
size_t checked_bytes(DType dtype, const Shape& shape, size_t each) {
  auto bytes = static_cast<int64_t>(each);
  bool fits = true;
  for (const int64_t dim : shape.dims()) {
    fits &= dim >= 0;
    fits &= !__builtin_mul_overflow(bytes, dim, &bytes);
  }
  if (fits) return static_cast<size_t>(bytes);
  if (checked_num_elements(shape.dims(), "Empty") == 0) return 0;
  invalid_argument("The size in bytes of a ", dtype, " tensor of shape ", shape,
                   " does not fit in 64 bits.");
}

}  // namespace

[[gnu::hot]] Tensor Tensor::empty(DType dtype, const Shape& shape) {
  const bool strings = dtype == DType::kString;
  const size_t each = strings ? sizeof(std::string) : element_size(dtype);
  const size_t bytes = checked_bytes(dtype, shape, each);
  Buffer* buffer = nullptr;
  try {
    buffer = strings                    ? Buffer::allocate_strings(bytes / each)
             : dtype == DType::kVariant ? Buffer::allocate_variants(bytes / each)
                                        : Buffer::allocate(bytes);
  } catch (const Error&) {
    fail(Code::kResourceExhausted, "OOM when allocating tensor with shape", shape, " and type ",
         dtype, " on ", device_at(current_host_device()).name, " by allocator cpu");
  }
  return Tensor(TensorImpl::create(dtype, shape, buffer, buffer->data()));
}

Tensor Tensor::scalar(DType dtype, double value) {
  Tensor result = empty(dtype, {});
  switch (dtype) {
    case DType::kFloat32: *result.mutable_data<float>() = static_cast<float>(value); break;
    case DType::kFloat64: *result.mutable_data<double>() = value; break;
    case DType::kFloat16: *result.mutable_data<Half>() = static_cast<float>(value); break;
    case DType::kBfloat16: *result.mutable_data<Bfloat16>() = static_cast<float>(value); break;
    case DType::kInt8: *result.mutable_data<int8_t>() = static_cast<int8_t>(value); break;
    case DType::kInt16: *result.mutable_data<int16_t>() = static_cast<int16_t>(value); break;
    case DType::kInt32: *result.mutable_data<int32_t>() = static_cast<int32_t>(value); break;
    case DType::kInt64: *result.mutable_data<int64_t>() = static_cast<int64_t>(value); break;
    case DType::kUint8: *result.mutable_data<uint8_t>() = static_cast<uint8_t>(value); break;
    case DType::kUint16: *result.mutable_data<uint16_t>() = static_cast<uint16_t>(value); break;
    case DType::kUint32: *result.mutable_data<uint32_t>() = static_cast<uint32_t>(value); break;
    case DType::kUint64: *result.mutable_data<uint64_t>() = static_cast<uint64_t>(value); break;
    case DType::kBool: *result.mutable_data<bool>() = value != 0; break;
    case DType::kComplex64: *result.mutable_data<Complex64>() = static_cast<float>(value); break;
    case DType::kComplex128: *result.mutable_data<Complex128>() = value; break;
    default: fail(Code::kInternal, "No number converts to ", dtype, ".");
  }
  return result;
}

Tensor Tensor::vector(std::span<const int64_t> values) {
  Tensor result = empty(DType::kInt64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), result.mutable_data<int64_t>());
  return result;
}

Tensor Tensor::view(const Shape& shape) const { return view_at(0, shape); }

[[gnu::hot]] Tensor Tensor::view_at(int64_t offset, const Shape& shape) const {
  impl_->buffer()->retain();
  std::byte* data = impl_->raw() + offset * static_cast<int64_t>(element_size(dtype()));
  return Tensor(TensorImpl::create(dtype(), shape, impl_->buffer(), data));
}

}  // namespace ef
