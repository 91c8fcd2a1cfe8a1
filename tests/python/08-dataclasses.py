from dataclasses import dataclass, field, asdict, replace
from typing import List, Optional

@dataclass(order=True)
class Task:
    priority: int
    title: str = field(compare=False)
    tags: List[str] = field(default_factory=list, compare=False)
    owner: Optional[str] = None

tasks = [Task(3, "write"), Task(1, "read", ["a"]), Task(2, "think", owner="me")]
for task in sorted(tasks):
    print(task)
print(asdict(replace(tasks[0], title="rewrite")))
print(tasks[0] == Task(3, "write"), tasks[1] < tasks[2])
