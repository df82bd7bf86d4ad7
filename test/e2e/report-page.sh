# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The page of the example: one small file with the findings, which asks for nothing else.
needs_recorder
cp "$TWINRUN_SOURCE"/examples/csvsum/* .
cc -g -O0 -o csvsum csvsum.c
twinrun record -q -o again -- ./csvsum good.csv >out

# Both runs are recorded by the way; what they print goes to standard error.
status 1 twinrun report './csvsum good.csv' './csvsum bad.csv' -o why.html >out 2>err
has err "recorded ./csvsum bad.csv as csvsum-2"
good=csvsum-1 bad=csvsum-2
[[ $(<out) == why.html ]]
[[ $(stat -c %a why.html) == 600 ]]
(($(stat -c %s why.html) < 1000000)) || fail "the page has $(stat -c %s why.html) bytes"
has why.html "default-src 'none'" '"id":"D1"' '"id":"D2"' 'strcpy(h-\u003etitle, s);' sum_row
not grep -qiE '(src|href|action|data|poster)=["'\'']?(https?:)?//' why.html
not grep -qE '<(link|img|iframe|base|form)\b' why.html
not grep -q '@TWINRUN_DATA@' why.html
python3 - <<'EOF'
import base64, hashlib, json, re
page = open("why.html", encoding="utf-8").read()
block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
assert not re.search("[<>&]", block)
data = json.loads(block)
assert data["schema"] == "twinrun.report.v1" and data["why"]["schema"] == "twinrun.why.v1"
source = next(s for s in data["sources"] if s["file"].endswith("/csvsum.c"))
assert "\n".join(source["chunks"][0]["text"]) + "\n" == open("csvsum.c").read()
lines = open("csvsum.c").read().split("\n")
call = next(i for i, line in enumerate(lines, 1) if "printf(\"%s: %ld" in line)
assert dict(source["a"])[call] == 1 and call not in dict(source["b"])
cells = data["timeline"]["threads"][0]["cells"]
for side in "ab":
    assert cells[0][side][0] == 0
    assert all(x[side][1] == y[side][0] for x, y in zip(cells, cells[1:]))
    assert cells[-1][side][1] == data["why"][side]["instructions"]
assert any(f["function"] == "sum_row" and f["calls"][0] > f["calls"][1] for f in data["functions"]["rows"])
# The policy allows the one script and the one style, by their hashes, and nothing else.
policy = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
assert len(policy) == 1 and re.fullmatch(
    r"default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'none'", policy[0])
for kind, tag in (("script", r'<script type="module">(.*?)</script>'), ("style", "<style>(.*?)</style>")):
    text = re.findall(tag, page, re.S)
    assert len(text) == 1
    digest = base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode()
    assert f"{kind}-src 'sha256-{digest}'" in policy[0]
EOF

# An existing file stays as it is.
cp why.html first.html
status 2 twinrun report "$good" "$bad" -o why.html 2>err
has err "error[S009]" "--force"
same why.html first.html
status 2 twinrun report "$good" "$bad" -o . 2>err
has err "error[S005]"
status 2 twinrun report "$good" "$bad" -o none/why.html 2>err
has err "error[S010]"
status 2 twinrun report "$good" "$bad" 2>err
has err "error[C004]"
[[ $(echo ./*.html*) == "./first.html ./why.html" ]]

# The same data again, without a page.
status 1 twinrun report "$good" "$bad" --json >data.json
python3 - <<'EOF'
import json, re
page = open("why.html", encoding="utf-8").read()
block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
assert json.loads(block) == json.load(open("data.json"))
EOF
status 0 twinrun report "$good" again -o why.html --force >/dev/null
not cmp -s why.html first.html
