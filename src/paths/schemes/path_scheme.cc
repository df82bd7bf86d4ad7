// SPDX-License-Identifier: MIT
#include "paths/schemes/path_scheme.h"

#include "paths/schemes/scheme1.h"
#include "paths/schemes/scheme2.h"
#include "paths/schemes/scheme3.h"
#include "paths/schemes/scheme4.h"
#include "paths/schemes/sequitur.h"
#include "paths/stopwatch.h"

namespace twinrun {
namespace {

Grammar grammar_of(PathTraceView trace) {
  Sequitur sequitur;
  for (const PathEvent event : trace) sequitur.append(event);
  return sequitur.grammar();
}

}  // namespace

Result<SchemeAnswer> match_by_scheme(PathScheme scheme, PathTraceView trace,
                                     const PathQuery& query) {
  SchemeAnswer out;
  Stopwatch watch;
  switch (scheme) {
    case PathScheme::kScheme1: out.answer = match_scheme1(trace, query, PathWanted::kAll); break;
    case PathScheme::kScheme2: {
      const Grammar wpp = grammar_of(trace);
      out.preparing_us = watch.lap();
      out.answer = match_scheme2(wpp, query, PathWanted::kAll);
      break;
    }
    case PathScheme::kScheme3: {
      ChunkedTrace chunks;
      for (const PathEvent event : trace) chunks.append(event);
      chunks.finish();
      out.preparing_us = watch.lap();
      TRY(out.answer, chunks.match(query, PathWanted::kAll));
      break;
    }
    case PathScheme::kScheme4: {
      const ChunkedWpp chunks(grammar_of(trace));
      out.preparing_us = watch.lap();
      out.answer = chunks.match(query, PathWanted::kAll);
      break;
    }
  }
  out.asking_us = watch.lap();
  return out;
}

}  // namespace twinrun
