# Builtins.
printf '%5d|%-5s|%05.1f|%x|%o|%c|%q|%b|%%\n' 42 ab 3.14159 255 8 xyz 'a b' 'x\ty'
printf '%s-%s\n' 1 2 3; printf -v out '%03d' 7; echo $out; printf '%(%Y-%m-%d)T\n' 0; printf '%e %g %G\n' 12345.678 0.00001 1e10
echo -n no newline; echo; echo -e 'a\tb\x41\u00e9\0101'; echo -E 'a\tb'
while getopts ab:c o -a -b val -c rest; do echo "$o ${OPTARG-}"; done; echo $OPTIND
read -r a b c <<< "1 2 3 4"; echo "$c"; read -ra arr <<< "x y z"; echo ${arr[2]}; IFS=: read -r u v <<< a:b:c; echo "$v"
read -n 3 t <<< abcdef; echo $t; read -d : t <<< "upto:colon"; echo $t; echo 'a\ b' | { read x; echo "$x"; }
declare -i n=3+4; n+=2; echo $n; declare -u up=abc; declare -l lo=ABC; echo $up $lo; declare -r ro=1; (ro=2) 2>/dev/null; echo $?
export EX=1; bash -c 'echo $EX' 2>/dev/null || echo 1; declare -p EX n up; readonly -p | grep -c ro=
set -- a b c; shift 2; echo $1 $#; set -f; echo *; set +f; test -n x -a 1 -lt 2; echo $?; [ ! a = b ]; echo $?
[ -z "" ] && [ -d / ] && [ 5 -ge 5 ] && ! [ -f / ] && echo tests; let 'q = 3 * 4' q++; echo $q
pushd / > /dev/null; pwd; popd > /dev/null; dirs -c; umask 027; umask; umask -S; umask 022
trap 'echo x' INT; trap -p INT; trap - INT; hash -r; command -v cd; type cd; builtin echo built
x=1; unset x; echo ${x-unset}; u() { local l=1; unset l; echo ${l-gone}; }; u; shopt -q extglob; echo $?
kill -l 9; kill -l TERM; caller; echo $?; times > /dev/null; ulimit -c > /dev/null; compgen -A builtin ec
wait 999999 2>/dev/null; echo $?; jobs; false; echo $? $?; : ${z:=set}; echo $z; exec 2>/dev/null; nosuch; echo $?
history; echo $?; history -s 'echo one'; history -s echo two three; history -s echo four; history; history 1; history -d 2; history
history -w hist; cat hist; history -c; history | wc -l; history -r hist; history -s last; history -a hist; tail -1 hist
printf 'l1\nl2\nlast\nnew\n' > hist2; history -c; history -r hist; history -n hist2; history | tail -2; history x; history 1 2; history -d 99; echo $?
fc -l -2; fc -lr; fc -ln 1 1; fc -l ec; fc -s two=2 echo 2>/dev/null; fc -s 2>/dev/null; echo $?
HISTSIZE=2; history | wc -l; history -p 'a b' c; unset HISTFILE; history -w; echo $?
set -o history
echo recorded
history | tail -1 | sed 's/^ *[0-9]* *//'; set +o history
source /dev/stdin <<< 'echo sourced $1'; . <(echo 'echo dotted'); return 3; echo $?; exit 9
