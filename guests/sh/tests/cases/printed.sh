# A function that `declare -f` printed behaves as before when it is read back.
again() { eval "$(declare -f f)"; f; unset -f f; }
a=1 ab=wrong a_=wrong

f() { echo ${a}b "${a}b" ${a}_ ${a}{x,y} ${a}[1] "${a}'"; }
again
f() { [[ -f /none && ( 1 == 1 || 2 == 2 ) ]]; echo $?; [[ ! ( 1 == 1 || 1 == 2 ) ]]; echo $?; }
again
f() { echo $( (echo inside) ) $(((1 + 2) * 3)); }
again
f() {
  cat <<E
\$a ${a}b $a \`a\` "${a}b" '$a'
E
  cat <<'E'
\$a ${a}b
E
}
again
f() { local x=abc; echo ${x: -1} ${x:1:1} ${x:(-2)}; }
again
f() { echo ${none:-$\a} "$"'a' \$'a' "x$"; }
again
f() { if [ $a = 2 ]; then echo no; elif [ $a = 1 ]; then echo yes; else echo no; fi >&1; }
again
f() (echo a subshell)
again
