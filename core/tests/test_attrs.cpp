// Structs of attributes as data: their fields for the binding, copies and comparison.
#include <limits>
#include <string>

#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/attrs.h"
#include "ops/convolution.h"
#include "ops/creation.h"
#include "tests/check.h"

namespace ef {
namespace {

struct Inner {
  int64_t number;
  bool flag = true;
};
struct Everything {
  Ints list;
  Inner inner;
  double real = 0.2;
  double whole = 1;
  std::optional<Ints> absent = {};
  std::optional<int64_t> present = 3;
  DTypeIn<kIndexTypes> index = DType::kInt64;
  Padding padding = Padding::kValid;
  Shape shape;
};

// "name=default" of all fields.
std::string signature(const std::vector<AttrField>& fields) {
  std::string text;
  for (const AttrField& field : fields) {
    if (!text.empty()) text += ", ";
    text += field.name;
    if (!field.required) text += "=" + field.fallback;
  }
  return text;
}

TEST(attributes_are_the_members_of_a_struct) {
  const std::vector<AttrField> fields = attrs_of<Everything>()->fields();
  CHECK_EQUAL(signature(fields),
              "list, number, flag=True, real=0.2, whole=1.0, absent=None, present=3, "
              "index='int64', padding='VALID', shape");
  CHECK(fields[0].kind == AttrKind::kInts);
  CHECK(fields[1].kind == AttrKind::kInt);
  CHECK(fields[5].kind == AttrKind::kInts);
  CHECK(fields[7].kind == AttrKind::kDType);
  CHECK_EQUAL(fields[7].dtypes.bits(), kIndexTypes.bits());
  CHECK(fields[8].kind == AttrKind::kEnum);
  CHECK_EQUAL(fields[8].words, "SAME|VALID|EXPLICIT");
  CHECK(fields[9].kind == AttrKind::kShape);
  CHECK_EQUAL(signature(attrs_of<ops::Conv2DBackpropInputAttrs>()->fields()),
              "input_sizes, strides, padding, explicit_paddings=None, dilations=None, "
              "data_format='NHWC'");
  CHECK_EQUAL(signature(attrs_of<ops::EyeAttrs>()->fields()),
              "num_rows, num_columns=None, batch_shape=None, dtype='float32'");
}

TEST(attributes_are_stored_by_field) {
  Everything attrs{};
  const std::vector<AttrField> fields = attrs_of<Everything>()->fields();
  const auto store = [&]<class T>(size_t k, T value) {
    *static_cast<T*>(fields[k].value_in(&attrs)) = value;
  };
  store(0, Ints{1, 2, 3, 4, 5, 6, 7, 8});
  store(1, int64_t{-5});
  store(2, false);
  store(3, 0.5);
  store(5, Ints{4});
  store(6, int64_t{9});
  store(7, DType::kInt32);
  store(8, uint8_t{2});
  store(9, Shape{2, 3});
  CHECK_EQUAL(attrs.list.size(), 8u);
  CHECK_EQUAL(attrs.list[7], 8);
  CHECK_EQUAL(attrs.inner.number, -5);
  CHECK(!attrs.inner.flag);
  CHECK_EQUAL(attrs.real, 0.5);
  CHECK((*attrs.absent)[0] == 4);
  CHECK_EQUAL(*attrs.present, 9);
  CHECK(attrs.index == DType::kInt32);
  CHECK(attrs.padding == Padding::kExplicit);
  CHECK(attrs.shape == Shape({2, 3}));
}

SavedAttrs saved(Ints list, double real = 0.2) {
  return SavedAttrs(Everything{.list = list, .inner = {.number = 1}, .real = real, .shape = {}});
}

TEST(saved_attributes_compare_by_value) {
  const SavedAttrs attrs = saved({1, 2});
  SavedAttrs other = attrs;
  CHECK(attrs == other);
  CHECK_EQUAL(other.as<Everything>().list[1], 2);
  other = saved({1, 3});
  CHECK(attrs != other);
  CHECK(attrs == saved({1, 2}));
  CHECK(attrs != saved({1, 2}, -0.2));
  CHECK(attrs != SavedAttrs());
  CHECK(SavedAttrs() == SavedAttrs());
  CHECK(SavedAttrs(Inner{.number = 1}) != SavedAttrs(ops::StackAttrs{.axis = 1}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(saved({}, nan) == saved({}, nan));
}

TEST(attributes_of_another_operation_are_refused) {
  const AttrsRef none;
  CHECK(!none);
  CHECK_THROWS(Code::kInternal, "another operation", none.as<Inner>());
  const ops::StackAttrs stack;
  CHECK_THROWS(Code::kInternal, "another operation", AttrsRef(stack).as<ops::ConcatAttrs>());
}

}  // namespace
}  // namespace ef
