# Aliases for reserved words, wherever a command or the end of a list is expected.
shopt -s expand_aliases
alias not='! ' BEGIN='{' END='}' THEN='then' FI='fi' LOOP='while ' DONE='done' T='time -p' blank=' ' two='echo a; echo b'
true && not false && echo 1
if not false; THEN echo 2; FI
LOOP false; do :; DONE
f() BEGIN
 echo in f
END
f
not true; echo $?
false || two
BEGIN echo grp; END
case x in x) two;; esac
( two )
x=$(two); echo "$x"
not not true; echo $?
alias fi2='fi; echo after'
if true; then echo t; fi2
readonly BASHPID; echo ${BASHPID:+set}
export RANDOM; [ -n "$RANDOM" ] && echo r
declare -i SECONDS; echo ${SECONDS:+s}
g() { local LINENO; echo "${LINENO:+l}"; }; g
