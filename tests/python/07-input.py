name = input("name? ")
age = int(input("age? "))
print(f"{name} will be {age + 1}")
try:
    input()
except EOFError:
    print("no more")
