import sys

def main() -> int:
    print("checking", file=sys.stderr)
    print("3 problems")
    return 3

if __name__ == "__main__":
    sys.exit(main())
