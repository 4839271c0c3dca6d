// Graphs without Python: programs, plans, runs, gradients, choices, and what goes wrong.
#include <string>

#include "graph/symbolic.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduction.h"
#include "session/execution.h"
#include "session/trace.h"
#include "tests/check.h"
#include "tests/tensors.h"

namespace ef::session {
namespace {

using test::check_values;
using test::tensor;
using test::vector;

// Nothing here needs a host; nodes that do are errors.
class NoHost final : public Host {
 public:
  void run(NodeId node, Execution&, std::vector<Value>& outputs) override {
    asked.push_back(node);
    outputs.push_back({Tensor::of<float>(7), nullptr});
  }
  std::shared_ptr<void> sparse(Gradient) override { return nullptr; }

  std::vector<NodeId> asked;
};

PartialSpec spec(std::initializer_list<int64_t> sizes, DType dtype = DType::kFloat32) {
  return {dtype, true, Shape(sizes)};
}

template <class Function>
Program traced(std::vector<Tensor> arguments, const Function& function) {
  Trace trace;
  const std::vector<Tensor> results = {function(arguments)};
  trace.stop();
  const std::optional<Program> found = trace.program(arguments, results);
  CHECK(found.has_value());
  return found.value_or(Program());
}

Tensor unknown(std::initializer_list<int64_t> sizes) {
  return symbolic({DType::kFloat32, Shape(sizes)});
}

NodeId add(Graph& graph, const char* name, std::vector<Port> inputs, Kind kind,
           std::vector<PartialSpec> outputs) {
  Node node;
  node.kind = kind;
  node.name = name;
  node.type = name;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.source = {"program.py", 12, "main"};
  return graph.add(std::move(node));
}

template <class Function>
NodeId add_program(Graph& graph, const char* name, std::vector<Port> inputs,
                   const Function& function) {
  std::vector<Tensor> arguments;
  for (const Port& input : inputs) {
    std::vector<int64_t> sizes;
    for (const int64_t size : graph.spec(input).shape.dims()) sizes.push_back(size < 0 ? 3 : size);
    arguments.push_back(
        symbolic({graph.spec(input).dtype, Shape(std::span<const int64_t>(sizes))}));
  }
  const NodeId id = add(graph, name, std::move(inputs), Kind::kHost, {});
  graph.set_program(id, traced(arguments, function));
  graph.infer(id);
  return id;
}

struct Ran {
  Tensor value;
  size_t nodes;
};

Ran run(const Graph& graph, Port fetch, std::vector<Port> feeds, std::vector<Tensor> values,
        Store& store) {
  const Plan plan(graph, {&fetch, 1}, {}, feeds);
  NoHost host;
  Execution execution(graph, plan, store, host);
  execution.run(values);
  return {execution.fetch(0).tensor, plan.num_planned()};
}

TEST(program_runs_what_was_traced) {
  const Program program = traced({unknown({2, 3}), unknown({3, 2})}, [](const auto& t) {
    return call(ops::matmul, {t[0], t[1]}, ops::MatmulAttrs{}) * 2.0 + 1.0;
  });
  CHECK_EQUAL(program.steps.size(), 3u);
  CHECK_EQUAL(program.constants.size(), 2u);
  TensorList outputs;
  const Tensor arguments[] = {tensor<float>({1, 2}, {1, 2}), tensor<float>({2, 1}, {3, 4})};
  program.run(arguments, outputs);
  check_values<float>(outputs[0], {23});
}

TEST(program_leaves_out_what_leads_nowhere) {
  const Program program = traced({unknown({2})}, [](const auto& t) {
    const Tensor unused = t[0] * 3.0;
    return t[0] + 1.0;
  });
  CHECK_EQUAL(program.steps.size(), 1u);
  CHECK_EQUAL(program.constants.size(), 1u);
}

TEST(programs_of_two_sizes_differ_if_sizes_matter) {
  const auto mean = [](const auto& t) {
    return sum_over(t[0], {}, false) / static_cast<double>(t[0].size());
  };
  const auto twice = [](const auto& t) { return t[0] * 2.0; };
  CHECK(!(traced({unknown({2})}, mean) == traced({unknown({3})}, mean)));
  CHECK(traced({unknown({2})}, twice) == traced({unknown({3})}, twice));
}

TEST(traces_notice_effects) {
  auto* variable = new Variable(vector<float>({1, 2}), true);
  const Tensor x = unknown({2});
  Trace trace;
  const Tensor sum = x + variable->read();
  trace.stop();
  CHECK(!trace.program({&x, 1}, {&sum, 1}));
  variable->release();
}

TEST(traces_notice_arguments_that_were_looked_at) {
  const Tensor x = vector<float>({2});
  Trace trace;
  const Tensor y = call(ops::square, {vector<float>({x.data<float>()[0]})});
  trace.stop();
  CHECK(!trace.program({&x, 1}, {&y, 1}));
}

TEST(graph_infers_unknown_sizes) {
  Graph graph;
  const NodeId x = add(graph, "x", {}, Kind::kFeed, {spec({-1, 4})});
  const NodeId sum = add_program(graph, "Sum", {{x, 0}}, [](const auto& t) {
    return sum_over(t[0], std::vector<int64_t>{1}, false);
  });
  CHECK(graph.spec({sum, 0}) == spec({-1}));
  const NodeId total = add_program(graph, "Total", {{x, 0}}, [](const auto& t) {
    return sum_over(t[0], std::vector<int64_t>{0}, true);
  });
  CHECK(graph.spec({total, 0}) == spec({1, 4}));
  const NodeId any = add(graph, "any", {}, Kind::kFeed, {{DType::kFloat32, false, {}}});
  const NodeId more =
      add_program(graph, "more", {{any, 0}}, [](const auto& t) { return t[0] + 1.0; });
  CHECK(!graph.spec({more, 0}).ranked);
}

TEST(plan_holds_only_what_is_needed) {
  Graph graph;
  Store store;
  const NodeId x = add(graph, "x", {}, Kind::kFeed, {spec({-1})});
  const auto twice = [](const auto& t) { return t[0] * 2.0; };
  const NodeId a = add_program(graph, "a", {{x, 0}}, twice);
  const NodeId b = add_program(graph, "b", {{a, 0}}, twice);
  add_program(graph, "unused", {{a, 0}}, twice);
  const Ran all = run(graph, {b, 0}, {{x, 0}}, {vector<float>({1, 2})}, store);
  check_values<float>(all.value, {4, 8});
  CHECK_EQUAL(all.nodes, 2u);
  const Ran cut = run(graph, {b, 0}, {{a, 0}}, {vector<float>({5})}, store);
  check_values<float>(cut.value, {10});
  CHECK_EQUAL(cut.nodes, 1u);
}

TEST(run_names_the_missing_feed_and_its_line) {
  Graph graph;
  Store store;
  const NodeId x = add(graph, "x", {}, Kind::kFeed, {spec({-1, 3})});
  CHECK_THROWS(Code::kInvalidArgument,
               "feed a value for placeholder tensor 'x' with dtype float and shape [?,3]",
               run(graph, {x, 0}, {}, {}, store));
  CHECK_EQUAL(graph.describe(x), std::string("In operation 'x' of type x, made at:\n"
                                             "  File \"program.py\", line 12, in main"));
}

TEST(run_tells_which_node_failed) {
  Graph graph;
  Store store;
  const NodeId x = add(graph, "x", {}, Kind::kFeed, {spec({-1})});
  const NodeId y = add(graph, "y", {}, Kind::kFeed, {spec({-1})});
  const NodeId sum =
      add_program(graph, "sum", {{x, 0}, {y, 0}}, [](const auto& t) { return t[0] + t[1]; });
  const Port fetch{sum, 0}, feeds[] = {{x, 0}, {y, 0}};
  const Plan plan(graph, {&fetch, 1}, {}, feeds);
  NoHost host;
  Execution execution(graph, plan, store, host);
  const Tensor values[] = {vector<float>({1, 2}), vector<float>({1, 2, 3})};
  CHECK_THROWS(Code::kInvalidArgument, "Incompatible shapes", execution.run(values));
  CHECK_EQUAL(execution.failed(), sum);
}

TEST(run_differentiates_by_variables_and_tensors) {
  Graph graph;
  Store store;
  const NodeId x = add(graph, "x", {}, Kind::kFeed, {spec({-1})});
  const NodeId w = add(graph, "w", {}, Kind::kVariable, {spec({})});
  const NodeId y =
      add_program(graph, "y", {{x, 0}, {w, 0}}, [](const auto& t) { return t[0] * t[0] * t[1]; });
  const NodeId by =
      add(graph, "gradients", {{y, 0}, {x, 0}, {w, 0}}, Kind::kGradient, {spec({-1}), spec({})});
  graph.node(by).targets = 1;
  graph.node(by).sources = 2;
  CHECK_THROWS(Code::kFailedPrecondition, "uninitialized value w",
               run(graph, {by, 1}, {{x, 0}}, {vector<float>({1, 2})}, store));
  auto* variable = new Variable(Tensor::of<float>(3), true);
  store.set(w, *variable);
  variable->release();
  check_values<float>(run(graph, {by, 0}, {{x, 0}}, {vector<float>({1, 2})}, store).value, {6, 12});
  check_values<float>(run(graph, {by, 1}, {{x, 0}}, {vector<float>({1, 2})}, store).value, {5});

  const NodeId second = add(graph, "second", {{by, 0}, {x, 0}}, Kind::kGradient, {spec({-1})});
  graph.node(second).targets = 1;
  graph.node(second).sources = 1;
  check_values<float>(run(graph, {second, 0}, {{x, 0}}, {vector<float>({1, 2})}, store).value,
                      {6, 6});
}

TEST(run_changes_variables_in_order) {
  Graph graph;
  Store store;
  const NodeId w = add(graph, "w", {}, Kind::kVariable, {spec({})});
  const NodeId x = add(graph, "x", {}, Kind::kFeed, {spec({})});
  const NodeId more = add(graph, "more", {{w, 0}, {x, 0}}, Kind::kAssign, {spec({})});
  graph.node(more).change = Change::kAdd;
  Node after;
  after.name = after.type = "after";
  after.controls = {more};
  after.inputs = {{w, 0}};
  const NodeId read = graph.add(std::move(after));
  graph.set_program(read, traced({unknown({})}, [](const auto& t) { return t[0] * 10.0; }));
  auto* variable = new Variable(Tensor::of<float>(1), true);
  store.set(w, *variable);
  check_values<float>(run(graph, {read, 0}, {{x, 0}}, {Tensor::of<float>(2)}, store).value, {30});
  check_values<float>(variable->read(), {3});
  variable->release();
}

TEST(choices_run_one_branch) {
  Graph graph;
  Store store;
  const NodeId x = add(graph, "x", {}, Kind::kFeed, {spec({})});
  const NodeId flag = add(graph, "flag", {}, Kind::kFeed, {spec({}, DType::kBool)});
  const NodeId host = add(graph, "host", {}, Kind::kHost, {spec({})});
  const NodeId twice =
      add_program(graph, "twice", {{x, 0}}, [](const auto& t) { return t[0] * 2.0; });
  const NodeId chosen = add(graph, "chosen", {{flag, 0}}, Kind::kChoice, {spec({})});
  graph.node(chosen).branches = {Branch{{{twice, 0}}, {}}, Branch{{{host, 0}}, {}}};
  const Port fetch{chosen, 0}, feeds[] = {{x, 0}, {flag, 0}};
  const Plan plan(graph, {&fetch, 1}, {}, feeds);
  for (const bool value : {false, true}) {
    NoHost asked;
    Execution execution(graph, plan, store, asked);
    const Tensor values[] = {Tensor::of<float>(4), Tensor::of<bool>(value)};
    execution.run(values);
    check_values<float>(execution.fetch(0).tensor, {value ? 7.0f : 8.0f});
    CHECK_EQUAL(asked.asked.size(), value ? 1u : 0u);
  }
}

TEST(graphs_take_only_nodes_that_are_there) {
  Graph graph;
  CHECK_THROWS(Code::kValueError, "not part of this graph",
               add(graph, "x", {{3, 0}}, Kind::kHost, {}));
}

}  // namespace
}  // namespace ef::session
