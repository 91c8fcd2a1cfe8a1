"""Host calls: their numbers, as `crates/abi/src/call.rs` has them, and ways to make one."""

import _cofferdam

TIMER_START = 5
TICKET_CANCEL = 6
STORAGE_GET = 32
STORAGE_SET = 33
STORAGE_REMOVE = 34
STORAGE_KEYS = 35
STORAGE_CLEAR = 36
FILE_READ = 40
FILE_WRITE = 41
FILE_LIST = 42
FILE_LOOK = 43
FOLDER_MAKE = 44
FILE_REMOVE = 45
FILE_RENAME = 46
FILE_MODE = 47
STATE_GET = 50
STATE_SET = 51
STATE_DESCRIBE = 52
STATE_LIST = 53
VARIABLE_GET = 56
VARIABLE_LIST = 57
FUNCTION_CALL = 60
FETCH_START = 64
FETCH_READ = 65
FETCH_STOP = 66
COMMAND_RUN = 70
COMMAND_START = 77
COMMAND_NEXT = 78
COMMAND_FEED = 79
COMMAND_STOP = 81
DOM_CALL = 80


def now(number, shape, result, *fields, then=None):
    """Makes a call, waits for its answer and returns it."""
    value = _cofferdam.call(number, shape, result, *fields)
    return value if then is None else then(value)


async def later(number, shape, result, *fields, then=None):
    """Makes a call; other tasks run until it is answered."""
    ticket, value = _cofferdam.start(number, shape, result, *fields)
    if ticket is not None:
        from asyncio import get_running_loop

        value = await get_running_loop().answer_to(ticket, result)
    return value if then is None else then(value)
