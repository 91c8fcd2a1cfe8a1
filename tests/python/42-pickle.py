import copy, io, pickle, shelve, struct, array
class Box:
    def __init__(self, items): self.items = items
    def __eq__(self, other): return self.items == other.items
box = Box([1, {"a": (2, 3)}])
print(pickle.loads(pickle.dumps(box)) == box, copy.deepcopy(box).items is not box.items)
print(struct.pack(">IhB", 1, -2, 3), struct.unpack("<d", struct.pack("<d", 1.5)), struct.calcsize("=qi"))
a = array.array("i", [1, 2, 3])
a.byteswap()
print(a.tolist(), memoryview(b"abcdef")[1:4].tobytes(), bytes.fromhex("00ff").hex(":"), int.from_bytes(b"\x01\x00", "big"))
