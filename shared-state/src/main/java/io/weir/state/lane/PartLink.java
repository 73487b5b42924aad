package io.weir.state.lane;

import io.weir.state.connection.Link;
import java.time.Duration;

/**
 * One connection to one part of the shared state.
 *
 * @param timeout of a command
 * @param policy the key that has the newest revision of the part
 * @param templates of all charges sent on this link
 * @param observer observes the ends of calls
 */
record PartLink(
    Link link, Duration timeout, String policy, Templates templates, CallObserver observer) {}
