// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "trace/model.h"

#include <span>

namespace twinrun {

/// XXH3-64 of everything in front of the checksum field.
uint64_t file_header_checksum(const TwFileHeader& header);
uint64_t trailer_checksum(const TwTrailer& trailer);

/// XXH3-64 of the payload, seeded with that of the frame header's other fields.
uint64_t frame_checksum(const TwFrameHeader& header, ByteSpan payload);

// Payloads of the small frames. Decoders take untrusted bytes, ignore bytes behind the last field
// they know, and fail with T006 when the payload is too short.
Bytes encode_recording(const RecordingInfo& info);
Bytes encode_process(const ProcessInfo& info);
Bytes encode_process_end(const ProcessEnd& end);
Bytes encode_warning(const TraceWarning& warning);
Bytes encode_summary(const RecordingEnd& end);
Result<RecordingInfo> decode_recording(ByteSpan payload);
Result<ProcessInfo> decode_process(uint32_t number, ByteSpan payload);
Result<ProcessEnd> decode_process_end(ByteSpan payload);
Result<TraceWarning> decode_warning(uint32_t process, ByteSpan payload);
Result<RecordingEnd> decode_summary(ByteSpan payload);

/// A packed file with its contents, compressed when that helps.
/// `level` of zstd.
Bytes encode_file(const PackedFile& file, ByteSpan contents, int level);
Result<PackedFile> decode_file_header(ByteSpan payload);
Result<Bytes> decode_file_contents(ByteSpan payload);

/// All frames in front of the INDEX frame, in file order. `most_frames` is how many the file has
/// room for.
Bytes encode_index(std::span<const FrameEntry> frames);
Result<std::vector<FrameEntry>> decode_index(ByteSpan payload, uint64_t most_frames);

/// The header and the thread spans of a SEGMENT payload; checks that the sizes fit together.
struct SegmentLayout {
  TwSegmentHeader header;
  std::vector<TwThreadSpan> threads;
  size_t streams_at = 0;  // offset of the first coded stream in the payload
};
Result<SegmentLayout> decode_segment_layout(ByteSpan payload);

/// What `decode_segment_layout` checks of a header whose streams take `coded_bytes` together.
Result<void> check_segment_header(const TwSegmentHeader& header, uint64_t coded_bytes);

const char* frame_type_name(uint32_t type);

}  // namespace twinrun
