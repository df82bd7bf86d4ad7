// SPDX-License-Identifier: MIT
#include "trace/cursor.h"
#include "trace/frame.h"
#include "trace/reader.h"
#include "trace/trace_builder.h"
#include "trace/writer.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <random>

namespace twinrun {
namespace {

bool run_all() { return std::getenv("TWINRUN_TEST_ALL") != nullptr; }

// Everything that a recording says, as one text; decodes every byte of it.
std::string everything(const Reader& reader, std::string& error) {
  std::string out;
  if (reader.recording())
    for (const std::string& word : reader.recording()->argv) out += word + "|";
  for (const auto& [number, process] : reader.processes()) {
    out += fmt::format("process {} of {} blocks {} instructions {}\n", number, process.info.parent,
                       process.blocks, process.instructions);
    const auto dictionary = reader.dictionary(number);
    if (!dictionary) {
      error = dictionary.error().message;
      return out;
    }
    BlockCursor cursor(reader, *dictionary, process, std::nullopt);
    Execution e;
    for (;;) {
      const auto more = cursor.next(e);
      if (!more) {
        error = more.error().message;
        return out;
      }
      if (!*more) break;
      out += fmt::format("{}.{}.{} {}x{}{}\n", number, e.thread.value, e.step.value, e.value,
                         e.instructions, e.partial ? " partial" : "");
    }
    for (const uint32_t segment : process.segments) {
      const auto data = reader.load(segment);
      if (!data) {
        error = data.error().message;
        return out;
      }
      for (const Bytes& stream : data->streams) out += fmt::format("{} ", stream.size());
    }
    if (process.end) out += fmt::format("ended {}\n", process.end->status);
  }
  return out;
}

TEST(Container, ASmallRecordingIsReadBackWithItsCounts) {
  const Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  EXPECT_FALSE((*reader)->is_prefix());
  EXPECT_EQ((*reader)->recording()->argv, (std::vector<std::string>{"./prog", "in put"}));
  ASSERT_EQ((*reader)->processes().size(), 2u);
  const Process& root = *(*reader)->process(1);
  ASSERT_EQ(root.segments.size(), 2u);
  // 1: 2; nop+rep: 2; rep twice: 2; the last arrival: 0; syscall 1; 7: 3.
  const FrameEntry& first = (*reader)->frames()[root.segments[0]];
  EXPECT_EQ(first.segment.instruction_count, 10u);
  ASSERT_EQ(first.threads.size(), 1u);
  EXPECT_EQ(first.threads[0].blocks, 7u);
  // Thread 1: 2+2, 1, partial 1, 2+2+1; thread 2: 2+2+1.
  const FrameEntry& second = (*reader)->frames()[root.segments[1]];
  EXPECT_EQ(second.segment.first_block, 7u);
  EXPECT_EQ(second.segment.first_instruction, 10u);
  ASSERT_EQ(second.threads.size(), 2u);
  EXPECT_EQ(second.threads[0].first_step, 10u);
  EXPECT_EQ(second.threads[0].instructions, 11u);
  EXPECT_EQ(second.threads[1].first_step, 0u);
  EXPECT_EQ(second.threads[1].instructions, 5u);
  EXPECT_EQ((*reader)->process(2)->instructions, 8u);
  EXPECT_EQ((*reader)->summary()->instructions, 34u);
  ASSERT_EQ((*reader)->warnings().size(), 1u);
  EXPECT_EQ((*reader)->warnings()[0].code, "W001");
}

TEST(Container, AForkedProcessKnowsItsParentsBlocks) {
  const Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());
  const auto child = (*reader)->dictionary(2);
  ASSERT_TRUE(child.has_value());
  ASSERT_NE(child->find(7), nullptr);
  EXPECT_EQ(child->find(7)->address.value, 0x100du);
  EXPECT_EQ(child->find(8)->address.value, 0x2000u);
  EXPECT_EQ((*reader)->dictionary(1)->find(8), nullptr);
}

TEST(Container, TheCursorSeeksToAnyStep) {
  const Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());
  const Process& root = *(*reader)->process(1);
  const auto dictionary = (*reader)->dictionary(1);
  ASSERT_TRUE(dictionary.has_value());
  BlockCursor all(**reader, *dictionary, root, std::nullopt);
  Execution e;
  while (*all.next(e)) {
    for (uint64_t step = e.step.value; step < e.step.value + e.instructions; ++step) {
      BlockCursor cursor(**reader, *dictionary, root, std::nullopt);
      ASSERT_TRUE(*cursor.seek(e.thread, {step}));
      Execution found;
      ASSERT_TRUE(*cursor.next(found));
      EXPECT_EQ(found.block, e.block);
      EXPECT_EQ(found.step, e.step);
    }
  }
  BlockCursor behind(**reader, *dictionary, root, std::nullopt);
  EXPECT_FALSE(*behind.seek({1}, {21}));
  BlockCursor one_thread(**reader, *dictionary, root, ThreadNo{2});
  uint64_t blocks = 0;
  while (*one_thread.next(e)) {
    EXPECT_EQ(e.thread.value, 2u);
    ++blocks;
  }
  EXPECT_EQ(blocks, 3u);
}

TEST(Container, ARebuiltIndexEqualsTheWrittenOne) {
  const Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.has_value());
  const auto written = (*reader)->written_index();
  const auto scanned = (*reader)->scan();
  ASSERT_TRUE(written.has_value());
  ASSERT_TRUE(scanned.has_value());
  EXPECT_EQ(scanned->note, "");
  EXPECT_EQ(encode_index(*written), encode_index(scanned->frames));
}

TEST(Container, EveryTruncationIsAPrefixOrAClearError) {
  const Bytes bytes = small_recording();
  const auto whole = Reader::open_memory(bytes);
  std::string error;
  const std::string complete = everything(**whole, error);
  ASSERT_EQ(error, "");
  uint64_t most = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const ByteSpan cut = ByteSpan(bytes).first(size);
    const auto reader = Reader::open_memory(cut);
    if (!reader) {
      EXPECT_LT(size, sizeof(TwFileHeader)) << reader.error().message;
      EXPECT_FALSE(reader.error().message.empty());
      continue;
    }
    EXPECT_TRUE((*reader)->is_prefix()) << size;
    EXPECT_FALSE((*reader)->prefix_note().empty());
    // No more than the bytes of one torn frame are lost, and blocks never become fewer again.
    EXPECT_GE((*reader)->blocks(), most);
    most = (*reader)->blocks();
    error.clear();
    everything(**reader, error);
    EXPECT_EQ(error, "") << size;
  }
  EXPECT_EQ(most, (*whole)->blocks());
}

TEST(Container, EverySingleBitFlipIsNoticed) {
  const Bytes original = small_recording();
  std::string error;
  const auto whole = Reader::open_memory(original);
  const std::string complete = everything(**whole, error);
  const size_t bits = original.size() * 8;
  // All bits of this file are fewer than 100 000; a sample of them in the normal run.
  std::mt19937 random(20250101);
  const size_t stride = run_all() ? 1 : 7;
  size_t tried = 0;
  Bytes bytes = original;
  for (size_t bit = run_all() ? 0 : random() % stride; bit < bits; bit += stride, ++tried) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    const auto reader = Reader::open_memory(bytes);
    if (reader) {
      error.clear();
      const std::string got = everything(**reader, error);
      EXPECT_TRUE((*reader)->is_prefix() || !error.empty()) << "bit " << bit;
      // What is said before the error is true: it is a part of the original, process for process.
      if (error.empty() && got == complete) {
        EXPECT_TRUE((*reader)->is_prefix());
      }
    }
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
  EXPECT_GT(tried, 1000u);
}

TEST(Container, AHundredThousandFlipsOfALargerFileAreNoticed) {
  const TempDir dir;
  const auto writer = make_writer(dir.file("x.twin"));
  ASSERT_TRUE(writer->recording({}));
  ASSERT_TRUE(writer->begin_process({.number = 1, .origin = TW_ORIGIN_ROOT}));
  std::mt19937 random(7);
  for (int s = 0; s < 4; ++s) {
    SegmentBuilder segment;
    segment.slot().thread_at_start = 1;
    if (s == 0)
      for (uint32_t id = 1; id < 200; ++id)
        segment.define(id, {.address = id * 16, .lengths = {3}});
    for (int i = 0; i < 1500; ++i) segment.run(1 + random() % 199);
    ASSERT_TRUE(segment.write(*writer, 1));
  }
  ASSERT_TRUE(writer->finish({}));
  Bytes bytes = read_whole_file(dir.file("x.twin"));
  ASSERT_GT(bytes.size() * 8, 40'000u);
  const int count = run_all() ? 100'000 : 3'000;
  for (int i = 0; i < count; ++i) {
    const size_t bit = random() % (bytes.size() * 8);
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    std::string error;
    const auto reader = Reader::open_memory(bytes);
    if (reader) {
      everything(**reader, error);
      ASSERT_TRUE((*reader)->is_prefix() || !error.empty()) << "bit " << bit;
    }
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
}

TEST(Container, ANewerFormatIsRefusedWithAnExplanation) {
  Bytes bytes = small_recording();
  TwFileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.version = header.min_reader = TW_VERSION + 1;
  header.checksum = file_header_checksum(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto reader = Reader::open_memory(bytes);
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, "T004");
  EXPECT_NE(reader.error().message.find("newer twinrun"), std::string::npos);
}

TEST(Container, OnlyFilesWithLateProcessesAskForANewerReader) {
  const TempDir dir;
  for (const auto& [features, reader] : {std::pair<uint64_t, uint32_t>{TW_FEATURE_VALUES, 1},
                                         {TW_FEATURE_VALUES | TW_FEATURE_LATE, 2}}) {
    const std::string path = dir.file(std::to_string(reader) + ".twin");
    const auto writer = Writer::create({.final_path = path}, {.features = features});
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE((*writer)->finish({}));
    EXPECT_EQ((*Reader::open(path))->header().min_reader, reader);
  }
}

TEST(Container, ForeignFilesAreRefused) {
  const TempDir dir;
  write_whole_file(dir.file("text"), Bytes{'h', 'e', 'l', 'l', 'o'});
  EXPECT_EQ(Reader::open(dir.file("text")).error().code, "T002");
  EXPECT_EQ(Reader::open(dir.file("missing")).error().code, "T001");
  EXPECT_EQ(Reader::open("/dev/null").error().code, "T002");
  EXPECT_EQ(Reader::open(dir.file("")).error().code, "T002");
}

TEST(Writer, TheFileIsPrivateWhateverTheUmask) {
  const TempDir dir;
  const mode_t before = umask(0);
  const auto writer = make_writer(dir.file("x.twin"));
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(writer->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  ASSERT_TRUE(writer->finish({}));
  ASSERT_EQ(stat(dir.file("x.twin").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST(Writer, ANameIsTakenOnce) {
  const TempDir dir;
  const WriterOptions keep{.final_path = dir.file("x.twin"), .replace = false};
  const auto first = Writer::create(keep, {}).value();
  EXPECT_EQ(Writer::create(keep, {}).error().code, kErrorNameTaken);  // while it is being written
  EXPECT_EQ(Writer::create({.final_path = keep.final_path}, {}).error().code, kErrorNameTaken);
  ASSERT_TRUE(first->finish({}));
  EXPECT_EQ(Writer::create(keep, {}).error().code, kErrorNameTaken);  // and afterwards
  EXPECT_FALSE(std::filesystem::exists(dir.file("x.twin.partial")));

  {
    const auto killed = Writer::create({.final_path = dir.file("y.twin")}, {}).value();
  }
  EXPECT_EQ(Writer::create({.final_path = dir.file("y.twin"), .replace = false}, {}).error().code,
            kErrorNameTaken);
  EXPECT_TRUE(Writer::create({.final_path = dir.file("y.twin")}, {}).has_value());
}

TEST(Writer, ItDoesNotFollowLinksOrOverwrite) {
  const TempDir dir;
  std::filesystem::create_symlink("/tmp/elsewhere", dir.file("x.twin.partial"));
  EXPECT_FALSE(Writer::create({.final_path = dir.file("x.twin")}, {}).has_value());
  EXPECT_EQ(Writer::create({.final_path = "/dev/full"}, {}).error().code, "T007");
}

// Fails with ENOSPC once `budget` bytes are written.
uint64_t budget = 0;
ssize_t limited_write(int fd, const void* bytes, size_t size) {
  if (budget == 0) {
    errno = ENOSPC;
    return -1;
  }
  const ssize_t n = write(fd, bytes, std::min<size_t>(size, budget));
  if (n > 0) budget -= static_cast<uint64_t>(n);
  return n;
}

TEST(Writer, AFullDiskAtAnyPointLeavesAReadablePrefix) {
  const size_t total = small_recording().size();
  size_t complete = 0;
  for (size_t limit = 0; limit <= total; limit += 13) {
    const TempDir dir;
    budget = limit;
    auto writer = Writer::create({.final_path = dir.file("x.twin"),
                                  .reserve = WriterOptions::kNoReserve,
                                  .write = limited_write},
                                 {});
    if (!writer) {
      EXPECT_LT(limit, sizeof(TwFileHeader));
      EXPECT_NE(writer.error().message.find("No space"), std::string::npos);
      EXPECT_FALSE(std::filesystem::exists(dir.file("x.twin.partial")));
      continue;
    }
    write_small_recording(**writer);
    const bool stopped = (*writer)->stopped();
    ASSERT_TRUE((*writer)->finish({.how = EndKind::kExited}));
    const auto reader = Reader::open(dir.file("x.twin"));
    ASSERT_TRUE(reader.has_value()) << limit << " " << reader.error().message;
    std::string error;
    everything(**reader, error);
    EXPECT_EQ(error, "");
    EXPECT_TRUE(!stopped || (*reader)->is_cut()) << limit;
    if (!(*reader)->is_cut()) ++complete;
    EXPECT_EQ((*reader)->lost_bytes(), 0u);
  }
  EXPECT_LE(complete, 2u);
}

TEST(Writer, SizeLimitsAreKeptWithTheirIndex) {
  const size_t total = small_recording().size();
  for (uint64_t limit = 5000; limit < total + 8000; limit += 400) {
    const TempDir dir;
    auto writer = Writer::create(
        {.final_path = dir.file("x.twin"), .max_size = limit, .reserve = WriterOptions::kNoReserve},
        {});
    ASSERT_TRUE(writer.has_value());
    write_small_recording(**writer);
    ASSERT_TRUE((*writer)->finish({}));
    EXPECT_LE(std::filesystem::file_size(dir.file("x.twin")), limit);
    const auto reader = Reader::open(dir.file("x.twin"));
    ASSERT_TRUE(reader.has_value());
    EXPECT_FALSE((*reader)->is_prefix());
    if ((*writer)->stopped()) {
      EXPECT_EQ((*reader)->summary()->stop, StopReason::kMaxSize);
      EXPECT_TRUE((*reader)->is_cut());
    }
  }
}

TEST(Writer, ALimitOnFileSizesStopsItWithoutASignal) {
  const TempDir dir;
  auto writer =
      Writer::create({.final_path = dir.file("x.twin"), .reserve = WriterOptions::kNoReserve}, {});
  ASSERT_TRUE(writer.has_value());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 5000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  write_small_recording(**writer);
  const bool stopped = (*writer)->stopped();
  const auto finished = (*writer)->finish({});
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(stopped);
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE((*Reader::open(dir.file("x.twin")))->is_cut());
}

TEST(Writer, AReserveOfFreeSpaceIsKept) {
  const TempDir dir;
  auto writer = Writer::create({.final_path = dir.file("x.twin"), .reserve = 1ull << 60}, {});
  ASSERT_FALSE(writer.has_value());
  EXPECT_NE(writer.error().message.find("bytes left"), std::string::npos);
}

TEST(Writer, UndefinedBlocksAreRefused) {
  const TempDir dir;
  const auto writer = make_writer(dir.file("x.twin"));
  ASSERT_TRUE(writer->begin_process({.number = 1, .origin = TW_ORIGIN_ROOT}));
  SegmentBuilder segment;
  segment.slot().thread_at_start = 1;
  segment.run(5);
  const auto written = segment.write(*writer, 1);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, "T006");
  EXPECT_FALSE(writer->stopped());
}

}  // namespace
}  // namespace twinrun
