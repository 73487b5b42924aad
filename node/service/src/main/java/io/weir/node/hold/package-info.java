/** Holds of requests until they end: permits and reservations, renewed and ended by the node that has them. */
@NullMarked
package io.weir.node.hold;

import org.jspecify.annotations.NullMarked;
