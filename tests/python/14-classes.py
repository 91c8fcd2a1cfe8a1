from abc import ABC, abstractmethod
from enum import Enum, auto
import functools

class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...
    def __repr__(self):
        return f"{type(self).__name__}({self.area():.2f})"

class Square(Shape):
    def __init__(self, side): self._side = side
    @property
    def side(self): return self._side
    @side.setter
    def side(self, value):
        if value < 0:
            raise ValueError("negative")
        self._side = value
    def area(self): return self._side ** 2

class Level(Enum):
    LOW = auto()
    HIGH = auto()

@functools.total_ordering
class Version:
    def __init__(self, text): self.parts = tuple(map(int, text.split(".")))
    def __eq__(self, other): return self.parts == other.parts
    def __lt__(self, other): return self.parts < other.parts

s = Square(2)
s.side = 3
print(s, list(Level), Level["HIGH"].value, Version("1.10") > Version("1.9"))
try:
    Shape()
except TypeError as e:
    print(e)
try:
    s.side = -1
except ValueError as e:
    print("ValueError:", e)
