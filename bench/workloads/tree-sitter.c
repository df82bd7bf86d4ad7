// SPDX-License-Identifier: MIT
// An incremental parser on generated JavaScript: a whole parse, small edits with the tree parsed
// again, changed ranges, walks with a cursor, queries, and broken text that it has to recover from.
// 640 million instructions in 0.20.0, 290 million in 0.25.0.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree_sitter/api.h"

const TSLanguage* tree_sitter_javascript(void);

enum { kLines = 200, kEdits = 12, kCapacity = 1 << 18 };

static const char* const kForms[] = {
    "function f%u(a, b = %u, ...rest) { return a + b * rest.length; }\n",
    "const c%u = { x: %u, 'y': [1, 2, , 3], get z() { return this.x ** 2; } };\n",
    "for (let i%u = 0; i%u < 10; i%u++) { if (i%u %% 3 === 1) continue; else total += i%u; }\n",
    "class K%u extends Base { static s = %u; async *m(q) { yield* await q?.r ?? null; } }\n",
    "const t%u = `text ${a%u + `nested ${b}`} end`;\n",
    "/* comment %u */ switch (v%u) { case 1: case 'two': break; default: throw new Error('no') }\n",
    "label%u: while (true) { try { g%u(/re[gG]ex\\/+/gi, 0x1f, 1e-3) } catch { break label } "
    "finally { } }\n",
    "export const arrow%u = async ({ p, q: [r] = [] }, n%u) => p ? (q, r) : !q && ~r;\n",
    "x%u.y[z](1, 'str\\n%u')(...args).then(function () { delete this.w, void 0, typeof u })\n",
    "const e%u = <Tag attr=\"v\" {...props%u}>text <b/> {value}</Tag>;\n",
};

static const char* const kInserted[] = {"(",      "}",   " + 1",    "\n",           "/*", "'",
                                        "async ", "`${", "return;", "let k = 3;\n", "]"};

static const char kQuery[] =
    "(function_declaration name: (identifier) @name body: (statement_block (_)* @body))"
    "(call_expression function: [(identifier) (member_expression)] @callee arguments: (arguments "
    "(_) @argument))"
    "((identifier) @constant (#match? @constant \"^[A-Z]\"))"
    "(class_body (method_definition name: (property_identifier) @method))"
    "(binary_expression left: (_) @left right: (number) @number)";

static uint64_t state = 88172645463325252U;
static uint64_t digest;
static char text[kCapacity];
static uint32_t length;

static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 11) % n);
}

static void add(uint64_t value) { digest = digest * 31 + value; }

static void generate(void) {
  for (int i = 0; i < kLines; i++) {
    const char* form = kForms[below(sizeof kForms / sizeof kForms[0])];
    unsigned n = below(1000);
    length += (uint32_t)snprintf(text + length, kCapacity - length, form, n, n, n, n, n);
  }
}

static TSPoint point_at(uint32_t offset) {
  TSPoint point = {0, 0};
  for (uint32_t i = 0; i < offset; i++) {
    point.column++;
    if (text[i] == '\n') {
      point.row++;
      point.column = 0;
    }
  }
  return point;
}

/// Inserts a piece of text, or removes what an earlier edit inserted there.
static TSInputEdit edit_text(uint32_t at, const char* piece, int inserts) {
  uint32_t size = (uint32_t)strlen(piece);
  TSInputEdit edit = {.start_byte = at, .start_point = point_at(at)};
  edit.old_end_byte = inserts ? at : at + size;
  edit.old_end_point = point_at(edit.old_end_byte);
  if (inserts) {
    memmove(text + at + size, text + at, length - at);
    memcpy(text + at, piece, size);
    length += size;
  } else {
    memmove(text + at, text + at + size, length - at - size);
    length -= size;
  }
  edit.new_end_byte = inserts ? at + size : at;
  edit.new_end_point = point_at(edit.new_end_byte);
  return edit;
}

static TSTree* parse_again(TSParser* parser, TSTree* tree, TSInputEdit edit) {
  ts_tree_edit(tree, &edit);
  TSTree* next = ts_parser_parse_string(parser, tree, text, length);
  uint32_t count = 0;
  TSRange* ranges = ts_tree_get_changed_ranges(tree, next, &count);
  add(count);
  free(ranges);
  ts_tree_delete(tree);
  return next;
}

static void walk(TSTree* tree) {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (int is_done = 0; !is_done;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    add(ts_node_end_byte(node) + (ts_node_is_named(node) ? 1 : 0));
    if (ts_tree_cursor_goto_first_child(&cursor) || ts_tree_cursor_goto_next_sibling(&cursor))
      continue;
    do {
      is_done = !ts_tree_cursor_goto_parent(&cursor);
    } while (!is_done && !ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
}

static void ask(TSTree* tree) {
  uint32_t offset = 0;
  TSQueryError error;
  TSQuery* query =
      ts_query_new(tree_sitter_javascript(), kQuery, sizeof kQuery - 1, &offset, &error);
  if (!query) {
    fprintf(stderr, "query: error %d at %u\n", (int)error, offset);
    exit(1);
  }
  TSQueryCursor* cursor = ts_query_cursor_new();
  ts_query_cursor_exec(cursor, query, ts_tree_root_node(tree));
  TSQueryMatch match;
  while (ts_query_cursor_next_match(cursor, &match))
    for (uint16_t i = 0; i < match.capture_count; i++)
      add(ts_node_start_byte(match.captures[i].node));
  ts_query_cursor_delete(cursor);
  ts_query_delete(query);
}

int main(void) {
  generate();
  TSParser* parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_javascript())) return 1;
  TSTree* tree = ts_parser_parse_string(parser, NULL, text, length);
  walk(tree);
  ask(tree);
  for (int i = 0; i < kEdits; i++) {
    uint32_t at = below(length);
    const char* piece = kInserted[below(sizeof kInserted / sizeof kInserted[0])];
    tree = parse_again(parser, tree, edit_text(at, piece, 1));
    if (i % 16 == 0) walk(tree);
    tree = parse_again(parser, tree, edit_text(at, piece, 0));
  }
  ask(tree);
  char* printed = ts_node_string(ts_tree_root_node(tree));
  add(strlen(printed));
  free(printed);
  ts_tree_delete(tree);
  ts_parser_delete(parser);
  printf("%llx\n", (unsigned long long)digest);
  return 0;
}
