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

echo "--- words as written"
f() { echo a\ b ${a}c `echo x` $'t\tu' "${a}" \$; x=a\ b; }; declare -f f

echo "--- here-documents"
f() {
  cat <<A
one
A
  echo y
  cat <<A | cat
two
A
  if true; then cat <<A
three
A
  fi
  cat <<A && echo z
four
A
}
declare -f f; f

echo "--- quotes"
x=\'; declare -p x; set | grep ^x=; echo "${x@Q}"
