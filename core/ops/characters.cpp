// Strings as characters, replacements in strings, CSV fields, and sets of rows: inference.
#include "ops/characters.h"

#include "kernels/cpu/characters.h"
#include "ops/attr_fields.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/text.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kMembers{DType::kInt8,  DType::kInt16,  DType::kInt32, DType::kInt64,
                            DType::kUint8, DType::kUint16, DType::kString};

}  // namespace

const Op utf8_decode{{
    .name = "utf8_decode",
    .tf_name = "Utf8Decode",
    .inputs = {{"input", kText}},
    .infer =
        [](InferContext& c) {
          c.add_output(DType::kInt32, {kUnknownSize});
          c.add_output(DType::kInt64, {kUnknownSize});
          c.add_output(DType::kInt64, {size_sum(known_elements(c.shape(0)), 1)});
        },
    .outputs = 3,
    .kernel = cpu::utf8_decode,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The characters of all strings, where each begins in its string, and where those of "
           "each string begin; nothing at all if a string is no valid UTF-8.",
}};

const Op utf8_encode{{
    .name = "utf8_encode",
    .tf_name = "Utf8Encode",
    .inputs = {{"codes", {DType::kInt32}}, {"splits", {DType::kInt64}}},
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 1))
            invalid_argument("codes must be a vector [Op:Utf8Encode]");
          c.add_output(DType::kString, {rows_of_splits(c.shape(1), c.op().tf_name)});
        },
    .kernel = cpu::utf8_encode,
    .doc = "Strings of code points; invalid ones raise an error.",
}};

const Op string_replace{{
    .name = "string_replace",
    .tf_name = "StringReplace",
    .inputs = {{"input", kText}, {"rewrite", kText}},
    .attrs = attrs_of<StringReplaceAttrs>(),
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(1), 0) || c.attrs<StringReplaceAttrs>().members.size() != 2) {
            invalid_argument("a class of characters and one text are needed [Op:StringReplace]");
          }
          same_texts(c);
        },
    .kernel = cpu::string_replace,
    .doc = "Strings in which ASCII characters of a class, or runs of them, are replaced.",
}};

const Op csv_fields{{
    .name = "csv_fields",
    .tf_name = "CsvFields",
    .inputs = {{"input", kText}},
    .attrs = attrs_of<CsvFieldsAttrs>(),
    .infer =
        [](InferContext& c) {
          const Ints& columns = c.attrs<CsvFieldsAttrs>().columns;
          int64_t before = -1;
          for (int64_t column : columns) {
            if (column <= before) invalid_argument("columns must ascend [Op:CsvFields]");
            before = column;
          }
          c.add_output(DType::kString,
                       {static_cast<int64_t>(columns.size()), known_elements(c.shape(0))});
        },
    .kernel = cpu::csv_fields,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Columns of lines of fields; none if a line has quotes, line ends or too few fields.",
}};

const Op base64_encode{{
    .name = "base64_encode",
    .tf_name = "Base64Encode",
    .inputs = {{"input", kText}},
    .attrs = attrs_of<Base64EncodeAttrs>(),
    .infer = same_texts,
    .kernel = cpu::base64_encode,
    .doc = "Strings in web-safe base64.",
}};

const Op base64_decode{{
    .name = "base64_decode",
    .tf_name = "Base64Decode",
    .inputs = {{"input", kText}},
    .infer = same_texts,
    .kernel = cpu::base64_decode,
    .doc = "The strings that web-safe base64 stands for.",
}};

const Op string_bytes{{
    .name = "string_bytes",
    .tf_name = "StringBytes",
    .inputs = {{"input", kText}},
    .attrs = attrs_of<StringBytesAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto [dtype, offset] = c.attrs<StringBytesAttrs>();
          if (!kPlainTypes.contains(dtype) || dtype == DType::kBool) {
            invalid_argument("strings cannot be read as ", dtype, " [Op:DecodeRaw]");
          }
          if (offset < 0) invalid_argument("a negative offset [Op:DecodeRaw]");
          Shape shape = c.shape(0);
          if (shape.ranked()) shape.push_back(kUnknownSize);
          c.add_output(dtype, shape);
        },
    .kernel = cpu::string_bytes,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The bytes of strings of one length, from an offset on, as elements of a dtype.",
}};

const Op bytes_string{{
    .name = "bytes_string",
    .tf_name = "BytesString",
    .inputs = {{"x", kPlainTypes}, {"prefix", kText}},
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(1), 0))
            invalid_argument("a prefix is a scalar [Op:BytesString]");
          c.add_output(DType::kString, {});
        },
    .kernel = cpu::bytes_string,
    .doc = "The bytes of all elements as one string, after a prefix.",
}};

const Op set_rows{{
    .name = "set_rows",
    .tf_name = "SetRows",
    .inputs = {{"a", kMembers},
               {"b", kMembers},
               {"a_splits", {DType::kInt64}},
               {"b_splits", {DType::kInt64}}},
    .attrs = attrs_of<SetRowsAttrs>(),
    .infer =
        [](InferContext& c) {
          const char* const op = c.op().tf_name;
          if (!may_have_rank(c.shape(0), 1) || !may_have_rank(c.shape(1), 1) ||
              !may_equal(c.shape(2), c.shape(3))) {
            invalid_argument("sets of other rows [Op:", op, "]");
          }
          const Shape splits = merged(c.shape(2), c.shape(3));
          const int64_t rows = rows_of_splits(splits, op);
          c.add_output(c.dtype(0), {kUnknownSize});
          c.add_output(DType::kInt64, {kUnknownSize, 2});
          c.add_output(DType::kInt64, {size_sum(rows, 1)});
        },
    .outputs = 3,
    .kernel = cpu::set_rows,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Sorted members of sets made of two sets for each row, their rows and columns, and "
           "where each row begins.",
}};

}  // namespace ef::ops
