# Array literals, subscripts and references to elements.
show() { declare -p "$@"; }

echo "--- subscripts see the elements before them"
a=([0]=1+2+3 [a[0]]=10 [a[6]]=x); show a
a=(o p q); o=7; a+=([1]="${a[2]}" [a[0]]="${a[1]}"); show a
a=(5 [2+1]=x y [-1]=z); show a
a=(1); a[0x7fffffffffffffff]=last; echo "${#a[@]} ${a[@]: -1}"

echo "--- associative arrays"
declare -A m=([k]=1)
m=([k]+=2 [n]+=3); echo "${m[k]} ${m[n]}"
m+=([k]+=4); echo "${m[k]}"
HOME=/h; m=([k]=~ [n]=~:~); echo "${m[k]} ${m[n]}"
m=([k]={a,b}); echo "${m[k]}"
b=([k]={a,b}); show b
declare -A s=([x]=1); echo "${s[@]: 0: 1} ${s[@]: 1: 1}"
(m[]=1) 2>/dev/null; echo $?
declare -A q=([a]=1); echo "${q[@]@K}."

echo "--- references to elements"
declare -A A=([K]=v); key=K
declare -n r='A["K"]'; r=w; echo "$r ${A[K]}"
declare -n p='A[$key]'; p+=x; echo "${A[K]}"
arr=(a b c); declare -n e='arr[1]'
e+=z; echo "${arr[@]}"
e[0]=bad 2>/dev/null; echo "$? ${arr[@]}"
[[ -v e ]]; echo $?
declare -n none; [[ -R none ]]; echo $?
(set -u; declare -n u='arr[9]'; echo "[$u]")

echo "--- local and temporary variables"
un() { unset -v "$1"; }
f() { local v=l; unset v; declare -p v; v=3; echo "$v"; }
v=g; f; echo "$v"
f() { local v=l; unset v; echo "${v-unset}"; }; v=t f
f() { local v; (un v; echo "${v-unset}"); g; }; g() { local v; echo "${v-unset}"; }
f; v=t f
h() { local x; echo "${x-unset}"; }; x=t eval h
local lost=(1 2) 2>/dev/null; echo "${lost[1]}"
readonly -a ro; declare -p ro

echo "--- lists of names"
IFS=; n_a=1 n_b=2; l=(1 2)
for w in ${!n_*}; do echo "[$w]"; done
for w in ${!l[*]}; do echo "[$w]"; done
unset IFS

echo "--- keys of any characters"
declare -A count
for word in "don't" 'a"b' 'x]y' 'p q' '$(echo no)' 'a`b' '@' '*' 'a\b' '[z' 'k=v' '#h' '~'; do
  ((count[$word]++)); count[$word]=$((count[$word] + 1)); let 'count[$word]+=1'
done
for key in "${!count[@]}"; do echo "$key=${count[$key]}"; done | sort
i="it's"; count["$i"]=5; echo $((count["$i"] * 2)) $((count[$i])); [[ -v count[$i] ]] && echo set
declare "count[k=2]=w"; echo "${count[k=2]}"

echo "--- words of an associative array are not split"
two='1 2'; list=(m n o p); cd /
declare -A pairs=($two x "p q" r); declare -p pairs
pairs=(k $two); declare -p pairs; pairs+=(z *); echo "${pairs[z]}"
declare -A joined=("${list[@]}"); declare -p joined

echo "--- an error inside an array literal costs one line"
broken=(first & second)
echo $? "${broken-unset}"
