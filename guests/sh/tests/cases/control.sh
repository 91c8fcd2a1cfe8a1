# Compound commands, functions, traps, errexit.
for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done
for ((i=0, j=10; i<j; i+=3, j--)); do echo $i $j; done
i=0; while ((i<5)); do ((++i==3)) && break; done; echo $i; until ((i<=0)); do ((i--)); done; echo $i
case abc in x) echo no;; a*) echo star;& y) echo fell;;& *c) echo again;; *) echo not;; esac
shopt -s extglob
case foobar in @(foo|bar)+(o|b|a|r)) echo ext;; esac
f() { local v=in r; v+=side; echo "$v $# $1 ${FUNCNAME[0]}"; r=5; return $r; }; v=out; f a b; echo $? $v
g() { echo "$v"; }; h() { local v=dynamic; g; }; h; g
fact() { (( $1 <= 1 )) && echo 1 || echo $(( $1 * $(fact $(($1-1))) )); }; fact 10
if false; then :; elif [[ abc == a?c && ! -e /nonexistent ]]; then echo elif; else echo else; fi
[[ 'foo123bar' =~ ([a-z]+)([0-9]+) ]] && echo "${BASH_REMATCH[1]}-${BASH_REMATCH[2]}"
( exit 7 ); echo $?; { echo grouped; } | cat; false | true; echo "${PIPESTATUS[@]}"
set -o pipefail; false | true; echo $?; set +o pipefail; ! true; echo $?
( set -e; false; echo unreached ); echo $?; ( set -e; false || true; if false; then :; fi; echo reached )
( trap 'echo bye $?' EXIT; exit 3 ); echo $?
( trap 'echo err' ERR; false; true; false ); ( set -u; echo "${nope-default}"; echo $nope; echo unreached ) 2>/dev/null; echo $?
trap 'echo usr1' USR1; kill -USR1 $$; trap - USR1
sleep 0.05 & wait $!; echo waited $?; (exit 4) & wait $!; echo $?; true & false & wait; echo all $?
eval 'x=5; echo "evaluated $x"'; cmd='echo dynamic'; $cmd words; type -t f echo if cat nosuch
select_it() { select o in a b; do echo "chose $o"; break; done; }; echo 2 | select_it 2>/dev/null
unset -f f; f 2>/dev/null; echo $?; declare -F g; declare -f g
while read -r a b; do echo "[$a|$b]"; done <<< $'1 2 3\nx'; echo "$((3 > 2 && 1))"
n() { echo $LINENO; }; n; alias hi='echo aliased'; shopt -s expand_aliases
hi there
wh\
ile false; d\
o :; do\
ne; i\
f true &\
& echo jo\
ined |\
| false; then echo ke\
yword >\
> f; fi; na\
me=val\
ue; echo $na\
me ${na\
me} $\
(echo sub) $(\
(1+1)) 2>\
&1; cas\
e x in x) echo arm;\
; es\
ac; cat f; echo 'kept \
here' "gone \
here"; echo a#b\
c;#not joined \
echo $LINENO
command_not_found_handle() { echo "no $1 with $#: $2"; x=changed; return 9; }; nosuchcmd 'a b' c; echo $? ${x-kept}; nosuchcmd | cat; ./nosuchcmd 2>/dev/null; echo $?; unset -f command_not_found_handle
