# SPDX-License-Identifier: MIT
"""closure.py DEPENDENCY...: the installed packages that these dependencies ("libdw1 (>= 0.171)") and Debian's
minimal system are made of, one a line. A dependency that nothing installed fulfils is an error."""

import re
import subprocess
import sys

FIELDS = "${db:Status-Status}\t${Package}\t${Essential}\t${Provides}\t${Pre-Depends}, ${Depends}\n"


def names_in(text):
    """The alternatives of each dependency: "a (>= 1) | b, c" is [[a, b], [c]]."""
    for clause in filter(None, (part.strip() for part in text.split(","))):
        yield [re.match(r"[a-z0-9.+-]+", name.strip()).group() for name in clause.split("|")]


depends, providers, wanted = {}, {}, []
for row in subprocess.check_output(["dpkg-query", "-W", "-f", FIELDS], text=True).splitlines():
    status, package, essential, provides, needs = row.split("\t")
    if status != "installed":
        continue
    depends[package] = needs
    providers[package] = package
    for (name,) in names_in(provides):
        providers.setdefault(name, package)
    if essential == "yes":
        wanted.append([package])

found = set()
wanted += [["apt"], *names_in(",".join(sys.argv[1:]))]
while wanted:
    alternatives = wanted.pop()
    package = next((providers[name] for name in alternatives if name in providers), None)
    if package is None:
        sys.exit(f"closure.py: not installed here: {' | '.join(alternatives)}")
    if package not in found:
        found.add(package)
        wanted += names_in(depends[package])
print("\n".join(sorted(found)))
