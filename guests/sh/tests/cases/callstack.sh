# Call stack: under -c there is no bottom frame; a sourced file is a frame.
bash -c 'f() { echo "${FUNCNAME[@]} ${#BASH_SOURCE[@]} ${BASH_LINENO[@]}"; caller; caller 0; echo "$?"; }
f
(f)
eval f
g() { f; }
g
declare -p FUNCNAME BASH_LINENO'
cat > lib.sh <<'X'
echo "${FUNCNAME[@]}|${BASH_SOURCE[@]}|${BASH_LINENO[@]}"
in_lib() { local i=0; while caller $i; do ((i++)); done; }
in_lib
X
bash -c '. ./lib.sh
outer() { in_lib; }
outer'
# Trap commands of signals count their lines from 1, those of DEBUG do not.
bash -c 'f() { echo "line ${BASH_LINENO[0]}"; }
trap f USR1

kill -USR1 $$
trap "echo debug \$LINENO \$BASH_COMMAND" DEBUG
for i in 1 2; do
  :
done
case $i in 2) ((i > 1));; esac
trap - DEBUG'
# extdebug: arguments of calls, and traps that skip commands.
bash -c 'shopt -s extdebug
f() { echo "${BASH_ARGC[@]}|${BASH_ARGV[@]}"; }
g() { f x y; }
g a b c
trap "[[ \$BASH_COMMAND != *skip* ]]" DEBUG
echo kept; echo skip; echo kept'
# Fatal expansion errors.
bash -c 'set -u; echo $nope; echo no' 2>/dev/null; echo $?
bash -c 'echo ${x?no}' 2>/dev/null; echo $?
bash -c 'set -eu; echo $nope' 2>/dev/null; echo $?
bash -c '(set -u; echo $nope) 2>/dev/null; echo $?; cat <<X
${x?no}
X
echo on' 2>/dev/null
bash -c 'set -e; x=$((1/0)); echo on' 2>/dev/null; echo $?
bash -c 'exit 1 2; echo no' 2>/dev/null; echo $?
