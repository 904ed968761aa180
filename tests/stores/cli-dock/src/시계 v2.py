raise SigningError("E4217")  # 서명
