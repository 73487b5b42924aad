package io.weir.state.wire;

/**
 * A command that decides in Redis: a file of {@code lua/} with the modules of {@code lua/lib} that it requires. Redis runs
 * it as a function of its library or, where it runs no functions, as a script.
 *
 * @param function its name among the functions
 * @param source the text of the script
 * @param sha1 the name of the script
 * @param library has the function
 */
public record LuaScript(String function, String source, String sha1, LuaLibrary library) {}
