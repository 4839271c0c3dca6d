// Tensor: an immutable handle on a dtype, a shape and a shared buffer, always row-major contiguous.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tensor/buffer.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace ef {

// A new identity for a tensor or variable.
uint64_t new_identity();

class Tensor;

// The source of a tensor's memory, if it is computed on first access.
class LazyValue {
 public:
  virtual ~LazyValue() = default;

  // Moves the memory of a computed value into the lazy tensor.
  class Settler {
   public:
    explicit Settler(class TensorImpl& impl) : impl_(impl) {}
    void operator()(const Tensor& value) const;
    // Makes the tensor readable although it remains lazy.
    void lend(const Tensor& value) const;

   private:
    TensorImpl& impl_;
  };
  virtual void settle(const Settler& settler) = 0;
};

// What a Tensor handle points to. Allocated from a per-thread free list.
class TensorImpl {
 public:
  // Takes over one reference to `buffer`.
  static TensorImpl* create(DType dtype, const Shape& shape, Buffer* buffer, std::byte* data);
  static TensorImpl* create_lazy(DType dtype, const Shape& shape, std::unique_ptr<LazyValue> value);

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.load(std::memory_order_acquire) == 1 ||
        refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy();
    }
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return size_; }
  Buffer* buffer() {
    settle();
    return buffer_;
  }
  std::byte* raw() {
    settle();
    return data_;
  }
  // The device that it was created on, a row of the table in device/devices.h.
  uint8_t device() const { return device_; }
  void set_device(uint8_t device) { device_ = device; }

  // Ensures that the memory is present, computing it if it is lazy.
  void settle() {
    if (pending_.load(std::memory_order_acquire)) [[unlikely]]
      compute();
  }
  // The source of the memory; nullptr if it is present.
  LazyValue* lazy() const { return pending_.load(std::memory_order_acquire) ? lazy_ : nullptr; }

  // The identity of this tensor for tapes; 0 if no tape has ever used it.
  uint64_t id_or_zero() const { return id_.load(std::memory_order_relaxed); }
  // The identity, assigned on the first call.
  uint64_t id();

  // Whether a program received it outside of traces, so that a tape may watch it, also later.
  bool exposed() const { return exposed_.load(std::memory_order_relaxed); }
  void expose() { exposed_.store(true, std::memory_order_relaxed); }

  // Sets the identity to that of a tensor with the same value.
  void share_id(TensorImpl& other) { id_.store(other.id(), std::memory_order_relaxed); }

  // Refines the shape of a symbolic tensor.
  void refine_shape(const Shape& shape) {
    shape_ = shape;
    size_ = known_elements(shape);
  }

  // Detaches this tensor from tapes: its memory holds another value.
  void reset_id() { id_.store(0, std::memory_order_relaxed); }

  // How many handles there are; other threads may add handles in the meantime.
  uint32_t handles() const { return refs_.load(std::memory_order_relaxed); }

  // Whether this is the only handle on the memory, so that it may be written.
  bool exclusively_owned() const {
    return !pending_.load(std::memory_order_relaxed) &&
           refs_.load(std::memory_order_acquire) == 1 && buffer_->unique() && buffer_->writable();
  }

 private:
  friend class LazyValue::Settler;
  TensorImpl() = default;
  void destroy();
  void compute();

  std::atomic<uint32_t> refs_{1};
  DType dtype_ = DType::kInvalid;
  uint8_t device_ = 0;
  std::atomic<bool> pending_{false};
  std::atomic<bool> exposed_{false};
  std::atomic<uint64_t> id_{0};
  Buffer* buffer_ = nullptr;
  std::byte* data_ = nullptr;
  int64_t size_ = 0;
  LazyValue* lazy_ = nullptr;
  Shape shape_;
};

// A counted reference to a TensorImpl; may be empty.
class Tensor {
 public:
  Tensor() = default;
  // Takes over one reference.
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}
  Tensor(const Tensor& other) : impl_(other.impl_) {
    if (impl_) impl_->retain();
  }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() {
    if (impl_) impl_->release();
  }
  static Tensor share(TensorImpl* impl) {
    impl->retain();
    return Tensor(impl);
  }

  // An uninitialised tensor (empty strings for kString, nothing for kVariant). The shape must have
  // been validated.
  static Tensor empty(DType dtype, const Shape& shape);
  // A rank-0 tensor of `value`, which integer dtypes truncate.
  static Tensor scalar(DType dtype, double value);
  template <class T>
  static Tensor of(T value) {
    Tensor result = empty(kDTypeOf<T>, {});
    *result.mutable_data<T>() = value;
    return result;
  }
  // A rank-1 int64 tensor.
  static Tensor vector(std::span<const int64_t> values);

  // The same memory under another shape of equal size, as a new tensor with its own identity.
  Tensor view(const Shape& shape) const;
  // A tensor of `shape` that shares the memory, from element `offset` on.
  Tensor view_at(int64_t offset, const Shape& shape) const;
  // The same value under a new identity.
  Tensor alias() const { return view(shape()); }

  explicit operator bool() const { return impl_ != nullptr; }
  DType dtype() const { return impl_->dtype(); }
  const Shape& shape() const { return impl_->shape(); }
  int rank() const { return impl_->shape().rank(); }
  int64_t dim(int axis) const { return impl_->shape()[axis]; }
  int64_t size() const { return impl_->size(); }
  int64_t bytes() const { return impl_->size() * static_cast<int64_t>(element_size(dtype())); }

  const void* raw_data() const { return impl_->raw(); }
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(impl_->raw());
  }
  // Only for a tensor that has not been handed out yet, or is exclusively owned.
  template <class T>
  T* mutable_data() const {
    return reinterpret_cast<T*>(impl_->raw());
  }
  void* mutable_raw_data() const { return impl_->raw(); }
  std::span<const std::string> strings() const {
    return {data<std::string>(), static_cast<size_t>(size())};
  }

  bool exclusively_owned() const { return impl_ && impl_->exclusively_owned(); }
  TensorImpl* impl() const { return impl_; }
  // Gives up the reference.
  TensorImpl* detach() { return std::exchange(impl_, nullptr); }

 private:
  TensorImpl* impl_ = nullptr;
};

}  // namespace ef
