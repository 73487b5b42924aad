/** Sends requests to upstreams: opens connections, waits for turns, and takes answers. */
@NullMarked
package io.weir.node.upstream;

import org.jspecify.annotations.NullMarked;
