import sys
words = {}
for line in sys.stdin:
    for word in line.split():
        words[word] = words.get(word, 0) + 1
for word, count in sorted(words.items(), key=lambda item: (-item[1], item[0])):
    print(count, word)
