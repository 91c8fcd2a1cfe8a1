import helpers.maths as maths
from helpers import greet
import config

if __name__ == "__main__":
    print(greet(config.NAME), maths.square(config.NUMBER))
    print(__name__, maths.__name__, __file__.rsplit("/", 1)[-1])
