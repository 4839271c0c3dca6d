// Operations on strings: inference.
#include "ops/text.h"

#include "kernels/cpu/text.h"
#include "ops/attr_fields.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kParsedTypes{DType::kFloat32, DType::kFloat64, DType::kInt32,
                                DType::kInt64,   DType::kUint32,  DType::kUint64};

void check_scalar(const Shape& separator, const char* op) {
  if (!may_have_rank(separator, 0)) {
    invalid_argument("a separator must be a scalar, got shape ", separator, " [Op:", op, "]");
  }
}

}  // namespace

void same_texts(InferContext& c) { c.add_output(DType::kString, c.shape(0)); }

const Op string_length{{
    .name = "string_length",
    .tf_name = "StringLength",
    .inputs = {{"input", kText}},
    .attrs = attrs_of<TextUnitAttrs>(),
    .infer = [](InferContext& c) { c.add_output(DType::kInt32, c.shape(0)); },
    .kernel = cpu::string_length,
    .doc = "How many bytes, or characters of UTF-8, each string has.",
}};

const Op string_case{{
    .name = "string_case",
    .tf_name = "StringUpper",
    .inputs = {{"input", kText}},
    .attrs = attrs_of<StringCaseAttrs>(),
    .infer = same_texts,
    .kernel = cpu::string_case,
    .doc = "The strings with their letters A to Z made capital or small.",
}};

const Op string_strip{{
    .name = "string_strip",
    .tf_name = "StringStrip",
    .inputs = {{"input", kText}},
    .infer = same_texts,
    .kernel = cpu::string_strip,
    .doc = "The strings without white space at both ends.",
}};

const Op string_part{{
    .name = "string_part",
    .tf_name = "Substr",
    .inputs = {{"input", kText}, {"pos", {DType::kInt64}}, {"len", {DType::kInt64}}},
    .attrs = attrs_of<TextUnitAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& texts = c.shape(0);
          const Shape& places = c.shape(1);
          if (!may_equal(places, c.shape(2)) ||
              (!may_equal(texts, places) && !is_scalar(texts) && !is_scalar(places))) {
            invalid_argument("pos and len should have the same shape, got: ", places, " vs. ",
                             c.shape(2), ", for strings of shape ", texts, " [Op:Substr]");
          }
          Shape shape;
          broadcast_shapes(texts, merged(places, c.shape(2)), &shape);
          c.add_output(DType::kString, shape);
        },
    .kernel = cpu::string_part,
    .doc = "Substrings, by their positions and lengths.",
}};

const Op string_hash{{
    .name = "string_hash",
    .tf_name = "StringToHashBucket",
    .inputs = {{"input", kText}},
    .attrs = attrs_of<StringHashAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t buckets = c.attrs<StringHashAttrs>().buckets;
          if (buckets < 0 && buckets != kUnknownInt) {
            invalid_argument("the number of buckets must not be negative, got ", buckets,
                             " [Op:StringToHashBucket]");
          }
          c.add_output(DType::kInt64, c.shape(0));
        },
    .kernel = cpu::string_hash,
    .doc = "A bucket for each string; with 0 buckets the whole hash.",
}};

const Op string_to_number{{
    .name = "string_to_number",
    .tf_name = "StringToNumber",
    .inputs = {{"input", kText}},
    .attrs = attrs_of<StringToNumberAttrs>(),
    .infer =
        [](InferContext& c) {
          const DType dtype = c.attrs<StringToNumberAttrs>().dtype;
          if (!kParsedTypes.contains(dtype)) {
            invalid_argument("strings cannot be read as ", dtype, " [Op:StringToNumber]");
          }
          c.add_output(dtype, c.shape(0));
        },
    .kernel = cpu::string_to_number,
    .doc = "The decimal numbers that strings spell.",
}};

const Op string_of_number{{
    .name = "string_of_number",
    .tf_name = "AsString",
    .inputs = {{"input", kRealTypes}},
    .attrs = attrs_of<StringOfNumberAttrs>(),
    .infer = same_texts,
    .kernel = cpu::string_of_number,
    .doc = "Numbers in decimal digits.",
}};

const Op string_split{{
    .name = "string_split",
    .tf_name = "StringSplitV2",
    .inputs = {{"input", kText}, {"separator", kText}},
    .infer =
        [](InferContext& c) {
          check_scalar(c.shape(1), "StringSplitV2");
          c.add_output(DType::kString, {kUnknownSize});
          c.add_output(DType::kInt64, {size_sum(known_elements(c.shape(0)), 1)});
        },
    .outputs = 2,
    .kernel = cpu::string_split,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The pieces of all strings, and where those of each begin; cut at white space if the "
           "separator is empty.",
}};

const Op string_join{{
    .name = "string_join",
    .tf_name = "StringJoin",
    .inputs = {{"separator", kText}, {.name = "inputs", .dtypes = kText, .variadic = true}},
    .infer =
        [](InferContext& c) {
          check_scalar(c.shape(0), "StringJoin");
          Shape shape;
          bool scalars = true;
          for (int i = 1; i < c.num_inputs(); ++i) {
            if (is_scalar(c.shape(i))) continue;
            if (!scalars && !may_equal(shape, c.shape(i))) {
              invalid_argument("Input shapes do not match: ", shape, " vs. ", c.shape(i),
                               " [Op:StringJoin]");
            }
            shape = scalars ? c.shape(i) : merged(shape, c.shape(i));
            scalars = false;
          }
          c.add_output(DType::kString, shape);
        },
    .kernel = cpu::string_join,
    .doc = "Strings of several tensors joined element by element.",
}};

const Op string_join_rows{{
    .name = "string_join_rows",
    .tf_name = "ReduceJoin",
    .inputs = {{"separator", kText}, {"inputs", kText}},
    .infer =
        [](InferContext& c) {
          check_scalar(c.shape(0), "ReduceJoin");
          if (is_scalar(c.shape(1))) invalid_argument("a scalar has no rows [Op:ReduceJoin]");
          c.add_output(DType::kString, without_last(c.shape(1), 1));
        },
    .kernel = cpu::string_join_rows,
    .doc = "Strings joined along the last axis.",
}};

}  // namespace ef::ops
