import os, sqlite3
with sqlite3.connect("shop.db") as db:
    db.execute("CREATE TABLE IF NOT EXISTS item (name TEXT, price REAL)")
    db.executemany("INSERT INTO item VALUES (?, ?)", [(f"item{n}", n * 1.5) for n in range(500)])
db.close()
print(os.path.exists("shop.db"), os.path.getsize("shop.db") > 8000)
db = sqlite3.connect("shop.db")
print(db.execute("SELECT count(*), round(avg(price), 2) FROM item WHERE price > 100").fetchone())
db.execute("DELETE FROM item")
db.rollback()
print(db.execute("SELECT count(*) FROM item").fetchone())
