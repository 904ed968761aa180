raise BerthError("E3104")
