#!/usr/bin/env python3
"""Writes the small .pt and .pickle files under tests/dump/data and their fuzz seeds.

usage: make-torch-fixtures.py [SOURCE-TREE]

Nothing but Python's standard library: the classes and functions of torch and numpy that appear in checkpoints
are stand-ins here, whose only task is to be pickled under the right names. The same files each time. What the
files hold is said again, independently, in tests/dump/test_torch.c and test_pickle.c.
"""
import collections
import io
import os
import pickle
import struct
import sys
import types
import zipfile


# Stand-ins: pickle looks them up by module and name, so that the modules must seem to exist ---------------


def module(name):
    if name not in sys.modules:
        sys.modules[name] = types.ModuleType(name)
        if "." in name:
            parent, child = name.rsplit(".", 1)
            setattr(module(parent), child, sys.modules[name])
    return sys.modules[name]


def function(path):
    """A function that is never called, by its full name."""
    where, name = path.rsplit(".", 1)
    made = types.FunctionType((lambda *args: None).__code__, {}, name)
    made.__module__, made.__qualname__ = where, name
    setattr(module(where), name, made)
    return made


def make_class(path, bases=(object,)):
    where, name = path.rsplit(".", 1)
    made = type(name, bases, {"__module__": where})
    setattr(module(where), name, made)
    return made


class Call:
    """Pickled as a call of `maker`, with a state set afterwards."""

    def __init__(self, maker, *arguments, state=None):
        self.maker, self.arguments, self.state = maker, arguments, state

    def __reduce__(self):
        made = (self.maker, self.arguments)
        return made if self.state is None else made + (self.state,)


REBUILD = {v: function("torch._utils._rebuild_" + v)
           for v in ("tensor", "tensor_v2", "tensor_v3", "parameter", "parameter_with_state", "sparse_tensor",
                     "qtensor", "device_tensor_from_numpy")}
FROM_TYPE = function("torch._tensor._rebuild_from_type_v2")
STORAGES = {}
for storage_name in ("Double", "Float", "Half", "BFloat16", "ComplexFloat", "ComplexDouble", "Long", "Int",
                     "Short", "Char", "Byte", "Bool", "QInt8"):
    STORAGES[storage_name] = make_class("torch.%sStorage" % storage_name)
STORAGES["Untyped"] = make_class("torch.storage.UntypedStorage")
SIZES = {"Double": 8, "Float": 4, "Half": 2, "BFloat16": 2, "ComplexFloat": 8, "ComplexDouble": 16, "Long": 8,
         "Int": 4, "Short": 2, "Char": 1, "Byte": 1, "Bool": 1, "QInt8": 1, "Untyped": 1}


MODULE = make_class("torch.nn.modules.module.Module")


class Storage:
    """`data` are its bytes; `count` what the pickle says of its elements, `whole` and `view` for a view."""

    def __init__(self, kind, key, data, count=None, view=None):
        self.kind, self.key, self.data, self.view = kind, key, data, view
        self.count = len(data) // SIZES[kind] if count is None else count


def tensor(storage, shape, strides=None, offset=0, maker="tensor_v2"):
    if strides is None:
        strides, step = [], 1
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    arguments = [storage, offset, tuple(shape), tuple(strides)]
    if maker != "tensor":
        arguments += [False, collections.OrderedDict()]
    return Call(REBUILD[maker], *arguments)


def floats(*values, order="<"):
    return struct.pack("%s%df" % (order, len(values)), *values)


class Pickler(pickle._Pickler):
    """Python's own in Python: the same bytes in every version."""

    def __init__(self, out, protocol, legacy):
        super().__init__(out, protocol)
        self.legacy, self.storages, self.classes = legacy, {}, set()

    def persistent_id(self, value):
        is_module = isinstance(value, type) and issubclass(value, MODULE)
        if self.legacy and is_module and value not in self.classes:
            self.classes.add(value)
            return ("module", value, "layers.py", "class Layer: pass")
        if not isinstance(value, Storage):
            return None
        self.storages.setdefault(value.key, value)
        made = ("storage", STORAGES[value.kind], value.key, "cpu", value.count)
        return made + (value.view,) if self.legacy else made


def dump(value, protocol=2, legacy=False):
    out = io.BytesIO()
    pickler = Pickler(out, protocol, legacy)
    pickler.dump(value)
    return out.getvalue(), pickler.storages


def archive(members, deflated=False):
    """A zip with nothing in it that depends on the day."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in members:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system = 0
            info.external_attr = 0
            info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
            made.writestr(info, data)
    return out.getvalue()


def torch_zip(value, order="little", deflated=False, root="archive/", without=(), short=(), protocol=2,
              version=b"3\n"):
    data, storages = value if isinstance(value, tuple) else dump(value, protocol)
    members = [(root + "data.pkl", data)]
    if order is not None:
        members.append((root + "byteorder", order.encode()))
    for key, storage in storages.items():
        if key not in without:
            members.append((root + "data/" + key, storage.data[:-1] if key in short else storage.data))
    members.append((root + "version", version))
    return archive(members, deflated)


MAGIC = 0x1950a86a20f9469cfc6c


def legacy(value, little=True, count=lambda s: s.count, keys=None, protocol=2):
    data, storages = dump(value, protocol, legacy=True)
    out = b"".join(dump(v, protocol)[0] for v in (
        MAGIC, 1001, {"protocol_version": 1001, "little_endian": little,
                      "type_sizes": {"short": 2, "int": 4, "long": 4}}))
    listed = sorted(storages) if keys is None else keys
    out += data + dump(listed, protocol)[0]
    for key in sorted(storages):
        out += struct.pack("<q" if little else ">q", count(storages[key])) + storages[key].data
    return out


# numpy --------------------------------------------------------------------------------------------------

DTYPE = make_class("numpy.dtype")
NDARRAY = make_class("numpy.ndarray")
OLD, NEW = "numpy.core.multiarray.", "numpy._core.multiarray."
RECONSTRUCT = {old: function(old + "_reconstruct") for old in (OLD, NEW)}
SCALAR = {old: function(old + "scalar") for old in (OLD, NEW)}
FROMBUFFER = function("numpy._core.numeric._frombuffer")


def dtype(code, order="<"):
    return Call(DTYPE, code, False, True, state=(3, order, None, None, None, -1, -1, 0))


def array(code, shape, data, order="<", fortran=False, where=OLD):
    return Call(RECONSTRUCT[where], NDARRAY, (0,), b"b",
                state=(1, tuple(shape), dtype(code, order), fortran, data))


# The files ----------------------------------------------------------------------------------------------


def parts():
    """Parameters, optimizer state and others, by key and by structure."""
    weight = Storage("Float", "0", floats(1, 2, 3, 4, 5, 6))
    bias = Storage("Float", "1", floats(-1, 0.5))
    moment = Storage("Float", "2", floats(10, 20, 30, 40, 50, 60))
    step = Storage("Float", "3", floats(7))
    loss = Storage("Double", "4", struct.pack("<2d", 0.25, 0.125))
    state = collections.OrderedDict([("a.weight", tensor(weight, (2, 3))), ("a.bias", tensor(bias, (2,)))])
    memory = {0: {"step": tensor(step, ()), "exp_avg": tensor(moment, (2, 3))}}
    groups = [{"lr": 0.5, "params": [0, 1], "betas": (0.5, 0.75)}]
    adam = make_class("torch.optim.adam.Adam")()
    parameter = Call(REBUILD["parameter"], tensor(weight, (2, 3)), True, collections.OrderedDict())
    adam.__dict__.update(state={}, param_groups=[{"params": [parameter]}])
    return collections.OrderedDict([
        ("epoch", 3), ("lr", 0.5), ("name", "r\u00e9sum\u00e9"), ("done", True), ("none", None),
        ("large", 1 << 70), ("numbers", [1, 2, 3]), ("state_dict", state),
        ("ema", collections.OrderedDict([("a.weight", tensor(weight, (3, 2)))])),
        ("optimizer_states", [{"state": memory, "param_groups": groups}]),
        ("second", {"state": memory, "param_groups": groups}),
        ("third", memory[0]),
        ("fourth", {"state": {0: {"seen": tensor(step, ())}}, "param_groups": groups}),
        ("fifth", Call(make_class("optax._src.transform.ScaleByAdamState"), tensor(step, ()),
                       {"w": tensor(moment, (2, 3))})),
        ("lr_schedulers", [{"inner": adam}]),
        ("train_loss", tensor(loss, (2,))), ("history", array("f8", (2,), struct.pack("<2d", 3, 4))),
        ("list", [tensor(bias, (2,)), {"x": tensor(bias, (1,), offset=1)}])])


def element_types():
    values = [
        ("double", "Double", struct.pack("<2d", 0.1, -2)), ("float", "Float", floats(0.5, -2)),
        ("half", "Half", struct.pack("<2e", 0.5, -2)), ("bfloat16", "BFloat16", b"\x00\x3f\x00\xc0"),
        ("complex64", "ComplexFloat", floats(1, -1, 2, -2)),
        ("complex128", "ComplexDouble", struct.pack("<4d", 1, -1, 2, -2)),
        ("long", "Long", struct.pack("<2q", 1 << 40, -2)), ("int", "Int", struct.pack("<2i", 1 << 20, -2)),
        ("short", "Short", struct.pack("<2h", 1 << 10, -2)), ("char", "Char", b"\x01\xfe"),
        ("byte", "Byte", b"\x01\xfe"), ("bool", "Bool", b"\x01\x00"), ("qint8", "QInt8", b"\x01\xfe")]
    made = {name: tensor(Storage(kind, name, data), (2,)) for name, kind, data in values}
    for name, data in (("float8_e4m3fn", b"\x38\xc0"), ("float8_e5m2", b"\x3c\xc0"),
                       ("float8_e4m3fnuz", b"\x38\xc0"), ("uint16", b"\x01\x00\xff\xff"),
                       ("uint64", b"\x01" + bytes(7) + b"\x02" + bytes(7)), ("float128", b"\x00" * 32)):
        made[name] = Call(REBUILD["tensor_v3"], Storage("Untyped", name, data), 0, (2,), (1,), False,
                          collections.OrderedDict(), function("torch." + name))
    whole = Storage("Float", "float", floats(0.5, -2))
    made["early"] = Call(make_class("torch.FloatTensor"), state=(whole, 1, (1,), (1,)))
    made["variable"] = Call(make_class("torch.autograd.variable.Variable"), tensor(whole, (2,)),
                            state=(True, False, collections.OrderedDict()))
    made["device"] = Call(REBUILD["device_tensor_from_numpy"], array("f4", (2,), floats(0.5, -2)),
                          function("torch.float32"), "xla:0", False)
    made["raw"] = Storage("Int", "int", struct.pack("<2i", 1 << 20, -2))
    made["sparse"] = Call(REBUILD["sparse_tensor"], "layout", (1, 2))
    complex64 = Storage("ComplexFloat", "complex64", floats(1, -1, 2, -2))
    made["conjugated"] = Call(REBUILD["tensor_v2"], complex64, 0, (2,), (1,), False,
                              collections.OrderedDict(), {"conj": True})
    return made


def views():
    storage = Storage("Float", "9", floats(*range(12)))
    none = Storage("Float", "none", b"")
    subclass = make_class("torch.Tensor")
    return {"whole": tensor(storage, (3, 4)), "turned": tensor(storage, (4, 3), (1, 4)),
            "row": tensor(storage, (4,), offset=4), "column": tensor(storage, (3,), (4,), 1),
            "single": tensor(storage, (), offset=11), "spread": tensor(storage, (2, 3), (0, 1), 3),
            "empty": tensor(storage, (0, 4)), "nothing": tensor(none, (0,)),
            "ones": tensor(storage, (1, 4, 1), (77, 1, 99)), "old": tensor(storage, (2,), maker="tensor"),
            "parameter": Call(REBUILD["parameter"], tensor(storage, (2,)), True, collections.OrderedDict()),
            "with_state": Call(REBUILD["parameter_with_state"], tensor(storage, (2,)), True,
                               collections.OrderedDict(), {"tag": 1}),
            "subclass": Call(FROM_TYPE, REBUILD["tensor_v2"], subclass,
                             (storage, 2, (2,), (1,), False, collections.OrderedDict()), {})}


def whole_module():
    """A module with shared, missing and hidden parts, and a child that knows its parent."""
    mine = make_class("mine.layers.Layer", (MODULE,))

    def layer(parameters, buffers=(), modules=(), hidden=(), **others):
        made = mine()
        made.__dict__.update(training=False, _parameters=collections.OrderedDict(parameters),
                             _buffers=collections.OrderedDict(buffers),
                             _non_persistent_buffers_set=set(hidden),
                             _forward_hooks=collections.OrderedDict(),
                             _modules=collections.OrderedDict(modules), **others)
        return made

    def parameter(storage, shape):
        return Call(REBUILD["parameter"], tensor(storage, shape), True, collections.OrderedDict())

    shared = parameter(Storage("Float", "0", floats(1, 2)), (2,))
    count = tensor(Storage("Long", "1", struct.pack("<q", 5)), ())
    scratch = tensor(Storage("Float", "2", floats(8)), (1,))
    loose = tensor(Storage("Float", "3", floats(9)), (1,))
    inner = layer([("weight", shared), ("bias", None)], [("count", count), ("scratch", scratch)],
                  hidden=["scratch"], width=2)
    top = layer([("scale", shared)], modules=[("first", inner), ("again", inner), ("none", None)],
                kept=[loose, shared], alias=inner, kind="mine")
    inner.__dict__["parent"] = [top]
    return top


def numpy_arrays(where, protocol):
    """Shapes, orders and byte orders of numpy's arrays."""
    data = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
    made = {"plain": array("f4", (2, 3), data, where=where),
            "fortran": array("f4", (2, 3), data, fortran=True, where=where),
            "big": array("f8", (2,), struct.pack(">2d", 0.5, 1e300), ">", where=where),
            "small": array("i1", (3,), b"\x00\x80\xff", "|", where=where),
            "truth": array("b1", (2,), b"\x01\x00", "|", where=where),
            "complex": array("c8", (1,), floats(1, 2), where=where),
            "empty": array("f4", (0, 2), b"", where=where),
            "scalar": Call(SCALAR[where], dtype("f8"), struct.pack("<d", 2.5)),
            "text": array("U1", (1,), b"a\0\0\0", where=where)}
    if protocol == 5:
        made["buffer"] = Call(FROMBUFFER, bytearray(data), dtype("f4"), (3, 2), "F")
        made["permuted"] = Call(FROMBUFFER, bytearray(data), dtype("f4"), (3, 2), "K", (1, 0))
    return made


def values():
    """Every kind of value; its repr is in test_pickle.c."""
    return {"int": [0, 1, 255, 256, 65535, 65536, -1, -65536, 1 << 31, -(1 << 63), (1 << 63) - 1],
            "large": [1 << 63, -(1 << 63) - 1, 1 << 64, -(1 << 64), 255 << 120, -(1 << 127)],
            "float": [0.5, -0.25, 1e300], "others": (None, True, False, ()),
            "text": ["", "a", "\u00e9\u20ac\U0001f600", "line\nend\\u0041", "q'\""],
            "bytes": [b"", b"a", b"\x00\x80\xff"], ("pair", 2): {3}, 4: frozenset(["x"]), None: {}}


def legacy_views():
    storage = Storage("Float", "100", floats(*range(10)))
    part = Storage("Float", "100", storage.data, view=("200", 4, 3))
    other = Storage("Long", "50", struct.pack("<3q", 7, 8, 9))
    return {"all": tensor(storage, (10,)), "part": tensor(part, (3,)), "one": tensor(part, (), offset=2),
            "long": tensor(other, (3,))}


def hostile():
    """Archives whose pickle is not what it should be."""
    good = Storage("Float", "0", floats(1, 2, 3, 4))

    def one(*arguments, storage=good, maker="tensor_v2"):
        return {"w": Call(REBUILD[maker], storage, *arguments)}

    end = (False, collections.OrderedDict())
    big = 1 << 62
    yield "beyond", torch_zip(one(1, (2, 2), (2, 1), *end))
    yield "negative-size", torch_zip(one(0, (-1, 2), (2, 1), *end))
    yield "negative-stride", torch_zip(one(3, (4,), (-1,), *end))
    yield "negative-offset", torch_zip(one(-1, (4,), (1,), *end))
    yield "overflow-size", torch_zip(one(0, (big, big), (1, 1), *end))
    yield "overflow-stride", torch_zip(one(0, (3, 3), (big, big), *end))
    yield "overflow-storage", torch_zip(one(0, (4,), (1,), *end, storage=Storage("Float", "0", b"", big)))
    yield "spread", torch_zip(one(0, (1 << 40,), (0,), *end))
    yield "rank", torch_zip(one(0, (1,) * 33, (1,) * 33, *end))
    yield "strides", torch_zip(one(0, (2, 2), (1,), *end))
    yield "few", torch_zip(one(0))
    yield "lying", torch_zip(one(0, (5,), (1,), *end, storage=Storage("Float", "0", good.data, 5)))
    yield "short", torch_zip(one(0, (4,), (1,), *end), short=["0"])
    yield "missing", torch_zip(one(0, (4,), (1,), *end), without=["0"])
    yield "twice", torch_zip({"a.b": tensor(good, (4,)), "a": {"b": tensor(good, (3,), offset=1)}})
    yield "order", torch_zip(one(0, (4,), (1,), *end), order="middle")
    yield "version", torch_zip(one(0, (4,), (1,), *end), version=b"three\n")
    yield "class", torch_zip((dump(one(0, (4,), (1,), *end))[0].replace(b"FloatStorage", b"FloatStories"),
                              {"0": good}))
    yield "after", torch_zip((dump(one(0, (4,), (1,), *end))[0] + b"N", {"0": good}))
    yield "array", torch_zip({"w": array("f4", (3,), b"\0" * 16)}, protocol=3)
    yield "name", torch_zip({"a\0b": tensor(good, (4,))})
    yield "surrogate", torch_zip({"a\udc80": tensor(good, (4,))})


class Evil:
    def __reduce__(self):
        return os.system, ("touch assay-was-here; echo assay was here",)


def deep(levels):
    """[[[...]]] by one-byte opcodes."""
    return b"\x80\x02" + b"]" * levels + b"a" * (levels - 1) + b"."


def laughs(levels):
    """A list that holds the one before it twice, and so on down to a list that holds nothing."""
    out = b"\x80\x02]q\x00"
    for i in range(levels):
        out += b"0]q" + bytes([i + 1]) + b"(h" + bytes([i]) + b"h" + bytes([i]) + b"e"
    return out + b"."


def files():
    yield "parts.pt", torch_zip(parts())
    yield "types.pt", torch_zip(element_types(), root="some folder/")
    yield "views.pt", torch_zip(views(), order=None)
    yield "deflated.pt", torch_zip(views(), deflated=True)
    yield "bare.pt", torch_zip(views(), root="")
    big = Storage("Float", "0", floats(1, 2, 3, order=">"))
    byte = Storage("Byte", "1", b"\x01\x02")
    yield "big.pt", torch_zip({"w": tensor(big, (3,)), "b": tensor(byte, (2,))}, order="big")
    yield "module.pt", torch_zip(whole_module())
    yield "numpy.pt", torch_zip({"w": tensor(byte, (2,)), "arrays": numpy_arrays(OLD, 2)})
    yield "numpy-deflated.pt", torch_zip({"w": tensor(byte, (2,)), "arrays": numpy_arrays(NEW, 3)},
                                         protocol=3, deflated=True)
    yield "numpy-2.pickle", dump(numpy_arrays(OLD, 2), 2)[0]
    yield "numpy-4.pickle", dump(numpy_arrays(NEW, 4), 4)[0]
    yield "numpy-5.pickle", dump(numpy_arrays(NEW, 5), 5)[0]
    yield "legacy.pt", legacy(legacy_views())
    yield "legacy-big.pt", legacy(legacy_views(), little=False)
    yield "legacy-4.pt", legacy(legacy_views(), protocol=4)
    yield "legacy-module.pt", legacy(whole_module())
    yield "legacy-count.pt", legacy(legacy_views(), count=lambda s: s.count + 1)
    yield "legacy-keys.pt", legacy(legacy_views(), keys=["100", "100"])
    yield "legacy-other.pt", legacy(legacy_views(), keys=["100", "5"])
    yield "evil.pickle", dump({"a": Evil(), "w": array("u1", (1,), b"\x07", "|")}, 4)[0]
    yield "deep.pickle", deep(600)
    yield "laughs.pickle", laughs(60)
    for protocol in range(6):
        yield "values-%d.pickle" % protocol, dump(values(), protocol)[0]
    for name, data in hostile():
        yield "bad-%s.pt" % name, data


def main():
    tree = sys.argv[1] if len(sys.argv) > 1 else "."
    for name, data in files():
        with open(os.path.join(tree, "tests/dump/data", name), "wb") as out:
            out.write(data)
    seeds = {"zip.pt": "views.pt", "legacy.pt": "legacy.pt", "module.pt": "module.pt",
             "four.pickle": "numpy-4.pickle", "zero.pickle": "values-0.pickle",
             "five.pickle": "numpy-5.pickle", "evil.pickle": "evil.pickle"}
    made = dict(files())
    for seed, name in seeds.items():
        with open(os.path.join(tree, "tests/fuzz/seeds", seed), "wb") as out:
            out.write(made[name])


if __name__ == "__main__":
    main()
