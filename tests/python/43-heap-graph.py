import bisect, heapq
from graphlib import TopologicalSorter
graph = {"a": {"b": 1, "c": 4}, "b": {"c": 2, "d": 5}, "c": {"d": 1}, "d": {}}
def dijkstra(start):
    distances, queue = {start: 0}, [(0, start)]
    while queue:
        distance, node = heapq.heappop(queue)
        for neighbour, weight in graph[node].items():
            new = distance + weight
            if new < distances.get(neighbour, float("inf")):
                distances[neighbour] = new
                heapq.heappush(queue, (new, neighbour))
    return distances
print(dijkstra("a"), heapq.nlargest(2, [3, 1, 4, 1, 5]))
scores = [60, 70, 80, 90]
print("FDCBA"[bisect.bisect(scores, 85)], list(TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}}).static_order())[::3])
