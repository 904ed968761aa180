raise BerthError("E3104")
raise BerthError("E9999")
