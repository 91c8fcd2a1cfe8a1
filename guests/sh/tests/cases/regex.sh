[[ aa =~ (a)\1 ]]; echo $? "${BASH_REMATCH[@]}"
[[ ab =~ (a)\1 ]]; echo $?
re='^(.)(.).?\2\1$'; [[ abcba =~ $re ]]; echo $? "${BASH_REMATCH[@]}"
[[ "the the" =~ ([a-z]+)\ \1 ]]; echo $? "${BASH_REMATCH[@]}"
[[ foobar =~ foo|foobar ]]; echo "${BASH_REMATCH[@]}"
[[ a1 =~ a\1 ]]; echo $?
re='a\1'; [[ a1 =~ $re ]]; echo $?
[[ aa =~ "(a)\1" ]]; echo $?
[[ abcd =~ (a|ab)(c|bcd)(d*) ]]; echo "${BASH_REMATCH[@]@Q}"
[[ xyz =~ (x*)* ]]; echo "${BASH_REMATCH[@]@Q}"
[[ "foo bar" =~ \<bar\> ]]; echo $?
[[ "foobar" =~ \<bar ]]; echo $?
[[ abab =~ ^(ab)*$ ]]; echo "${BASH_REMATCH[@]@Q}"
[[ "key=value" =~ ^([^=]+)=(.*)$ ]]; echo "${BASH_REMATCH[2]}"
[[ abc =~ (b)|(c) ]]; declare -p BASH_REMATCH
[[ $'a\nb' =~ a.b ]]; echo $?; [[ $'a\nb' =~ ^b ]]; echo $?
[[ ABA =~ (a)b\1 ]]; echo $?; shopt -s nocasematch; [[ ABA =~ (a)b\1 ]]; echo $?
[[ '|' == '|' ]]
[[ xay =~ x(a|ay)|b ]]; echo "${BASH_REMATCH[@]@Q}"
[[ "$(printf '%0200d' 0)x" =~ ^(0*)*(0*)*1y$ ]]; echo $?
[[ éé =~ (é)\1 ]]; echo $?
