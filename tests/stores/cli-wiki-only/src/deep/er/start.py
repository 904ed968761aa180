lease = 60
