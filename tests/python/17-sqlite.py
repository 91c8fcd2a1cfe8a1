import sqlite3

db = sqlite3.connect(":memory:")
db.row_factory = sqlite3.Row
db.executescript("""
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE book (title TEXT, year INT, author INT REFERENCES author);
""")
with db:
    db.execute("INSERT INTO author(name) VALUES (?)", ("Ada",))
    db.executemany("INSERT INTO book VALUES (?, ?, 1)", [("A", 2001), ("B", 1999)])
for row in db.execute("SELECT a.name, b.title FROM book b JOIN author a ON a.id = b.author ORDER BY year"):
    print(dict(row))
try:
    with db:
        db.execute("INSERT INTO author(name) VALUES ('Ada')")
except sqlite3.IntegrityError as error:
    print("IntegrityError:", error)
db.create_function("rev", 1, lambda s: s[::-1])
print(db.execute("SELECT rev('abc'), json_extract('{\"a\": [1,2]}', '$.a[1]'), count(*) FROM book").fetchone()[:])
