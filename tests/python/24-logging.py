import logging, sys

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("app.part")
log.debug("hidden")
log.info("started with %d items", 3)
log.warning("careful")
try:
    1 / 0
except ZeroDivisionError:
    log.error("failed", exc_info=False)
handler = logging.FileHandler("app.log", mode="w")
handler.setFormatter(logging.Formatter("%(message)s"))
log.addHandler(handler)
log.info("to the file")
handler.close()
print(open("app.log").read())
