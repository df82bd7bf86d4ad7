# SPDX-License-Identifier: MIT
"""The schemas of docs/json: what they may say, and whether a document is as they say.

Of JSON Schema (draft 2020-12) these use few keywords, and here are no more; one that is not known is an error, so that
nothing is believed to be checked that is not. Every field of an object that a document had is noted, by where the schema
describes it: what is never noted was never tested.
"""
import json
import pathlib
import re

KEYWORDS = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "enum", "const", "pattern", "minimum",
            "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "oneOf", "anyOf"}
TYPES = {
    "object": lambda x: isinstance(x, dict),
    "array": lambda x: isinstance(x, list),
    "string": lambda x: isinstance(x, str),
    "boolean": lambda x: isinstance(x, bool),
    "null": lambda x: x is None,
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
}


class Schemas:
    def __init__(self, directory):
        self.files = {}
        for path in sorted(pathlib.Path(directory).glob("*.schema.json")):
            self.files[path.name] = json.loads(path.read_text(encoding="utf-8"))
        self.seen = set()  # fields that valid documents had

    def name_of(self, document):
        """The file for a document that tells its schema: "twinrun.why.v1" is described in why.v1.schema.json."""
        return document["schema"].removeprefix("twinrun.") + ".schema.json"

    def documents(self):
        """Names of the files that describe a document."""
        return [name for name in self.files if name != "common.schema.json"]

    def resolve(self, file, ref):
        """(file, pointer, schema) that a reference in a file leads to."""
        name, _, pointer = ref.partition("#")
        name = name or file
        schema = self.files[name]
        for part in pointer.strip("/").split("/") if pointer else []:
            schema = schema[part]
        return name, pointer, schema

    # What a schema may be.

    def faults(self):
        """All that is wrong with the schemas themselves."""
        out = []
        used = set()
        for file, schema in self.files.items():
            if schema.get("$schema") != "https://json-schema.org/draft/2020-12/schema" or schema.get("$id") != file:
                out.append(f"{file}: wrong $schema or $id")
            if not schema.get("description"):
                out.append(f"{file}: no description")
            for pointer, part in parts(schema):
                out += [f"{file}#{pointer}: {fault}" for fault in self.faults_of(file, part, used)]
        for file, schema in self.files.items():
            out += [f"{file}#/$defs/{name}: is not used" for name in schema.get("$defs", {})
                    if (file, f"/$defs/{name}") not in used]
        return out

    def faults_of(self, file, part, used):
        yield from (f"unknown keyword '{word}'" for word in part if word not in KEYWORDS)
        if "$ref" in part:
            try:
                used.add(self.resolve(file, part["$ref"])[:2])
            except KeyError:
                yield f"{part['$ref']} leads nowhere"
        if part.get("type") == "object" or "properties" in part:
            if "additionalProperties" not in part or part["additionalProperties"] is True:
                yield "may have fields that are not described"
            yield from (f"'{name}' has no description" for name, one in part.get("properties", {}).items()
                        if not one.get("description"))
            yield from (f"'{name}' is required and not described" for name in part.get("required", [])
                        if name not in part.get("properties", {}))

    def fields(self):
        """Where every field is described: "why.v1.schema.json#/properties/verdict"."""
        for file, schema in self.files.items():
            for pointer, part in parts(schema):
                for name in part.get("properties", {}):
                    yield f"{file}#{pointer}/properties/{name}"

    # What a document must be.

    def check(self, document):
        """What is wrong with a document; notes its fields when nothing is."""
        file = self.name_of(document)
        if file not in self.files:
            return [f"no schema {file}"]
        return self.check_as(document, file)

    def check_as(self, document, file):
        """The same of one that does not tell, as lines behind a head."""
        seen = set()
        faults = self.match(document, file, "", self.files[file], "$", seen)
        if not faults:
            self.seen |= seen
        return faults

    def match(self, value, file, pointer, schema, at, seen):
        if "$ref" in schema:
            name, where, target = self.resolve(file, schema["$ref"])
            return self.match(value, name, where, target, at, seen)
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return self.match_some(value, file, f"{pointer}/{word}", schema[word], word == "oneOf", at, seen)
        types = schema.get("type")
        if types and not any(TYPES[one](value) for one in ([types] if isinstance(types, str) else types)):
            return [f"{at}: {json.dumps(value)[:80]} is no {types}"]
        if "const" in schema and value != schema["const"]:
            return [f"{at}: {value!r} is not {schema['const']!r}"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{at}: {value!r} is none of {schema['enum']}"]
        if "minimum" in schema and TYPES["number"](value) and value < schema["minimum"]:
            return [f"{at}: {value} is less than {schema['minimum']}"]
        if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
            return [f"{at}: {value!r} is not like {schema['pattern']}"]
        if isinstance(value, list) and "items" in schema:
            return self.match_items(value, file, pointer, schema, at, seen)
        if isinstance(value, dict):
            return self.match_object(value, file, pointer, schema, at, seen)
        return []

    def match_some(self, value, file, pointer, choices, only_one, at, seen):
        matches, faults = [], []
        for number, choice in enumerate(choices):
            found = set()
            wrong = self.match(value, file, f"{pointer}/{number}", choice, at, found)
            faults.append(wrong)
            if not wrong:
                matches.append(found)
        if not matches:
            return [f"{at}: is none of {len(choices)}"] + min(faults, key=lambda one: (len(one), max(map(len, one))))
        if only_one and len(matches) > 1:
            return [f"{at}: can be read in {len(matches)} ways"]
        seen.update(*matches)
        return []

    def match_items(self, value, file, pointer, schema, at, seen):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return [f"{at}: has {len(value)} items"]
        return [fault for number, item in enumerate(value)
                for fault in self.match(item, file, f"{pointer}/items", schema["items"], f"{at}[{number}]", seen)]

    def match_object(self, value, file, pointer, schema, at, seen):
        described = schema.get("properties", {})
        faults = [f"{at}: has no '{name}'" for name in schema.get("required", []) if name not in value]
        others = schema.get("additionalProperties", True)
        for name, one in value.items():
            where = f"{at}.{name}"
            if name in described:
                seen.add(f"{file}#{pointer}/properties/{name}")
                faults += self.match(one, file, f"{pointer}/properties/{name}", described[name], where, seen)
            elif others is False:
                faults.append(f"{where}: is not described")
            elif others is not True:
                faults += self.match(one, file, f"{pointer}/additionalProperties", others, where, seen)
        return faults


def parts(schema, pointer=""):
    """(pointer, schema) of a schema and all schemas in it."""
    yield pointer, schema
    for word in ("$defs", "properties"):
        for name, one in schema.get(word, {}).items():
            yield from parts(one, f"{pointer}/{word}/{name}")
    for word in ("oneOf", "anyOf"):
        for number, one in enumerate(schema.get(word, [])):
            yield from parts(one, f"{pointer}/{word}/{number}")
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield from parts(schema[word], f"{pointer}/{word}")


def disagreements(value, at="$"):
    """Where a typed field of a document is not what the text beside it says."""
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from disagreements(one, f"{at}[{number}]")
    if not isinstance(value, dict):
        return
    for name, one in value.items():
        yield from disagreements(one, f"{at}.{name}")
        text = value.get(name.removesuffix("_number")) if name.endswith("_number") else None
        if isinstance(text, str) and text.startswith("0x") and int(text, 16) != one:
            yield f"{at}.{name}: {one} is not {text}"
    for moment, text in (("moment", "position"), ("moment", "step"), ("moment", "at"), ("moment_a", "a"),
                         ("moment_b", "b"), ("freed_moment", "freed")):
        there = value.get(moment)
        if isinstance(there, dict) and isinstance(value.get(text), str):
            if value[text] != "{process}.{thread}.{step}".format(**there):
                yield f"{at}.{moment}: {there} is not {value[text]}"
    for name, text in value.items():
        typed = value.get(name + "_typed")
        if typed is not None and isinstance(text, str) and not stands_for(text, typed):
            yield f"{at}.{name}_typed: {typed} is not {text}"


def stands_for(text, typed):
    word = re.split(r" ['\"]", text)[0]
    if isinstance(typed, bool):
        return word == ("true" if typed else "false")
    if word == "NULL":
        return typed == 0
    return (int(word, 16) if word.startswith("0x") else float(word) if "." in word or "e" in word else int(word)) == typed
