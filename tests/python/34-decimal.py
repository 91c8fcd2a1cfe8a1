from decimal import Decimal, getcontext, ROUND_HALF_UP
from fractions import Fraction
import math, cmath
getcontext().prec = 30
print(Decimal(1) / Decimal(7), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP))
print(Fraction(3, 4) + Fraction(1, 6), Fraction("0.125"), float(Fraction(1, 3)))
print(math.comb(10, 3), math.gcd(48, 36), math.isclose(0.1 + 0.2, 0.3), math.factorial(25), math.hypot(3, 4))
print(2 ** 200, (-7) // 2, (-7) % 3, divmod(17, 5), round(2.5), int("ff", 16), cmath.sqrt(-4))
print(sum([0.1] * 10), math.fsum([0.1] * 10), 1e308 * 10, float("nan") == float("nan"))
