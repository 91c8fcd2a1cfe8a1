import io, unittest
from unittest import mock

def divide(a, b):
    return a / b

class Tests(unittest.TestCase):
    def setUp(self):
        self.pairs = [(4, 2, 2), (9, 3, 3)]
    def test_divide(self):
        for a, b, c in self.pairs:
            with self.subTest(a=a):
                self.assertEqual(divide(a, b), c)
    def test_zero(self):
        with self.assertRaises(ZeroDivisionError):
            divide(1, 0)
    @unittest.skip("later")
    def test_skipped(self):
        self.fail()
    def test_mock(self):
        with mock.patch("builtins.print") as fake:
            print("x")
        fake.assert_called_once_with("x")

stream = io.StringIO()
result = unittest.TextTestRunner(stream=stream, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Tests))
print(result.testsRun, len(result.failures), len(result.skipped), result.wasSuccessful())
print([line for line in stream.getvalue().splitlines() if "..." in line])
