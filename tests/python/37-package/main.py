from shapes import Circle, Square, total_area
import shapes
print([repr(s) for s in (Circle(1), Square(2))], round(total_area(Circle(1), Square(2)), 3), shapes.__version__)
