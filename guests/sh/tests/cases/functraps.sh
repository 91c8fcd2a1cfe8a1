# Traps that a function or a sourced file inherits, hides and leaves behind.
f() { trap 'echo E $BASH_COMMAND' ERR; false; echo x; }
f; false; g() { false; :; }; g; trap -p
trap 'echo E1' ERR
f() { trap 'echo E2' ERR; false; }
f; false; trap -p ERR
trap - ERR
echo "-- return"
g() { trap 'echo R:${FUNCNAME[0]}' RETURN; :; }
f() { g; echo in f; }
h() { :; }
f; h; trap -p RETURN
trap 'echo R $LINENO "${FUNCNAME[@]}" "${BASH_SOURCE[@]##*/}"' RETURN
echo 'echo "${FUNCNAME[@]}"; return 3' > s
. ./s
echo $?
f() { . ./s; echo $?; }
f
set -T
f
set +T
trap - RETURN
echo "-- debug"
printf 'echo in1\necho in2\n' > s
trap 'echo D:$BASH_COMMAND' DEBUG
. ./s
set -T
. ./s
set +T
trap - DEBUG
shopt -s extdebug
trap '[ "$BASH_COMMAND" != two ] || (exit 2)' DEBUG
f() { echo one; two; echo three; }
f; echo $?
trap - DEBUG
shopt -u extdebug
echo "-- names in ERR"
trap 'echo "$LINENO: $BASH_COMMAND"' ERR
set -E
true | false
eval 'false
false'
. /dev/stdin <<< false
f() {
  local y=$(false)
  [[ a = b ]]
  return 4
}
f
trap - ERR
echo "-- signals"
trap 'echo' SIGRTMIN+1; trap; trap - RTMIN+1; trap 'a b' 64; trap -p RTMAX; trap - 64
kill -l 35 RTMAX
