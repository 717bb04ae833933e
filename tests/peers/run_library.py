"""Stands in for `ingot run` where a library in TVM's shape is run, on Ingot's device: one that Apache TVM exported, with its own
host code and kernels, or with "-" for LIBRARY the one that Ingot makes of the program. tvm itself is not imported.

usage: run_library.py LIBRARY run FILE [--target T] [--func F] [-D NAME=VALUE] [--arg NAME=VALUE] [--in NAME=FILE] [--out NAME=FILE]
"""

import argparse
import sys
import tempfile

import numpy as np
import tvm_ffi

import ingot
import ingot.tvm_ffi


def number(text):
    return {"true": 1, "True": 1, "false": 0, "False": 0}.get(text) if text.lower() in ("true", "false") else (
        float(text) if any(c in text for c in ".einf") else int(text))


def array_of(param, sizes):
    """A zeroed output."""
    shape = tuple(eval(extent, {}, sizes) for extent in param.shape)  # an expression over sizes of the inputs
    return np.zeros(shape, ingot.runtime._numpy_dtype(param.dtype))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("verb")
    parser.add_argument("file")
    for option in ("--target", "--func"):
        parser.add_argument(option)
    for option in ("-D", "--arg", "--in", "--out"):
        parser.add_argument(option, action="append", default=[], dest=option.lstrip("-"))
    given = vars(parser.parse_args())
    pairs = {key: dict(word.split("=", 1) for word in given[key]) for key in ("D", "arg", "in", "out")}
    with open(given["file"]) as file:
        text = "".join(f"{name} = {value}\n" for name, value in pairs["D"].items()) + file.read()
    module = ingot.compile(text, given["target"] or "metal", callback=False, fallback=True)
    function = module[given["func"]] if given["func"] else module.main
    inputs, sizes = {name: np.load(path) for name, path in pairs["in"].items()}, {}
    for param in function.params:
        if param.name in inputs:
            sizes.update({extent: n for extent, n in zip(param.shape, inputs[param.name].shape) if extent.isidentifier()})
    arguments = []
    for param in function.params:
        if param.kind == "scalar":
            arguments.append(number(pairs["arg"][param.name]))
            continue
        array = inputs[param.name] if param.name in inputs else array_of(param, sizes)
        on_device = ingot.runtime.empty(array.shape, param.dtype)
        arguments.append(on_device.copyfrom(array.view(on_device._host_dtype)))
    ingot.tvm_ffi.install()
    with tempfile.TemporaryDirectory() as folder:
        library = given["library"] if given["library"] != "-" else folder + "/own.so"
        if given["library"] == "-":
            module.export_library(library, shape="tvm")
        tvm_ffi.load_module(library).get_function(given["func"] or "main")(*arguments)
    for param, argument in zip(function.params, arguments):
        if param.name in pairs["out"]:
            np.save(pairs["out"][param.name], argument.numpy())


try:
    main()
except Exception as exception:
    sys.exit("error: " + str(exception).strip())
