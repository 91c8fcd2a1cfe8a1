import inspect, functools, operator, types, weakref
class Registry(type):
    known = {}
    def __new__(cls, name, bases, namespace):
        made = super().__new__(cls, name, bases, namespace)
        cls.known[name] = made
        return made
class Base(metaclass=Registry):
    def __init_subclass__(cls, **kw): cls.tag = kw.get("tag", "none")
class A(Base): pass
class Typed:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, kind): return getattr(obj, self.name, None)
    def __set__(self, obj, value):
        if not isinstance(value, int): raise TypeError(f"{self.name} must be int")
        setattr(obj, self.name, value)
class P: x = Typed()
p = P(); p.x = 3
print(sorted(Registry.known), A.tag, p.x, inspect.signature(lambda a, /, b=1, *, c: 0))
@functools.singledispatch
def show(value): return "?"
@show.register
def _(value: int): return "int"
print(show(1), show("x"), operator.itemgetter(1, 0)("ab"), type("Made", (), {"y": 2})().y)
ref = weakref.ref(p); del p
print(ref(), eval("1 + 2 * x", {"x": 3}), isinstance(show, types.FunctionType))
exec("def made(n):\n    return n + 1"); print(made(1))
