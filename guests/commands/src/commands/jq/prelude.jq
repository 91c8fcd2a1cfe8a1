def map(f): [.[] | f];
def map_values(f): .[] |= f;
def select(f): if f then . else empty end;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def recurse: ..;
def recurse_down: ..;
def recurse(f): def r: ., (f | r); r;
def repeat(f): def r: f, r; r;
def while(cond; f): def w: if cond then ., (f | w) else empty end; w;
def until(cond; f): def u: if cond then . else f | u end; u;
def recurse(f; cond): recurse(f | select(cond));
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def from_entries: reduce .[] as $x ({};
  . + {($x | if type == "object" then
          (if .key == null then .k // .name // .Name // .K // .Key else .key end)
        else .key end
        | if type == "string" then . elif type == "null" then "null" else tojson end):
       ($x | if has("value") then .value elif has("v") then .v else .Value end)});
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def del(f): delpaths([path(f)]);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def env: $ENV;
def halt_error: halt_error(5);
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def todateiso8601: todate;
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def match(re): match(re; null);
def match(re; flags): _match(re; flags) | .[];
def test(re): test(re; null);
def capture(re): capture(re; null);
def capture(re; flags): match(re; flags)
  | [.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def scan(re): scan(re; null);
def scan(re; $flags): match(re; "g" + $flags)
  | if (.captures | length) > 0 then [.captures[].string] else .string end;
def splits(re): splits(re; null);
def splits(re; flags): split(re; flags) | .[];
def sub(re; f): _sub(re; ""; f);
def sub(re; f; flags): _sub(re; flags; f);
def gsub(re; f): sub(re; f; "g");
def gsub(re; f; $flags): sub(re; f; $flags + "g");
def ascii: [.] | implode;
def any: any(.[]; .);
def all: all(.[]; .);
def any(f): any(.[]; f);
def all(f): all(.[]; f);
def add(f): reduce f as $x (null; . + $x);
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init;
  if .e then $init else . end
  | if $i | length == 2 then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
    else setpath(["e"]; $i[0] | length == 1) end;
  if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input
  | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def JOIN($idx; f): [.[] | [., $idx[f]]];
def JOIN($idx; stream; f): stream | [., $idx[f]];
def JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;
def toarray: if type == "array" then . else [.] end;
def abs: if . < 0 then -. else . end;
def have_literal_numbers: true;
def have_decnum: false;
def debug(f): (f | debug | empty), .;
def get_search_list: [];
def group_by(f): _group_by(map([f]));
def sort_by(f): _sort_by(map([f]));
def unique_by(f): [_group_by(map([f]))[] | .[0]];
def unique: unique_by(.);
def min_by(f): _min_by(map([f]));
def max_by(f): _max_by(map([f]));
def min: min_by(.);
def max: max_by(.);
def index($i): indices($i) | .[0];
def rindex($i): indices($i) | .[-1:][0];
def join($x): reduce .[] as $i (null; (if . == null then "" else . + $x end)
  + ($i | if . == null then "" elif type == "boolean" or type == "number" then tojson else . end)) // "";
def flatten: flatten(1e9);
def range($n): range(0; $n);
def isvalid(f): try (f | true) catch false;
def transpose: if . == [] then [] else . as $in | (map(length) | max) as $max
  | [range(0; $max) as $j | [range(0; $in | length) as $i | $in[$i][$j]]] end;
