# Corners of several builtins and expansions, each met in scripts of others.
(exit 9) & pid=$!
wait $pid; echo $?
wait $pid; echo "again $?"
[[ -e <(:) ]]; echo "process $?"
typeset braced=a{b,c}; echo $braced
declare sequence={1..3} quoted="{1,2}"; echo "$sequence $quoted"
shopt -s expand_aliases
alias outer='inner B ' inner='echo A' last=word
outer last
ro() { local -r fixed=1; shadow; }
shadow() { local fixed=2; echo "shadowed $fixed"; }
ro
self() { local -n target=$1; target=5; }
target=0; self target 2>/dev/null; echo "outer $target"
(set -u; echo ${#unset[@]}) 2>/dev/null; echo "count $?"
echo "${unset:bad expression}"
printf 'a\n' > lines
declare -A map; readonly fixed
mapfile map < lines 2>/dev/null; echo $?
mapfile fixed < lines 2>/dev/null; echo $?
mkdir -p dir; touch dir/one
echo .//dir/* dir//o*
set +h; hash 2>/dev/null; echo "hash $?"; set -h
shopt -s cdable_vars; place=/usr; cd place; pwd; cd - > /dev/null
path='\w'; HOME=/usr; PROMPT_DIRTRIM=1; (cd /usr/share/doc; echo "${path@P}")
umask 1777; umask; umask 022
cd --help | head -n 1
cd --help > /dev/null; echo $?
type --help > /dev/null; echo $?
bash -c 'a=(1 2' 2>/dev/null; echo "open list $?"
bash -c 'return 1 2' 2>/dev/null; echo $?
enable -n nothing 2>/dev/null; echo $?
builtin -x 2>/dev/null; echo $?
time -- true 2>/dev/null
bash -c '[[ a b ]]'; bash -c '[[ -z ]]'; bash -c '[[ a == ]]'; bash -c '[[ ]]'; echo $?
bash -c 'echo <' ; bash -c 'for'; bash -c 'echo $((1'
PATH=; nothing; echo $?
