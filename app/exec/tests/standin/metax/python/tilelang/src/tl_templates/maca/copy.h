// stand-in for a header of TileLang, for tests only
