// Attributes: copies, and defaults as Python shows them.
#include "ops/attrs.h"

#include <charconv>

#include "device/allocator.h"
#include "ops/attr_fields.h"
#include "tensor/error.h"

namespace ef {
namespace attr_fields {

std::string shown(int64_t value) { return std::to_string(value); }

std::string shown(bool value) { return value ? "True" : "False"; }

std::string shown(double value) {
  char text[32];
  std::string digits(text, std::to_chars(text, text + sizeof(text), value).ptr);
  return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
}

std::string shown(DType value) { return cat("'", dtype_name(value), "'"); }

std::string shown(const Ints& values) { return Shape(values).to_string(); }

std::string shown_word(std::string_view words, size_t position) {
  for (; position > 0; --position) words.remove_prefix(words.find('|') + 1);
  return cat("'", words.substr(0, words.find('|')), "'");
}

}  // namespace attr_fields

void AttrsRef::wrong_type() {
  fail(Code::kInternal, "A call has attributes of another operation.");
}

SavedAttrs::SavedAttrs(AttrsRef attrs) {
  if (!attrs) return;
  void* const memory = pool_allocate(sizeof(Block) + attrs.type()->size);
  if (!memory) fail(Code::kResourceExhausted, "Out of memory for a call's attributes.");
  block_ = new (memory) Block{attrs.type()};
  attrs.type()->copy(block_ + 1, attrs.data());
}

SavedAttrs::~SavedAttrs() {
  if (!block_) return;
  const size_t bytes = sizeof(Block) + block_->type->size;
  if (block_->type->destroy) block_->type->destroy(block_ + 1);
  pool_deallocate(block_, bytes);
}

}  // namespace ef
