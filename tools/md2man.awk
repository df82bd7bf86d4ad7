# SPDX-License-Identifier: MIT
# Turns a page of docs/cli/ into a man page: awk -v version=V -f md2man.awk PAGE.md
#
# The pages use little Markdown: "# twinrun-VERB" and a paragraph (NAME), "## SECTION", paragraphs,
# indented code, "- `--flag VALUE`" with an indented explanation (or plain bullets), tables of two
# or three columns, `code` and *emphasis*.

function plain(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text
}

# `x` becomes bold, *x* italic, [text](link) the text.
function inline(text,    out, part, end) {
  out = ""
  while (match(text, /`[^`]+`|\*[^* ][^*]*\*|\[[^\]]+\]\([^)]+\)/)) {
    out = out plain(substr(text, 1, RSTART - 1))
    part = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if (part ~ /^`/) out = out "\\fB" plain(substr(part, 2, length(part) - 2)) "\\fR"
    else if (part ~ /^\*/) out = out "\\fI" plain(substr(part, 2, length(part) - 2)) "\\fR"
    else { end = index(part, "]"); out = out plain(substr(part, 2, end - 2)) }
  }
  return out plain(text)
}

# A line that starts with a dot or a quote would be a request.
function put(text) {
  if (text ~ /^[.']/) text = "\\&" text
  print text
}

function close_code() { if (in_code) print ".fi\n.RE"; in_code = 0 }

BEGIN { print ".\\\" Made from docs/cli/ by tools/md2man.awk." }

/^<!--.*-->$/ { next }

/^# / {
  name = substr($0, 3)
  printf ".TH %s 1 \"\" \"twinrun %s\" \"twinrun\"\n.SH NAME\n", toupper(plain(name)), version
  in_name = 1
  next
}
/^## / { close_code(); print ".SH " toupper(inline(substr($0, 4))); fresh = 1; next }
/^### / { close_code(); print ".SS " inline(substr($0, 5)); fresh = 1; next }

/^    / && !in_item {
  if (!in_code) print ".PP\n.RS 4\n.nf"
  in_code = 1
  put(plain(substr($0, 5)))
  next
}
/^$/ { close_code(); in_item = 0; if (!in_name && !fresh) pending = 1; next }

/^\|[-| ]+\|$/ { next }
/^\|/ {
  row = $0
  gsub(/^\| *| *\|$/, "", row)
  n = split(row, cell, / *\| */)
  print ".TP\n" inline(cell[1])
  text = inline(cell[2])
  for (i = 3; i <= n; i++) text = text "; " inline(cell[i])
  put(text)
  pending = 0
  next
}

/^- / {
  close_code()
  item = substr($0, 3)
  if (item ~ /^`-/) print ".TP\n" inline(item)
  else { print ".IP \\(bu 2"; put(inline(item)) }
  in_item = 1
  pending = fresh = 0
  next
}
in_item && /^  / { sub(/^ +/, ""); put(inline($0)); next }

{
  close_code()
  if (in_name) { print plain(name) " \\- " inline($0); in_name = 0; next }
  if (pending) print ".PP"
  pending = fresh = 0
  put(inline($0))
}

END { close_code() }
