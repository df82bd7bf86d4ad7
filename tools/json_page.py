#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""json_page.py SCHEMAS: docs/json.md, from the schemas of docs/json. With --check PAGE it only tells whether that is it."""
import json
import pathlib
import sys

HEAD = """# JSON

What `--json` prints, document by document. This page is made from the schemas in [docs/json](json) (JSON Schema, draft
2020-12) by tools/json_page.py; an installation has them in share/twinrun/json. A test runs every verb on real
recordings and holds what it prints to them.

Rules that all documents follow:

- `schema` names the document and its version. Fields may be added in a version; none goes away or changes its meaning
  without another version. A reader leaves out what it does not know.
- A verb that fails prints an error, [twinrun.error.v1](#twinrunerrorv1), and its exit status is 2.
- A field that ends in `?` is not there when it does not apply; `null` is what is not known, or does not exist.
- Beside a text that stands for something stands what it stands for: `X_typed` beside a value `X` (a number, or true or
  false), `X_number` beside an address in hexadecimal, `moment` beside a position, `bytes` beside a place in memory. The
  texts are for people and may get better; the fields beside them are for programs.
- Numbers have up to 64 bits. What reads numbers as floating point (JavaScript, jq before 1.7) loses digits above
  2^53; the text in hexadecimal beside them has them all.
- Names and paths may hold any bytes; what is no UTF-8 is replaced by U+FFFD.
- Keys keep their order, and the same recordings give the same bytes.
"""


def anchor(title):
    """As GitHub makes it."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


class Page:
    def __init__(self, directory):
        self.files = {path.name: json.loads(path.read_text(encoding="utf-8"))
                      for path in sorted(pathlib.Path(directory).glob("*.schema.json"))}
        self.lines = []

    def text(self):
        self.lines = HEAD.splitlines()
        documents = [name for name in self.files if name != "common.schema.json"]
        self.lines += ["", "| document | what it is |", "|---|---|"]
        for name in documents:
            schema = self.files[name]
            self.lines.append(f"| [{schema['title']}](#{anchor(schema['title'])}) | {schema['description']} |")
        for name in [*documents, "common.schema.json"]:
            self.section(name)
        return "\n".join(self.lines) + "\n"

    def section(self, name):
        schema = self.files[name]
        self.lines += ["", f"## {schema['title']}", "", f"{schema['description']} Schema: [{name}](json/{name})"]
        if "properties" in schema:
            self.table(name, schema)
        for part, one in schema.get("$defs", {}).items():
            self.lines += ["", f"### {self.part_title(name, part)}", "", one.get("description", "")]
            for choice in one.get("anyOf", [one]):
                self.table(name, choice)

    def part_title(self, file, part):
        """Titles are told apart by their document."""
        return part if file == "common.schema.json" else f"{part} ({self.files[file]['title'].removeprefix('twinrun.')})"

    def table(self, file, schema):
        self.lines += ["", "| field | type | what |", "|---|---|---|"]
        self.rows(file, schema, "")

    def rows(self, file, schema, prefix):
        for name, field in schema.get("properties", {}).items():
            mark = "" if name in schema.get("required", []) else "?"
            what = field["description"].replace("|", "\\|")
            self.lines.append(f"| `{prefix}{name}{mark}` | {self.type_of(file, field)} | {what} |")
            inner, behind = self.inside(field)
            if inner is not None:
                self.rows(file, inner, f"{prefix}{name}{behind}.")

    def inside(self, field):
        """The object that a field is or has, when it is described on the spot, and how one gets there."""
        if "anyOf" in field:
            return self.inside(field["anyOf"][0])
        if "items" in field:
            inner, behind = self.inside(field["items"])
            return inner, "[]" + behind
        return (field, "") if "properties" in field else (None, "")

    def type_of(self, file, field):
        if "$ref" in field:
            name, _, pointer = field["$ref"].partition("#")
            name = name or file
            title = self.part_title(name, pointer.rsplit("/", 1)[-1]) if pointer else self.files[name]["title"]
            return f"[{title.split(' ')[0]}](#{anchor(title)})"
        if "anyOf" in field:
            return " or ".join(self.type_of(file, one) for one in field["anyOf"])
        if "const" in field:
            return f"`{field['const']}`"
        if "enum" in field:
            return ", ".join(f"`{one}`" for one in field["enum"])
        if "items" in field:
            return f"array of {self.type_of(file, field['items'])}"
        if isinstance(field.get("additionalProperties"), dict):
            return f"object of {self.type_of(file, field['additionalProperties'])}"
        types = field["type"]
        return " or ".join([types] if isinstance(types, str) else types)


def main():
    made = Page(sys.argv[1]).text()
    if len(sys.argv) == 2:
        sys.stdout.write(made)
    elif pathlib.Path(sys.argv[3]).read_text(encoding="utf-8") != made:
        sys.exit(f"{sys.argv[3]} is not what the schemas say: tools/json_page.py {sys.argv[1]} >{sys.argv[3]}")


if __name__ == "__main__":
    main()
