import sys
ROOMS = {"hall": {"north": "library", "east": "kitchen"}, "library": {"south": "hall"}, "kitchen": {"west": "hall"}}
def play(lines):
    room = "hall"
    for line in lines:
        command = line.strip().lower()
        if command == "quit":
            print("bye")
            return 0
        if command.startswith("go "):
            target = ROOMS[room].get(command[3:])
            if target is None:
                print("You cannot go there.")
            else:
                room = target
                print(f"You are in the {room}.")
        else:
            print("?")
    return 1
sys.exit(play(sys.stdin))
