import time


def check(skew):
    if skew > 90:
        raise SigningError("E4217")
    return None
