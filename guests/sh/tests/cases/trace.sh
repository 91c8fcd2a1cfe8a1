# Lines of `set -x`, times, and text that the shell keeps for scripts.
exec 2>&1
echo "--- set -x"
f() { echo in; }
set -x
eval 'echo x; eval "echo y"'
x=$(echo $(echo deep))
[[ -n $x && a == a* ]]
[[ ! -z '' ]]
(( x = 1 + 2 ))
for ((i=0;i<1;i++)); do :; done
for i in 1 2; do f; done
case "$x" in 3) ;; esac
export E=1
echo "it's" '' 'a
b' 'c d'
set +x

echo "--- TIMEFORMAT"
TIMEFORMAT='t %3R %2U %lS %%'; { time :; } 2>&1 | sed 's/[0-9]/N/g'
TIMEFORMAT=; { time :; }; unset TIMEFORMAT

exec 2>/dev/null
echo "--- the running command"
echo "$BASH_COMMAND"
(echo "$BASH_SUBSHELL") | cat

echo "--- here-documents in substitutions"
y=$(cat <<END
one
END)
echo "$y"; echo "$(cat <<END
two
END
)"

echo "--- quotes inside braces"
unset u
echo "${u-'}'}" "${u-$'a\tb'}" "${u:-"a\bc"}" "${u-a\}b}"
(set -o posix; eval 'echo "${u-it'"'"'s}"')
echo {a..Z} | od -An -c | tr -s ' '
v=A; v_c=B; echo {$v,b}_{c,d}

echo "--- lists that look like arrays"
n=(1); export n='(5)'; declare -p n
n=(1); declare n='(5 6)'; declare -p n
n=(1 2); unset 'n[@]'; declare -p n
declare -i k=2; k+=5 eval 'echo $k'; echo $k
set -- ''; printf '<%s>' "${*:+x}" "${@:+x}"; echo
printf 'a\cb\n'
wait $(: <(exit 3); echo) ; : <(exit 3); wait $!; echo $?

# On entry of a function, the DEBUG trap sees the line of its body.
set -T
entered()
{
  :
}
trap 'echo "at $LINENO in ${FUNCNAME[0]-main}"' DEBUG
entered
trap - DEBUG
set +T

exec 2>&1
echo "--- set -x and lists of builtins"
lists() { local -a l=(1 "2 x" "it's" ''); local -A m=([k v]=w); readonly p=(1) q=5; declare l+=(3); export e=(); }
set -x
lists
set +x
