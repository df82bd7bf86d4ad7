# SPDX-License-Identifier: MIT
"""Judges one answer of `twinrun why --json` against the lines that are known to be the cause, and adds up many.

What is read of an answer (schema twinrun.why.v1):

    result      different, same or noise
    answer      the lines of the printed answer: [{id, text, places: [{run, file, line}]}]
    graph       {nodes: [{id, kind}], edges: [{from, to, kind}]}: the Basic graph, by instructions
    statements  the graph that is shown, by lines of the source: [{id, file, line, basic}], the most suspicious first
    suspects    those that are printed before the answer, to be looked at first: ids of statements
    statement_edges, basic_statements, statements_left_out

A cause is found when one of its lines is a node of the graph of lines, and that has at most MOST_NODES nodes: in a
larger one nobody would find it. `why` itself shows at most so many, those with most weight: how many lines it left out
is told, and the rank, which says more than that it is there.
"""
import statistics

import truth

SCHEMA = "twinrun.why.v1"
MOST_NODES = 150
ANSWER_LINES = 10
WANTED = {"O0": 0.85, "O2": 0.75, "first lines": 0.60}
# What has been reached, less a few rows: below it something has become worse.
FLOORS = {"O0": 0.82, "O2": 0.73, "first lines": 0.58}
MEDIAN_NODES = 60


class BadAnswer(Exception):
    """The answer is not what the schema says."""


def is_root(place, roots):
    return bool(place) and any(place.get("line") == line and truth.same_file(place.get("file") or "", path)
                               for path, line in roots)


def check_schema(data):
    """Complains about an answer that would be judged wrongly rather than badly."""
    if data.get("schema") != SCHEMA:
        raise BadAnswer(f"schema {data.get('schema')!r} instead of {SCHEMA!r}")
    if data.get("result") not in ("different", "same", "noise"):
        raise BadAnswer(f"unknown result {data.get('result')!r}")
    nodes = data["graph"]["nodes"]
    ids = {node["id"] for node in nodes}
    if len(ids) != len(nodes):
        raise BadAnswer("two nodes have one id")
    for edge in data["graph"]["edges"]:
        if edge["from"] not in ids or edge["to"] not in ids:
            raise BadAnswer(f"an edge leads to a node that is not there: {edge}")
    for line in data["answer"]:
        if not isinstance(line.get("places"), list):
            raise BadAnswer(f"a line of the answer has no places: {line}")


def judge(data, roots, plain=None):
    """A row: nodes, whether the cause is in the graph and in the first lines. plain: the answer of --no-normalization."""
    check_schema(data)
    nodes = data["statements"]
    rank = next((i + 1 for i, place in enumerate(nodes) if is_root(place, roots)), None)
    in_graph = rank is not None
    by_id = {place["id"]: place for place in nodes}
    printed = [[by_id[suspect]] for suspect in data["suspects"]] + [line["places"] for line in data["answer"]]
    first = any(is_root(place, roots) for places in printed[:ANSWER_LINES] for place in places)
    different = data["result"] == "different"
    return {"result": data["result"], "nodes": len(nodes), "left_out": data["statements_left_out"],
            "basic": data["basic_statements"], "without": plain["basic_statements"] if plain else None,
            "instructions": len(data["graph"]["nodes"]), "in_graph": different and in_graph,
            "found": different and in_graph and len(nodes) <= MOST_NODES, "rank": rank if different else None,
            "first": different and first}


def judge_naive(a, b, roots):
    """The lines that only one of two runs executed: how many, and whether the cause is among them."""
    only = set(a) ^ set(b)
    return {"naive": len(only), "naive_found": any(is_root({"file": path, "line": line}, roots) for path, line in only)}


def share(rows, key):
    return sum(bool(row[key]) for row in rows) / len(rows) if rows else None


def median(rows, key):
    values = [row[key] for row in rows if row.get(key) is not None]
    return statistics.median(values) if values else None


def totals(rows):
    """What the floors are about. rows: {case, build, ...} of judge and judge_naive."""
    by_level = {level: [row for row in rows if row["build"].endswith(level)] for level in ("O0", "O2")}
    return {"rows": len(rows), "O0": share(by_level["O0"], "found"), "O2": share(by_level["O2"], "found"),
            "first lines": share(rows, "first"), "median nodes": median(rows, "basic"),
            "median without": median(rows, "without"), "median naive": median(rows, "naive"),
            "naive share": share(rows, "naive_found")}


def below_floors(rows, floors=None):
    """What falls below its floor, as texts."""
    sums, wrong = totals(rows), []
    for name, floor in (floors or FLOORS).items():
        counted = rows if name == "first lines" else [row for row in rows if row["build"].endswith(name)]
        if not counted:
            continue
        missed = round((1 - sums[name]) * len(counted))
        if missed > (1 - floor) * len(counted) + 1e-9:
            wrong.append(f"{name}: {sums[name]:.0%} of {len(counted)}, at least {floor:.0%} are wanted")
    if sums["median nodes"] is not None and sums["median nodes"] > MEDIAN_NODES:
        wrong.append(f"median of the graphs: {sums['median nodes']:g} nodes, at most {MEDIAN_NODES} are wanted")
    return wrong
