# Hidden names match only where a group begins with a dot; `*` and `?` groups may be empty.
shopt -s extglob
touch .foo bar .a
for skip in -s -u; do
  shopt $skip globskipdots
  for dot in -s -u; do
    shopt $dot dotglob
    echo "$skip $dot"
    echo @(.foo) !(.foo) @(.foo|*) @(*) !(*)
    echo .* @(.*) !(.*) @(.?) ?(b|.)a* *(x|.f)oo +(.|o)foo
    echo ?(bar).foo *(bar).foo !(bar).foo @(?|.*) @(@(.a|z)|q)
  done
done
shopt -s nullglob
echo [b/r] [b [ba]r x
shopt -u nullglob

# Keys are quoted as for any word.
for key in 'a^b' 'a~' '~a' 'a:~' '#a' 'a#' 'a@b' '@' é 'a,b' 'a{b' 'a!b' $'a\tb'; do
  declare -A h=(); h[$key]=1; declare -p h; echo "${h[@]@K}"
done
cat <<-'	END'
	text
	END
x="${none-'"'quotes}"; echo "$x" "${none-'a"b"c'}"

# References.
bar=1 foo=bar; declare -n foo; declare +n foo=other; declare -p foo bar
declare -na list=(x) 2> /dev/null; echo $?; declare -p list
export -r x 2> /dev/null; echo $?; readonly -x y 2> /dev/null; echo $?
set -o posix
readonly one=1 list=(1)
{ one=2 true; } 2> /dev/null
echo "goes on"
readonly -p | grep -E 'one|list'; export two=2; export -p | grep two
(one=2 :; echo no) 2> /dev/null; echo $?
