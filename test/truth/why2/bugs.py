# SPDX-License-Identifier: MIT
"""The second truth set: its directory, its builds, and what its cases say beyond those of the first."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "../why"), os.path.join(HERE, "..")]

import truth  # noqa: E402 (it is found only now)

USUAL_BUILDS = ("gcc-O0", "gcc-O2")
PROPERTIES = ("interpreter", "multi-process", "c++", "misuse")


def builds(every):
    """Those with gcc; with `every` all that there are."""
    return truth.BUILDS if every else USUAL_BUILDS


def check(case, packages):
    """Complains about a case that does not say what those of this set have to."""
    properties = case.data.get("properties")
    if properties is None or not set(properties) <= set(PROPERTIES):
        raise truth.Failure(f"{case.name}: properties are a list of {', '.join(PROPERTIES)}, not {properties}")
    if ("c++" in properties) != (packages[case.package]["language"] == "c++"):
        raise truth.Failure(f"{case.name}: c++ is a property where the package is in that language")
    if case.data.get("real") != case.data["origin"].startswith("debian patch"):
        raise truth.Failure(f"{case.name}: real is true of Debian's patches and of nothing else")
    if not all(root.get("function") for root in case.data["root"]):
        raise truth.Failure(f"{case.name}: a root does not name its function")
