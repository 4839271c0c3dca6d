// Symbolic tensors.
#include "eager/symbolic.h"

#include <memory>

#include "tensor/error.h"

namespace ef {
namespace {

class Unknown final : public LazyValue {
 public:
  explicit Unknown(const TensorSpec& spec) : spec_(spec) {}
  void settle(const Settler&) override {
    fail(Code::kTypeError, "The value of a symbolic tensor of dtype ", spec_.dtype, " and shape ",
         spec_.shape, " is not known: there is nothing to read before its graph or model runs.");
  }

 private:
  TensorSpec spec_;
};

}  // namespace

Tensor symbolic(const TensorSpec& spec) {
  return Tensor(TensorImpl::create_lazy(spec.dtype, spec.shape, std::make_unique<Unknown>(spec)));
}

bool is_symbolic(const Tensor& tensor) {
  return dynamic_cast<Unknown*>(tensor.impl()->lazy()) != nullptr;
}

}  // namespace ef
