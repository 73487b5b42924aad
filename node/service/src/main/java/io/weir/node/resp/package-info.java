/**
 * The door for clients of Redis: {@code WEIR.CHECK} and {@code CL.THROTTLE} by the Redis serialization protocol (RESP 2
 * and 3).
 */
@NullMarked
package io.weir.node.resp;

import org.jspecify.annotations.NullMarked;
