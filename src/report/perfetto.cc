// SPDX-License-Identifier: MIT
#include "report/perfetto.h"

#include "base/escape.h"
#include "report/code_place.h"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace twinrun {
namespace {

// Field numbers of perfetto/trace/*.proto; Trace is nothing but packets.
constexpr protozero::pbf_tag_type kTracePacket = 1;
namespace packet {
constexpr protozero::pbf_tag_type kTimestamp = 8;
constexpr protozero::pbf_tag_type kSequence = 10;
constexpr protozero::pbf_tag_type kTrackEvent = 11;
constexpr protozero::pbf_tag_type kInternedData = 12;
constexpr protozero::pbf_tag_type kSequenceFlags = 13;
constexpr protozero::pbf_tag_type kTrackDescriptor = 60;
}  // namespace packet
namespace event {
constexpr protozero::pbf_tag_type kType = 9;
constexpr protozero::pbf_tag_type kNameNumber = 10;
constexpr protozero::pbf_tag_type kTrack = 11;
constexpr int32_t kBegin = 1;
constexpr int32_t kEnd = 2;
}  // namespace event
namespace track {
constexpr protozero::pbf_tag_type kNumber = 1;
constexpr protozero::pbf_tag_type kName = 2;
constexpr protozero::pbf_tag_type kProcess = 3;
constexpr protozero::pbf_tag_type kThread = 4;
constexpr protozero::pbf_tag_type kParent = 5;
}  // namespace track
namespace process {
constexpr protozero::pbf_tag_type kPid = 1;
constexpr protozero::pbf_tag_type kName = 6;
}  // namespace process
namespace thread {
constexpr protozero::pbf_tag_type kPid = 1;
constexpr protozero::pbf_tag_type kTid = 2;
constexpr protozero::pbf_tag_type kName = 5;
}  // namespace thread
namespace interned {
constexpr protozero::pbf_tag_type kEventNames = 2;
constexpr protozero::pbf_tag_type kNumber = 1;
constexpr protozero::pbf_tag_type kName = 2;
}  // namespace interned
constexpr uint32_t kStateCleared = 1;
constexpr uint32_t kNeedsState = 2;

/// Numbers of processes that no two of the runs share.
constexpr uint32_t kPidsOfRun = 100'000;
constexpr uint32_t kThreadsOfProcess = 10'000;

struct Region {
  uint64_t from = 0;
  uint64_t to = 0;
  std::string name;
};
/// Of a run, by process and thread.
using Regions = std::map<std::pair<uint32_t, uint32_t>, std::vector<Region>>;

class Trace {
 public:
  explicit Trace(const TextSink& sink) : sink_(sink) {}

  /// One sequence of packets for each run: names have numbers in it.
  void begin_run(uint32_t sequence, const std::vector<std::string>& names) {
    sequence_ = sequence;
    names_.clear();
    add([&](protozero::pbf_writer& out) {
      out.add_uint32(packet::kSequenceFlags, kStateCleared);
      protozero::pbf_writer data(out, packet::kInternedData);
      for (const std::string& name : names) add_name(data, name);
    });
  }

  /// A name that begin_run() did not tell.
  uint64_t name(const std::string& text) {
    if (const auto found = names_.find(text); found != names_.end()) return found->second;
    add([&](protozero::pbf_writer& out) {
      out.add_uint32(packet::kSequenceFlags, kNeedsState);
      protozero::pbf_writer data(out, packet::kInternedData);
      add_name(data, text);
    });
    return names_.at(text);
  }

  uint64_t process_track(uint32_t pid, const std::string& name) {
    return descriptor([&](protozero::pbf_writer& out) {
      protozero::pbf_writer about(out, track::kProcess);
      about.add_int32(process::kPid, static_cast<int32_t>(pid));
      about.add_string(process::kName, name);
    });
  }
  uint64_t thread_track(uint32_t pid, uint32_t tid, const std::string& name) {
    return descriptor([&](protozero::pbf_writer& out) {
      protozero::pbf_writer about(out, track::kThread);
      about.add_int32(thread::kPid, static_cast<int32_t>(pid));
      about.add_int32(thread::kTid, static_cast<int32_t>(tid));
      about.add_string(thread::kName, name);
    });
  }
  uint64_t track_below(uint64_t parent, const std::string& name) {
    return descriptor([&](protozero::pbf_writer& out) {
      out.add_string(track::kName, name);
      out.add_uint64(track::kParent, parent);
    });
  }

  void slice_begin(uint64_t on, uint64_t when, uint64_t name) {
    slice(on, when, event::kBegin, name);
  }
  void slice_end(uint64_t on, uint64_t when) { slice(on, when, event::kEnd, 0); }

 private:
  template <typename Fill>
  void add(Fill fill) {
    std::string bytes;
    {
      protozero::pbf_writer trace(bytes);
      protozero::pbf_writer out(trace, kTracePacket);
      out.add_uint32(packet::kSequence, sequence_);
      fill(out);
    }
    sink_(bytes);
  }

  void add_name(protozero::pbf_writer& data, const std::string& text) {
    const uint64_t number = names_.size() + 1;
    if (!names_.try_emplace(text, number).second) return;
    protozero::pbf_writer entry(data, interned::kEventNames);
    entry.add_uint64(interned::kNumber, number);
    entry.add_string(interned::kName, escape_for_terminal(text));
  }

  template <typename Fill>
  uint64_t descriptor(Fill fill) {
    ++tracks_;
    add([&](protozero::pbf_writer& out) {
      protozero::pbf_writer about(out, packet::kTrackDescriptor);
      about.add_uint64(track::kNumber, tracks_);
      fill(about);
    });
    return tracks_;
  }

  void slice(uint64_t on, uint64_t when, int32_t type, uint64_t name) {
    add([&](protozero::pbf_writer& out) {
      out.add_uint64(packet::kTimestamp, when);
      out.add_uint32(packet::kSequenceFlags, kNeedsState);
      protozero::pbf_writer about(out, packet::kTrackEvent);
      about.add_enum(event::kType, type);
      about.add_uint64(event::kTrack, on);
      if (type == event::kBegin) about.add_uint64(event::kNameNumber, name);
    });
  }

  const TextSink& sink_;
  uint32_t sequence_ = 0;
  uint64_t tracks_ = 0;
  std::map<std::string, uint64_t> names_;
};

void write_slices(Trace& trace, const CallSlices& calls, const std::vector<uint64_t>& tracks) {
  std::vector<const CallSlice*> open;
  const auto close = [&](size_t keep) {
    for (; open.size() > keep; open.pop_back())
      trace.slice_end(tracks[open.back()->track], open.back()->to);
  };
  for (const CallSlice& slice : calls.slices) {
    while (!open.empty() && (open.back()->track != slice.track || open.back()->to <= slice.from))
      close(open.size() - 1);
    trace.slice_begin(tracks[slice.track], slice.from, trace.name(calls.names[slice.name]));
    open.push_back(&slice);
  }
  close(0);
}

/// The disaligned regions of one side, the longest `limit` of them.
Regions regions_of(const AlignReport& alignment, bool is_a, size_t limit, size_t& left_out) {
  using Key = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>;
  std::map<Key, std::string> places;
  for (const Divergence& divergence : alignment.divergences)
    places[{divergence.a.process.value, divergence.a.thread.value, divergence.only_a.from,
            divergence.only_b.from}] = place_text(divergence.at);
  std::vector<uint64_t> sizes;
  for (const ThreadAlignment& thread : alignment.threads)
    for (const AlignedRegion& region : thread.regions)
      if (!region.is_aligned && (is_a ? region.a : region.b).size() != 0)
        sizes.push_back((is_a ? region.a : region.b).size());
  uint64_t least = 1;
  if (limit != 0 && sizes.size() > limit) {
    const auto first_out = sizes.begin() + static_cast<ptrdiff_t>(limit);
    std::ranges::nth_element(sizes, first_out, std::greater());
    least = *first_out + 1;
  }
  Regions out;
  for (const ThreadAlignment& thread : alignment.threads) {
    const Position& at = is_a ? thread.a : thread.b;
    for (const AlignedRegion& region : thread.regions) {
      const StepRange& steps = is_a ? region.a : region.b;
      if (region.is_aligned || steps.size() == 0) continue;
      if (steps.size() < least) {
        ++left_out;
        continue;
      }
      const auto found = places.find(
          {thread.a.process.value, thread.a.thread.value, region.a.from, region.b.from});
      out[{at.process.value, at.thread.value}].push_back(
          {steps.from, steps.to, found == places.end() ? "divergence" : "behind " + found->second});
    }
  }
  return out;
}

void write_run(Trace& trace, uint32_t number, const PerfettoRun& run, const Regions& regions) {
  trace.begin_run(number + 1, run.calls.names);
  for (const auto& [id, program] : run.calls.processes)
    trace.process_track(
        number * kPidsOfRun + id,
        fmt::format("{}: {} (1 ns is 1 instruction of the thread)", run.name, program));
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> threads;
  std::vector<uint64_t> tracks(run.calls.tracks.size());
  // The thread's own stack before others.
  std::vector<size_t> order(tracks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return run.calls.tracks[i]; });
  std::set<uint32_t> used;
  for (const CallSlice& slice : run.calls.slices) used.insert(slice.track);
  for (const size_t i : order) {
    const CallSlices::Track& from = run.calls.tracks[i];
    uint64_t& of_thread = threads[{from.process, from.thread}];
    const uint32_t pid = number * kPidsOfRun + from.process;
    if (of_thread == 0)
      of_thread = trace.thread_track(pid, pid * kThreadsOfProcess + from.thread,
                                     fmt::format("thread {} (instructions)", from.thread));
    if (!used.contains(static_cast<uint32_t>(i))) continue;
    tracks[i] = from.stack == 0 ? of_thread
                                : trace.track_below(of_thread, fmt::format("stack {}", from.stack));
  }
  write_slices(trace, run.calls, tracks);
  for (const auto& [id, list] : regions) {
    const auto found = threads.find(id);
    if (found == threads.end()) continue;
    const uint64_t on = trace.track_below(found->second, "only in this run");
    for (const Region& region : list) {
      trace.slice_begin(on, region.from, trace.name(region.name));
      trace.slice_end(on, region.to);
    }
  }
}

}  // namespace

PerfettoCut perfetto_trace(const std::vector<PerfettoRun>& runs, const AlignReport* alignment,
                           size_t limit, const TextSink& sink) {
  PerfettoCut out;
  Trace trace(sink);
  for (uint32_t i = 0; i < runs.size(); ++i) {
    const Regions regions =
        alignment == nullptr ? Regions() : regions_of(*alignment, i == 0, limit, out.regions);
    write_run(trace, i, runs[i], regions);
  }
  return out;
}

}  // namespace twinrun
