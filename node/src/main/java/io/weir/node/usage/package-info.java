/** Reads from an upstream's answer, as it passes, what a request has cost. */
@NullMarked
package io.weir.node.usage;

import org.jspecify.annotations.NullMarked;
