from typing import Any, Callable, Generic, Literal, NamedTuple, Protocol, TypedDict, TypeVar, Union, get_type_hints

T = TypeVar("T")

class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []
    def push(self, item: T) -> "Stack[T]":
        self.items.append(item)
        return self

class Movie(TypedDict, total=False):
    name: str
    year: int

class Named(Protocol):
    name: str

class Point(NamedTuple):
    x: int
    y: int = 0

type Pair[A] = tuple[A, A]

def first[K](values: list[K]) -> K:
    return values[0]

def apply(f: Callable[[int], int], mode: Literal["a", "b"] = "a") -> Union[int, None]:
    return f(1)

print(Stack[int]().push(1).push(2).items, Movie(name="x"), Point(3), first([7]))
print(get_type_hints(apply), Pair.__name__, int | None)
