# Traps inside traps, as test frameworks use them.
set -ET
debug() { echo "D ${FUNCNAME[1]-main}:${BASH_LINENO[0]} $1"; }
trap 'debug "$BASH_COMMAND"' DEBUG
trap 'echo "E ${FUNCNAME[0]-} $BASH_COMMAND $?"' ERR
run() { local status; output=$("$@" 2>&1) && status=0 || status=$?; }
check() {
  run echo hi
  [[ $output == other ]]
}
check
trap - DEBUG ERR
bash -c 'set -eE; trap "echo err \$LINENO" ERR; trap "echo exit \$? \${FUNCNAME[0]}" EXIT; f() { false; }; f'
f() { echo traced; }
trap 'echo "R ${FUNCNAME[0]}"' RETURN
set +T
f
declare -ft f
f
declare -fp f
declare -fp missing 2>/dev/null; echo $?
trap - RETURN
(exit 4) || true
trap 'echo "line $LINENO"' ERR
(exit 4)
[[ $output ]] && declare -f f
show() { [[ $1 ]] && echo; }
declare -f show
