# printf counts bytes, and warns about numbers that do not fit.
printf '[%5s][%-5s][%.2s][%5.3s]\n' é é éa日本 日本語
printf '%d %u %x\n' 9223372036854775808 18446744073709551616 99999999999999999999
printf '%d %u\n' -9223372036854775808 -1; echo $?
for n in 9223372036854775807 9223372036854775808 -9223372036854775809 0x8000000000000000 0xffffffffffffffff; do
  printf '%d\n' $n 2>&1 | sed 's/.*printf: //'; printf '%x\n' $n 2>&1 | sed 's/.*printf: //'
done
