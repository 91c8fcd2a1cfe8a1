# Attributes apply to the whole value.
declare a=abcd; declare -u a; a+=efg; declare -p a
declare l=ABCD; declare -l l; l+=EFG; declare -p l
# Quoted subscripts are expanded.
i=3; declare 'arr[$i+1]=v'; declare -p arr
declare -A m; k='a b'; declare 'm[$k]=$k'; declare -p m
declare 'e[5]'; declare -p e
declare -a n=(1); declare -a 'n[0]=(9 8)'; declare -p n
declare +a n 2>/dev/null; echo $?
export 'x[0]=1' 2>/dev/null; echo $?
f() { :; }; declare -pF f
declare -r ro=1; declare -t tr=2; declare -prt | grep -E ' (ro|tr)='
export ex=1; g() { local ex=2; env | grep ^ex=; }; g
# References.
declare -n c1=c2 c2=c3 c3=c1; echo "[${c1}]" 2>/dev/null
t=v; declare -n r1=t; declare -n r2=r1; echo ${!r2} $r2
r1=new printenv t
arr=(p q); declare -n el='arr[1]'; echo $el ${#el} "[${el[@]}]"
unset -n t; echo $t
declare -na both=x; declare -p both
# Assignments before a command see each other; arrays are text.
p=1 q=$p printenv q
z=(1 2) printenv z
set -a; w=1; v=(1); declare -p w v; set +a
# Tables.
hash -p /some/path cmd; hash -t cmd; hash -t -l cmd; type cmd; hash -d cmd; hash -t cmd 2>/dev/null || echo none
enable -n cd; builtin cd . 2>/dev/null || echo off; enable cd
while getopts a: o -a x; do :; done; echo "[$OPTARG]"
mkdir d; ln -s d ln; (cd ln; pwd -L | grep -o 'ln$'; pwd -P | grep -o 'd$'); (cd -P ln; pwd | grep -o 'd$')
(cd /; cd usr; pwd)
OLDPWD=/nonexistent bash -c 'echo "${OLDPWD-unset}"'
# Completion.
complete -o nospace -F fn -W 'a b' -P p cmd; complete -p cmd
complete -b -A function -d other; complete -p other
compopt -o plusdirs cmd; compopt cmd; complete -r cmd; complete -p cmd 2>/dev/null; echo $?
compgen -W 'one two three' -P '<' -S '>' -X 'o*' -- t
compgen -W 'foo bar' -X '!f*'
fill() { COMPREPLY=(x "$2"); }; compgen -F fill word 2>/dev/null
touch fx; mkdir fd; compgen -d f; compgen -o default -- fx
compopt -o nospace 2>/dev/null; echo $?
