#!/usr/bin/env python3
"""Holds JSON files against a schema: the part of JSON Schema 2020-12 that reports/schema.json uses.

usage: validate.py SCHEMA FILE...      exit 0: all valid; 1: some not, with a line for each defect; 2: bad usage

A keyword that is not known here is an error, so that a schema cannot grow beyond its validator unnoticed."""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
ANNOTATIONS = {"$schema", "$defs", "title", "description"}


def no_constant(word):
    raise ValueError("the token " + word + " is no JSON")


def no_twins(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return members


def is_a(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def same(a, b):
    return type(a) is type(b) and a == b


class Validator:
    def __init__(self, root):
        self.root = root

    def resolve(self, ref):
        if not ref.startswith("#/"):
            raise ValueError("only references within the schema: " + ref)
        at = self.root
        for step in ref[2:].split("/"):
            at = at[step]
        return at

    def defects(self, value, schema, way=""):
        """Yields one line for each defect."""
        for keyword, argument in schema.items():
            if keyword in ANNOTATIONS:
                continue
            check = getattr(self, "check_" + keyword.strip("$"), None)
            if check is None:
                raise ValueError("unknown keyword " + keyword)
            yield from check(value, argument, schema, way)

    def check_ref(self, value, ref, schema, way):
        yield from self.defects(value, self.resolve(ref), way)

    def check_type(self, value, names, schema, way):
        names = names if isinstance(names, list) else [names]
        if not any(is_a(value, name) for name in names):
            yield "%s: %r is no %s" % (way, value, " or ".join(names))

    def check_const(self, value, wanted, schema, way):
        if not same(value, wanted):
            yield "%s: %r is not %r" % (way, value, wanted)

    def check_enum(self, value, choices, schema, way):
        if not any(same(value, choice) for choice in choices):
            yield "%s: %r is none of %r" % (way, value, choices)

    def check_pattern(self, value, pattern, schema, way):
        if isinstance(value, str) and not re.search(pattern, value):
            yield "%s: %r does not match %s" % (way, value, pattern)

    def check_minimum(self, value, least, schema, way):
        if is_a(value, "number") and not value >= least:
            yield "%s: %r is below %r" % (way, value, least)

    def check_required(self, value, names, schema, way):
        for name in names:
            if isinstance(value, dict) and name not in value:
                yield "%s: %s is missing" % (way, name)

    def check_properties(self, value, properties, schema, way):
        for name, inner in properties.items():
            if isinstance(value, dict) and name in value:
                yield from self.defects(value[name], inner, way + "/" + name)

    def check_additionalProperties(self, value, inner, schema, way):
        for name in value if isinstance(value, dict) else ():
            if name in schema.get("properties", {}):
                continue
            if inner is False:
                yield "%s: %s is not known" % (way, name)
            else:
                yield from self.defects(value[name], inner, way + "/" + name)

    def check_items(self, value, inner, schema, way):
        for i, item in enumerate(value if isinstance(value, list) else ()):
            yield from self.defects(item, inner, "%s/%d" % (way, i))

    def check_minItems(self, value, least, schema, way):
        if isinstance(value, list) and len(value) < least:
            yield "%s: %d items are fewer than %d" % (way, len(value), least)

    def check_maxItems(self, value, most, schema, way):
        if isinstance(value, list) and len(value) > most:
            yield "%s: %d items are more than %d" % (way, len(value), most)

    def check_oneOf(self, value, choices, schema, way):
        found = [list(self.defects(value, choice, way)) for choice in choices]
        if sum(not defects for defects in found) != 1:
            yield "%s: not exactly one of %d forms" % (way, len(choices))
            yield from max(found, key=len)


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    with open(arguments[0], encoding="utf-8") as f:
        validator = Validator(json.load(f))
    status = 0
    for path in arguments[1:]:
        try:
            with open(path, encoding="utf-8") as f:
                value = json.load(f, parse_constant=no_constant, object_pairs_hook=no_twins)
            defects = list(validator.defects(value, validator.root))
        except ValueError as why:
            defects = [str(why)]
        for defect in defects:
            print("%s: %s" % (path, defect))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
