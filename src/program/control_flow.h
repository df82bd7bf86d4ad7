// SPDX-License-Identifier: MIT
#pragma once

#include "program/cfg.h"
#include "program/code_image.h"
#include "program/eh_frame.h"
#include "program/flow_facts.h"
#include "program/function_table.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// A transfer of control that was executed: from the instruction at `from` to the one at `to`.
/// Addresses as in the ELF file; kElsewhere stands for other modules.
struct ObservedEdge {
  static constexpr uint64_t kElsewhere = ~uint64_t{0};

  uint64_t from = 0;
  uint64_t to = 0;
  auto operator<=>(const ObservedEdge&) const = default;
};

enum class CallKind : uint8_t { kDirect, kTail, kObserved };

/// An edge of the call graph: functions as whole ones, stubs of other modules' functions too.
struct CallEdge {
  uint32_t caller = 0;
  uint32_t callee = 0;
  uint64_t site = 0;  // address of the calling instruction
  CallKind kind = CallKind::kDirect;
  auto operator<=>(const CallEdge&) const = default;
};

/// What executions show of a binary, beyond its code.
struct ObservedCode {
  std::vector<uint64_t> called;        // addresses that calls went to
  std::vector<ObservedEdge> edges;     // in any order
  std::vector<ExecutedCode> executed;  // in any order; which graphs do not go by

  [[nodiscard]] bool empty() const { return called.empty() && edges.empty(); }
};

class FlowExplorer;

/// The control flow of one binary: a control flow graph for each function and the call graph.
///
/// A call does not return when its callee does not. Functions return when a path from their entry
/// reaches a return, an indirect jump whose target is unknown, or a jump to a function that
/// returns, passing only calls that return: the least fixpoint over the call graph, so that
/// functions which only call each other do not return. No names are known beforehand. A function of
/// another module does not return when
///  - in some function of this binary a call of it is the last thing there is: behind it begins
///    another function, or there is padding only. A compiler puts nothing behind a call that it
///    knows not to return;
///  - or it was observed to be called and nowhere to return.
/// Otherwise it is taken to return. So is every indirect call, unless nothing stands behind it.
///
/// Graphs are made when they are asked for, so asking is for one thread at a time; what has been
/// asked for once can be read by several. Copies share all.
class ControlFlow {
 public:
  /// Without functions.
  ControlFlow();
  /// All graphs at once; neither the image nor the frames are kept. Observed edges also add to the
  /// functions: call targets that no symbol and no frame covers. `frames` as read_eh_frame gives
  /// them; their exception tables lead to the landing pads.
  static ControlFlow build(const CodeImage& image, FunctionTable functions,
                           std::span<const FrameRange> frames,
                           std::span<const ObservedEdge> observed = {});
  /// Finds the facts() out; graphs are made from what was explored on the way.
  static ControlFlow explore(std::shared_ptr<const CodeImage> image, FunctionTable functions,
                             std::span<const FrameRange> frames);
  /// With facts that are known already: looks at no function before it is asked for. Nothing when
  /// they are not those of these functions.
  static std::optional<ControlFlow> resume(std::shared_ptr<const CodeImage> image,
                                           FunctionTable functions,
                                           std::span<const FrameRange> frames, FlowFacts facts);
  /// This control flow with what runs did on top, when its graphs are still made on demand.
  /// Explores the functions again that jump where the code does not tell, and those that nothing
  /// but calls tells of; all functions when that changes which of them return. `functions`: the
  /// table with the called addresses, before any links by jumps. `edges`: indirect jumps.
  [[nodiscard]] ControlFlow with(FunctionTable functions, std::span<const FrameRange> frames,
                                 std::vector<ObservedEdge> edges) const;

  [[nodiscard]] const FunctionTable& functions() const;
  /// Of a whole function; the parts of others have empty ones.
  [[nodiscard]] const Cfg& cfg(uint32_t function) const;
  [[nodiscard]] bool returns(uint32_t function) const;
  /// By caller, callee and site. Makes all graphs.
  [[nodiscard]] const std::vector<CallEdge>& calls() const;
  [[nodiscard]] const FlowFacts& facts() const;

 private:
  explicit ControlFlow(std::shared_ptr<FlowExplorer> source) : source_(std::move(source)) {}

  std::shared_ptr<FlowExplorer> source_;
};

/// The targets of executed calls among the edges, for FunctionTable::make.
std::vector<uint64_t> called_addresses(const CodeImage& image,
                                       std::span<const ObservedEdge> observed);

}  // namespace twinrun
