/** Reads the actual cost of a request from the upstream's answer, as it passes. */
@NullMarked
package io.weir.node.usage;

import org.jspecify.annotations.NullMarked;
