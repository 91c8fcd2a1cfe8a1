import configparser, tomllib, shlex, io
config = configparser.ConfigParser()
config.read_string("[server]\nport = 8080\ndebug = yes\n[paths]\nroot = /srv\nlogs = %(root)s/logs\n")
print(config.sections(), config.getint("server", "port"), config["server"].getboolean("debug"), config["paths"]["logs"])
print(tomllib.loads("title = 'x'\n[a]\nlist = [1, 2]\nwhen = 2024-01-01\n"))
print(shlex.split("cmd 'a b' --x=\"c d\""), shlex.quote("it's"))
env = dict(line.strip().split("=", 1) for line in open("settings.env") if "=" in line and not line.startswith("#"))
print(env)
