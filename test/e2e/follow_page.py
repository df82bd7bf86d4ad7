# SPDX-License-Identifier: MIT
"""follow_page.py PAGE HEADING: does what a page says below the heading, in the current directory: writes the files that
are in it (blocks whose fence names one: "```sh record-test.sh") and executes its commands ("    $ COMMAND"), as the
steps of a job would, until one fails. Ends with that one's status, and prints it."""
import re
import subprocess
import sys

page, heading = sys.argv[1:]
text = open(page).read()
[section] = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
for name, contents in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", section, re.M | re.S):
    with open(name, "w") as file:
        file.write(contents)
commands = re.findall(r"^    \$ (.*)$", section, re.M)
assert commands, "no commands"
for command in commands:
    print("==", command, flush=True)
    status = subprocess.run(["bash", "-eo", "pipefail", "-c", command]).returncode
    if status:
        print("==", "ended with", status)
        sys.exit(status)
