/** The interface between a node and a room, a capability beside the limiter. */
@NullMarked
package io.weir.node.room;

import org.jspecify.annotations.NullMarked;
