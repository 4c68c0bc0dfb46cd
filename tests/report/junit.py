#!/usr/bin/env python3
"""Reads JUnit XML as a service of continuous integration does, and says what is in it, a line for each test case:

   STATEMENT | NAME | ok, failure or error | its message

usage: junit.py FILE      exit 0; 1: not well formed, or the counts are not those of the test cases"""
import sys
import xml.etree.ElementTree as tree


def main(path):
    try:
        root = tree.parse(path).getroot()
    except tree.ParseError as why:
        print("%s: %s" % (path, why))
        return 1
    status = 0
    for suite in root.iter("testsuite"):
        seen = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        seconds = 0
        for case in suite.iter("testcase"):
            seen["tests"] += 1
            seconds += float(case.attrib["time"])
            outcome, message = "ok", ""
            for kind in "failure", "error":
                for defect in case.iter(kind):
                    seen[kind + "s"] += 1
                    outcome, message = kind, "%s: %s" % (defect.attrib["message"], defect.text)
            print(" | ".join((case.attrib["classname"], case.attrib["name"], outcome, message)))
        for name, count in seen.items():
            if int(suite.attrib[name]) != count:
                print("%s: %s is %s, not %d" % (path, name, suite.attrib[name], count))
                status = 1
        if abs(float(suite.attrib["time"]) - seconds) > 0.001 * (seen["tests"] + 1):
            print("%s: the times do not add up" % path)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else print(__doc__) or 2)
