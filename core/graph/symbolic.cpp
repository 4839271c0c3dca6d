// Symbolic tensors.
#include "graph/symbolic.h"

#include <memory>

#include "tensor/error.h"

namespace ef {

void Symbol::settle(const Settler& settler) {
  if (!value_) {
    fail(Code::kTypeError, "The value of a symbolic tensor of dtype ", spec_.dtype, " and shape ",
         spec_.shape, " is not known: there is nothing to read before its graph or model runs.");
  }
  settler.lend(value_);
}

Tensor symbolic(const TensorSpec& spec) {
  return Tensor(TensorImpl::create_lazy(
      spec.dtype, spec.shape,
      std::make_unique<Symbol>(spec, std::weak_ptr<graph::Graph>(), graph::Port())));
}

Symbol* symbol_of(const Tensor& tensor) { return dynamic_cast<Symbol*>(tensor.impl()->lazy()); }

Tensor value_of(const Tensor& tensor) {
  const Symbol* const symbol = symbol_of(tensor);
  return symbol ? symbol->value() : tensor;
}

bool has_value(const Tensor& tensor) {
  const Symbol* const symbol = symbol_of(tensor);
  return !symbol || symbol->value();
}

}  // namespace ef
