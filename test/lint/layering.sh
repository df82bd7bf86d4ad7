#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The table "module | may use" of ARCHITECTURE.md against the includes and the CMake files: a module
# includes only what its row allows, DEPS in its CMakeLists.txt are in its row, rows form no cycle,
# and each confined third-party header is used in one module only.
set -euo pipefail
. "$(dirname "$0")/files.sh"
exec python3 - "$1" <(tree_files "$1" 'src/*' 'recorder/*') <<'EOF'
import pathlib, re, sys

root = pathlib.Path(sys.argv[1])
files = [f for f in open(sys.argv[2]).read().split("\n") if re.match(r"(src|recorder)/", f)]
bad = []

allowed = {}
for line in (root / "ARCHITECTURE.md").read_text().split("\n"):
    row = re.match(r"\| `(\w+)` \| ([^|]*) \|", line)
    if row:
        allowed[row[1]] = set(re.findall(r"`(\w+)`", row[2]))
if len(allowed) < 5:
    bad.append("ARCHITECTURE.md: the table 'module | may use' was not found")

def reaches(module, goal, seen):
    for dep in allowed.get(module, ()):
        if dep == goal or (dep not in seen and reaches(dep, goal, seen | {dep})):
            return True
    return False

for module, deps in allowed.items():
    for dep in deps - allowed.keys():
        bad.append(f"ARCHITECTURE.md: {module} may use {dep}, which has no row")
    if reaches(module, module, set()):
        bad.append(f"ARCHITECTURE.md: {module} depends on itself")

CONFINED = {
    r"elfutils/|dwarf\.h|libelf\.h|gelf\.h|Zydis/|Zycore/": "program",
    r"zstd\.h|zdict\.h|zstd_errors\.h": "trace",
    r"xbyak/.*": "trace",
    r"nlohmann/": "report",
    r"sqlite3\.h": "report",
    r"lemon/": "profile",
    r"protozero/": "report",
    r"CLI/": "cli",
}

includes = 0
for name in files:
    path = root / name
    module = name.split("/")[1] if name.startswith("src/") else "recorder"
    if name.startswith("src/") and module not in allowed:
        bad.append(f"{name}: module {module} has no row in ARCHITECTURE.md")
        continue
    if path.name == "CMakeLists.txt" and module != "recorder":
        deps = re.search(r"\bDEPS\s+([\w\s]*?)(?:\b(?:LIBS|TESTS|TEST_LIBS|SOURCES)\b|\))", path.read_text())
        for dep in deps[1].split() if deps else ():
            if dep not in allowed[module]:
                bad.append(f"{name}: DEPS has {dep}, which {module} may not use")
    if path.suffix not in (".cc", ".h", ".c", ".in"):
        continue
    for number, line in enumerate(path.read_text().split("\n"), 1):
        include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not include:
            continue
        includes += 1
        where, target = f"{name}:{number}", include[2]
        for pattern, home in CONFINED.items():
            if re.match(pattern, target) and module != home:
                bad.append(f"{where}: {target} belongs in {home}/ only")
        if include[1] == '"' and module != "recorder":
            if "/" not in target:
                bad.append(f'{where}: write "{module}/{target}", so that the module is visible')
                continue
            used = target.split("/")[0]
            if used != module and used not in allowed[module]:
                bad.append(f"{where}: {module} may not use {used}")
        elif include[1] == '"' and "/" in target:
            if not re.match(r"(\.\./)?format/", target):
                bad.append(f"{where}: the recorder shares only format/ with the rest")

print(f"{len(files)} files, {includes} includes")
if includes < 50:
    bad.append("too few includes were seen")
print("\n".join(bad))
sys.exit(1 if bad else 0)
EOF
