"""python -m ingot.compat -m MODULE ARGUMENTS, or FILE ARGUMENTS: runs it with `tvm` meaning Ingot."""

import os
import runpy
import sys

from . import install

USAGE = "usage: python -m ingot.compat (-m MODULE | FILE) [ARGUMENT]..."


def main() -> None:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        print(USAGE, file=sys.stdout if arguments and arguments != ["-m"] else sys.stderr)
        sys.exit(0 if arguments and arguments != ["-m"] else 2)
    install()
    if arguments[0] != "-m":
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
        return
    sys.argv = arguments[1:]
    if arguments[1] == "pytest":
        sys.argv[1:1] = ["-p", "ingot.compat.plugin"]
    runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)


main()
