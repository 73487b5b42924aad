/** The interface between a node and an extension, a capability beside the limiter. */
@NullMarked
package io.weir.node.extension;

import org.jspecify.annotations.NullMarked;
