-- Redis runs Lua 5.1 and gives these names. `luacheck .` reads the files as they are, a test reads the assembled scripts.
std = "lua51"
globals = { "redis" }
read_globals = { "KEYS", "ARGV", "struct" }
exclude_files = { "**/target/**", "**/node_modules/**" }
