# Nothing here may crash the shell: each line ends with an error of its own.
( f() { f; }; f ) 2>/dev/null; echo $?
( f() { eval f; }; f ) 2>/dev/null; echo $?
( echo {1..100000000} ) 2>/dev/null; echo $?
( printf '%1000000000d' 1 ) 2>/dev/null; echo $?
( x=a; while :; do x=$x$x; done ) 2>/dev/null; echo $?
a=b b=a; ( echo $((a)) ) 2>/dev/null; echo $?
( eval "$(printf '{ %.0s' {1..2000})" ) 2>/dev/null; echo $?
( eval "echo $(printf '$(echo %.0s' {1..60})deep$(printf ')%.0s' {1..60})" ); echo $?
( eval "((" $(printf '(%.0s' {1..3000}) "1" $(printf ')%.0s' {1..3000}) "))" ) 2>/dev/null; echo $?
shopt -s extglob; [[ $(printf 'a%.0s' {1..200}) == *(*(*(a)))b ]]; echo $?
# Each level of nesting is parsed once, and nesting past the cap is refused by name.
nest() { local i text=; for ((i=0; i<$1; i++)); do text+=$2; done; text+=$3; for ((i=0; i<$1; i++)); do text+=$4; done; printf %s "$text"; }
eval "$(nest 100 'case x in x) ' 'echo deep' ';; esac')"
eval "$(nest 200 '{ ' 'echo deep' '; }')"
for open in 'case x in x) ' '{ ' '( ' 'if true; then ' 'while true; do ' 'f() { ' 'echo "$(' '${a:-' '$((' '<('; do
  (eval "$(nest 5000 "$open" x '')") 2>&1 | grep -c 'nested deeper'
done
