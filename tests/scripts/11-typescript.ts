interface Person { name: string; age: number; tags?: string[] }
type Grouped<K extends string> = Record<K, Person[]>;
enum Level { Junior = 1, Senior = 2 }

const people: Person[] = [{ name: 'Ada', age: 36 }, { name: 'Linus', age: 54, tags: ['code'] }];
function group<K extends string>(items: Person[], key: (p: Person) => K): Grouped<K> {
  return items.reduce((all, item) => {
    (all[key(item)] ??= []).push(item);
    return all;
  }, {} as Grouped<K>);
}
class Counter { constructor(private readonly start: number = 0) {} next(): number { return this.start + 1; } }

console.log(group(people, (p) => (p.age > 40 ? 'old' : 'young')));
console.log(Level[Level.Senior], new Counter(41).next(), (people[1].tags as string[])!.length);
