/** Reservations for services that settle by themselves: reserve, settle, cancel, renew. */
@NullMarked
package io.weir.node.reservation;

import org.jspecify.annotations.NullMarked;
