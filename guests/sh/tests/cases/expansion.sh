# Parameter expansion with every operator.
x=hello.tar.gz; unset u; e=
echo "${x%.*} ${x%%.*} ${x#*.} ${x##*.}" "${u-d1} ${u:-d2} ${e-d3} ${e:-d4} ${x+set} ${u+set}"
echo "${x/l/L} ${x//l/L} ${x/#hello/bye} ${x/%gz/xz} ${x//[aeiou]}" "${x^} ${x^^} ${x^^[a-h]}"
y=HELLO; echo "${y,} ${y,,} ${#y} ${y:1} ${y:1:3} ${y: -3} ${y: -3:2} ${y:0:-1}"
echo "${u:=assigned} $u"; p=x; echo "${!p}" "${!x*}"
a=(one 'two words' three); a[7]=seven
printf '<%s>' "${a[@]}" "${a[*]}" "${#a[@]}" "${!a[@]}" "${a[@]:1:2}" "${a[-1]}"; echo
a+=(more); unset 'a[1]'; declare -p a
declare -A m=([k]=v [other key]="a b"); m[z]=26
for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort
echo "${x@Q} ${a[@]@Q} ${y@L}" $'tab\there' "$(echo 'quoted "inside"')" `echo back\`echo tick\``
set -- 1 2 '3 4'; IFS=,; echo "$*" $* "$@"; unset IFS; printf '[%s]' "$@" $@; echo
v='a  b	c'; printf '[%s]' $v; echo; IFS=: ; v=a::b:; printf '[%s]' $v; echo; unset IFS
echo {a,b{1,2},c}x {1..5..2} {05..1} {a..e} pre{,fix} '{a,b}' "{a,b}" {a} {,}
echo ~ ~/x a~ "~"; w=~/bin:~; echo $w
n=-7; echo $((n % 3)) $((2**10)) $((1<<4|3)) $((n<0?1:2)) $((0x1f + 010 + 2#101)) $((i++ + ++i)) $i
b=ref; ref=target; declare -n nr=ref; nr=changed; echo $ref ${!nr}
echo "a${u:+"b c"}d" ${u:+"b c"} "${e:-"q r"}" "${x:?no}"
echo "${a[@]/o/0}" "${a[*]#t}" "${@:2}" "${@: -1}"
