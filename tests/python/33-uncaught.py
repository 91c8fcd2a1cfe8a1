def parse(text):
    return int(text)

def main():
    print("before")
    parse("twelve")

main()
