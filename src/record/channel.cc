// SPDX-License-Identifier: MIT
#include "record/channel.h"

#include "base/check.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace twinrun {
namespace {

/// Bytes of each stream in a slot. A full slot of block ids is about 1.2 million instructions.
constexpr std::array<uint64_t, TW_STREAM_COUNT> kCapacity = {
    uint64_t{TW_SEGMENT_BLOCKS_MAX} * 4,  // blocks
    512 << 10,                            // miss positions
    1 << 20,                              // miss values
    1 << 20,                              // opaque results
    1 << 20,                              // events
    1 << 20,                              // definitions
};
constexpr uint32_t kSlots = 6;
constexpr uint64_t kPage = 4096;

uint64_t round_to_page(uint64_t size) { return (size + kPage - 1) & ~(kPage - 1); }

uint32_t load(const uint32_t& value) {
  return std::atomic_ref(const_cast<uint32_t&>(value)).load(std::memory_order_acquire);
}

}  // namespace

Result<Channel> Channel::create() {
  uint64_t slot_size = 0;
  std::array<uint64_t, TW_STREAM_COUNT> offset{};
  for (size_t i = 0; i < kCapacity.size(); ++i) {
    offset[i] = slot_size;
    slot_size += round_to_page(kCapacity[i]);
  }
  const uint64_t slots_offset = round_to_page(sizeof(TwChannel));
  Channel out;
  out.size_ = slots_offset + kSlots * slot_size;
  if (!out.map_file() && !out.map_system_v()) {
    return std::unexpected(
        Error{"R020",
              fmt::format("no shared memory of {} bytes: {}", out.size_, std::strerror(errno)),
              "memfd_create or shmget must be allowed; see twinrun doctor",
              {}});
  }
  TwChannel& c = *out.shared_;
  c.magic = TW_CHANNEL_MAGIC;
  c.slot_count = kSlots;
  c.total_size = out.size_;
  c.slot_size = slot_size;
  c.slots_offset = slots_offset;
  std::copy(offset.begin(), offset.end(), c.stream_offset);
  std::copy(kCapacity.begin(), kCapacity.end(), c.stream_capacity);
  return out;
}

bool Channel::map_file() {
  fd_ = memfd_create("twinrun", MFD_CLOEXEC);
  if (fd_ < 0) return false;
  if (ftruncate(fd_, static_cast<off_t>(size_)) == 0) {
    void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (mapped != MAP_FAILED) {
      shared_ = static_cast<TwChannel*>(mapped);
      return true;
    }
  }
  close_fd();
  return false;
}

/// A file size limit (ulimit -f) is meant for the recording but stops memfd_create too; it does not
/// know System V's memory. Marked for removal at once, it lives as long as it is attached.
bool Channel::map_system_v() {
  shm_id_ = shmget(IPC_PRIVATE, size_, IPC_CREAT | 0600);
  if (shm_id_ < 0) return false;
  void* mapped = shmat(shm_id_, nullptr, 0);
  shmctl(shm_id_, IPC_RMID, nullptr);
  // (void*)-1 is shmat's way to fail.
  if (reinterpret_cast<intptr_t>(mapped) == -1) return false;
  shared_ = static_cast<TwChannel*>(mapped);
  return true;
}

Channel::Channel(Channel&& other) noexcept { *this = std::move(other); }

Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(shared_, other.shared_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  std::swap(shm_id_, other.shm_id_);
  return *this;
}

Channel::~Channel() {
  close_fd();
  if (shared_ == nullptr) return;
  if (shm_id_ >= 0) {
    shmdt(shared_);
  } else {
    munmap(shared_, size_);
  }
}

void Channel::close_fd() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool Channel::has_filled() const { return load(shared_->produced) != shared_->consumed; }

/// Sizes come from another process's memory: they are clamped to what the slot can hold.
Channel::Filled Channel::view(uint32_t number) const {
  const uint32_t index = number % kSlots;
  Filled out;
  std::memcpy(&out.slot, &shared_->slot[index], sizeof out.slot);
  const auto* base = reinterpret_cast<const uint8_t*>(shared_) + shared_->slots_offset +
                     index * shared_->slot_size;
  for (size_t i = 0; i < kCapacity.size(); ++i) {
    out.slot.size[i] = std::min(out.slot.size[i], kCapacity[i]);
    out.streams[i] = {base + shared_->stream_offset[i], out.slot.size[i]};
  }
  return out;
}

Channel::Filled Channel::oldest() const { return view(shared_->consumed); }

void Channel::consume() {
  // The recorder's next use of the slot ends at the first id that is still zero, should it die.
  Filled done = oldest();
  const ByteSpan blocks = done.streams[TW_STREAM_BLOCKS];
  std::memset(const_cast<uint8_t*>(blocks.data()), 0, blocks.size());
  std::memset(&shared_->slot[shared_->consumed % kSlots], 0, sizeof(TwSlot));
  std::atomic_ref(shared_->consumed).fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &shared_->consumed, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool Channel::finished() const { return load(shared_->finished) != 0; }

std::optional<Channel::Filled> Channel::salvage() const {
  CHECK(!has_filled());
  // Block ids first: whatever belongs to them was written before them or is in the other streams
  // by the time these are looked at.
  const uint32_t number = shared_->consumed;
  const auto* base = reinterpret_cast<const uint8_t*>(shared_) + shared_->slots_offset +
                     (number % kSlots) * shared_->slot_size;
  const auto* ids = reinterpret_cast<const uint32_t*>(base + shared_->stream_offset[0]);
  const auto* end = std::find(ids, ids + TW_SEGMENT_BLOCKS_MAX, 0u);
  Filled out = view(number);
  out.slot.block_count = static_cast<uint32_t>(end - ids);
  out.slot.size[TW_STREAM_BLOCKS] = uint64_t{out.slot.block_count} * 4;
  out.streams[TW_STREAM_BLOCKS] = {reinterpret_cast<const uint8_t*>(ids),
                                   out.slot.size[TW_STREAM_BLOCKS]};
  const uint64_t opaque =
      std::min(shared_->opaque_at - shared_->opaque_base, kCapacity[TW_STREAM_OPAQUE]);
  out.slot.size[TW_STREAM_OPAQUE] = opaque;
  out.streams[TW_STREAM_OPAQUE] = {base + shared_->stream_offset[TW_STREAM_OPAQUE], opaque};
  out.slot.flags |= TW_SEGMENT_SALVAGED | TW_SEGMENT_LAST;
  if (std::ranges::all_of(out.streams, &ByteSpan::empty)) return std::nullopt;
  return out;
}

void Channel::detach() {
  std::atomic_ref(shared_->detached).store(1, std::memory_order_release);
  syscall(SYS_futex, &shared_->consumed, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace twinrun
