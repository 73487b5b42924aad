/** The door for HTTP requests: authenticate, throttle, forward. */
@NullMarked
package io.weir.node.gateway;

import org.jspecify.annotations.NullMarked;
