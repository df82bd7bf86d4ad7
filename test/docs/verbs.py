#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""verbs.py README TWINRUN: the README has the verbs in the groups and the order of `twinrun help`."""
import re
import subprocess
import sys

readme = open(sys.argv[1], encoding="utf-8").read()
use = readme[readme.index("\n## Use\n"):].split("\n## ")[1]
told = [one[0] or one[1] for one in re.findall(r"^\*\*(.+)\*\*$|^\| `(\w+)` \|", use, re.M)]
overview = subprocess.run([sys.argv[2], "help"], capture_output=True, text=True, check=True).stdout
body = overview.split("\n\n", 2)[2].rsplit("\n\n", 1)[0]
has = [one[0] or one[1] for one in re.findall(r"^([A-Z].*)$|^  (\w+) ", body, re.M)]
if not has or told != has:
    sys.exit(f"README: {told}\ntwinrun help: {has}")
print(f"{len(has)} groups and verbs")
