/** What a room, a capability beside the limiter, gives to a node and gets from it. */
@NullMarked
package io.weir.node.room;

import org.jspecify.annotations.NullMarked;
