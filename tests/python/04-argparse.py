import argparse

parser = argparse.ArgumentParser(prog="greet", description="Greets people.")
parser.add_argument("names", nargs="+", help="who to greet")
parser.add_argument("-n", "--times", type=int, default=1, help="how often")
parser.add_argument("--loud", action="store_true")
args = parser.parse_args()
for name in args.names:
    for _ in range(args.times):
        text = f"hello {name}"
        print(text.upper() if args.loud else text)
parser.print_help()
