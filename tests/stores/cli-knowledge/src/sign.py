raise Refused("E4217")
rotateSigningKey()
