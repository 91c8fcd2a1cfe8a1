# Read-only variables: what fails the command, and what abandons the line.
exec 2>/dev/null
readonly r=1 n
for r in a; do echo no; done; echo "for $?"
((r=5)); echo "arith $?"
let r=5; echo "let $?"
read r <<< x; echo "read $?"
read -a r <<< x; echo "read -a $?"
mapfile r <<< x; echo "mapfile $?"
printf -v r x; echo "printf $?"
getopts a r -a; echo "getopts $?"
select r in a; do break; done <<< 1; echo "select $?"
(: ${n:=5}; echo no); echo "default $?"
(r=2; echo no); echo "assign $?"
declare -i r; echo "declare -i $?"; declare -u r; declare -p r
declare +r r; echo "declare +r $?"
unset r; echo "unset $?"

# In POSIX mode, wrong usage of a special builtin ends the shell, except under `command`.
posix() { (set -o posix; eval "$1"; echo "goes on $?"); echo "[$1] $?"; }
for text in 'export -z' 'readonly -z' 'unset -z' 'set -o nope' 'set -Z' 'trap -z' 'trap x' \
  'eval "fi"' 'eval "echo ("' 'eval -z' '.' '. /nonexistent' '. -z' 'exec -z' 'times x' \
  'export 1a=3' 'shift 99' 'shift abc' 'export r=2' 'readonly r=2' 'unset r' 'break' \
  'command eval "fi"' 'command . /nonexistent' 'command export -z' 'command set -o nope' \
  'alias -z' 'cd -z' 'umask -z'; do
  posix "$text"
done
shopt -s execfail
(exec /nonexistent; echo no); echo "subshell $?"
exec /nonexistent; echo "shell $?"

# Missing arguments, unknown names.
complete -F; echo $?; complete -r nope; echo $?; complete -F 'a b' x; echo $?
complete -D -W x; compopt -D -o nospace; echo $?; compopt -p; echo $?
hash -d; echo $?; mapfile '' < /dev/null; echo $?; getopts -z a; echo $?; cd -@ .; echo $?
umask 077; umask -pS; popd -x; echo $?

# The number of times that a command ran.
PATH=/usr/bin:/bin
hash -r; hash ls; ls / > /dev/null; cat < /dev/null; cat < /dev/null
hash | sed 's:/.*/::' | sort

# Errors at the end of the text.
for text in '[[' '[[ a' '[[ ! ' '[[ -n' '[[ ( a ) ' '[[ ;' '[[ a ;' '((' '((1' 'f(' 'x ('; do
  echo "$text"
  bash -c "$text" 2>&1
  echo $?
done
COLUMNS=40
select x in one two three four five six seven eight nine ten eleven twelve; do break; done 2>&1 <<< 3
