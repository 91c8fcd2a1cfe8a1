from datetime import datetime, date, timedelta, timezone

start = datetime(2024, 2, 28, 23, 30, tzinfo=timezone.utc)
for hours in (1, 24, 48):
    print((start + timedelta(hours=hours)).isoformat())
print(date(2024, 12, 25).strftime("%A %d %B %Y"), date(2024, 12, 25).isocalendar())
print(datetime.strptime("2024-03-01 12:00", "%Y-%m-%d %H:%M") - datetime(2024, 2, 1))
print(start.astimezone(timezone(timedelta(hours=-5))).strftime("%Y-%m-%d %H:%M %z"))
