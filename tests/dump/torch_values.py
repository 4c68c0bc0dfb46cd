"""Compares what tests/dump/list_values prints with what torch loads.

usage: torch_values.py LIST_VALUES FILE...

Exact: every name, shape and value. Classes that are not installed are replaced by empty ones; modules are
asked for their state_dict()."""
import inspect
import pickle
import subprocess
import sys
import types

import numpy
import torch


def rebuild_parameter_with_state(data, requires_grad, hooks, state):
    return torch.nn.Parameter(data, requires_grad)


if not hasattr(torch._utils, "_rebuild_parameter_with_state"):  # torch before 2.0
    torch._utils._rebuild_parameter_with_state = rebuild_parameter_with_state


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            return type(name, (torch.nn.Module,), {"__module__": module})


lenient = types.ModuleType("lenient")
lenient.__dict__.update({name: part for name, part in vars(pickle).items() if not name.startswith("__")})
lenient.Unpickler, lenient.load = Unpickler, lambda f, **others: Unpickler(f, **others).load()
torch.serialization.pickle = lenient  # torch 1.13 overlooks its own argument


def load(path):
    others = {"weights_only": False} if "weights_only" in inspect.signature(torch.load).parameters else {}
    return torch.load(path, map_location="cpu", pickle_module=lenient, **others)


def walk(found, path, value):
    """Every array under its path."""
    if isinstance(value, (torch.Tensor, numpy.ndarray, numpy.generic)):
        found[".".join(path)] = value
    elif isinstance(value, torch.nn.Module):
        walk(found, path, value.state_dict())
    elif isinstance(value, dict):
        for i, (key, part) in enumerate(value.items()):
            text = isinstance(key, (str, int, float, type(None)))
            walk(found, path + [str(key) if text else "#%d" % i], part)
    elif isinstance(value, (list, tuple)):
        for i, part in enumerate(value):
            walk(found, path + [str(i)], part)
    elif hasattr(value, "__dict__") and not isinstance(value, (type, types.FunctionType)):
        walk(found, path, vars(value))


def as_doubles(value):
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.is_complex():
            value = torch.view_as_real(value.contiguous())
        value = value.to(torch.float64).numpy()
    value = numpy.asarray(value)
    if value.dtype.kind == "c":
        value = numpy.ascontiguousarray(value.astype(numpy.complex128)).view(numpy.float64)
    return value.astype(numpy.float64).ravel(order="C")


def listed(program, path):
    text = subprocess.run([program, path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    found = {}
    for line in text.splitlines():
        name, _, shape, values = line.split("\t")
        assert name not in found
        found[name] = (tuple(int(part) for part in shape.split(",")) if shape else (),
                       [float.fromhex(v) for v in values.split()])
    return found


def main():
    program, failed = sys.argv[1], 0
    for path in sys.argv[2:]:
        theirs, values = {}, 0
        loaded = load(path)
        walk(theirs, [], loaded)
        ours = listed(program, path)
        for name, array in theirs.items():
            shape, numbers = ours.get(name, (None, []))
            if shape != tuple(array.shape) or not numpy.array_equal(numpy.array(numbers), as_doubles(array),
                                                                    equal_nan=True):
                print("%s: %s differs: shape %r, torch %r" % (path, name, shape, tuple(array.shape)))
                failed = 1
            values += len(numbers)
        beside = set(ours) - set(theirs)
        if isinstance(loaded, torch.nn.Module):  # a state dict does not hold all of a module's arrays
            beside = set()
        if not theirs or beside:
            print("%s: %d tensors, torch has %d" % (path, len(ours), len(theirs)))
            failed = 1
        print("%s: %d tensors, %d values compared" % (path, len(theirs), values))
    return failed


sys.exit(main())
