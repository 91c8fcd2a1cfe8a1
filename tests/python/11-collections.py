from collections import Counter, OrderedDict, defaultdict, deque, namedtuple, ChainMap

Point = namedtuple("Point", ["x", "y"])
p = Point(1, 2)
print(p, p._replace(x=5), p._asdict())
print(Counter("mississippi").most_common(3))
d = deque([1, 2, 3], maxlen=3)
d.append(4)
d.rotate(1)
print(d)
groups = defaultdict(list)
for word in "apple avocado banana blueberry cherry".split():
    groups[word[0]].append(word)
print(dict(groups))
print(ChainMap({"a": 1}, {"a": 2, "b": 3})["b"], OrderedDict(b=1, a=2))
