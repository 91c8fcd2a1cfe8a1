named
