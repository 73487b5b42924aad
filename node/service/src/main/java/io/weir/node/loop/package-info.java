/** The parts of an event loop that the shared state needs. */
@NullMarked
package io.weir.node.loop;

import org.jspecify.annotations.NullMarked;
