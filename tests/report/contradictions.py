#!/usr/bin/env python3
"""Adds up the contradictions of results files, in exact fractions and on its own.

usage: contradictions.py FILE...      exit 0: each one contradicts itself, and there is one at least; 1: not so"""
import json
import sys
from fractions import Fraction


def contradicts(rows):
    total, right, strict = {}, Fraction(0), False
    for row in rows:
        multiplier = Fraction(row["multiplier"])
        if row["relation"] != "=" and multiplier <= 0:
            return False
        strict = strict or row["relation"] == "<"
        right += multiplier * Fraction(row["right"])
        for element, coefficient in row["terms"].items():
            total[element] = total.get(element, 0) + multiplier * Fraction(coefficient)
    return not any(total.values()) and (right < 0 or (right == 0 and strict))


count = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        claims = json.load(file)["claims"]
    for claim in claims:
        for contradiction in claim["contradictions"]:
            count += 1
            if not contradicts(contradiction["rows"]):
                print(path, claim["name"], contradiction["label"], "is no contradiction")
                sys.exit(1)
print(count, "contradictions")
sys.exit(0 if count else 1)
