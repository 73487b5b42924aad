package io.weir.node.auth;

/**
 * A session as it is stored.
 *
 * @param operator who has it, for the bounds of sessions
 * @param sealed the token that it began with, encrypted by {@link SessionSecret#sealed}
 */
record StoredSession(String operator, String sealed) {}
