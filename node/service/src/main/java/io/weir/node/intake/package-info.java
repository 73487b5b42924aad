/** The way into a node, the same for all doors: framing, bounds, bodies, and answers that end early. */
@NullMarked
package io.weir.node.intake;

import org.jspecify.annotations.NullMarked;
