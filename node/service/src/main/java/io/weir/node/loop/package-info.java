/** What the shared state needs of an event loop. */
@NullMarked
package io.weir.node.loop;

import org.jspecify.annotations.NullMarked;
