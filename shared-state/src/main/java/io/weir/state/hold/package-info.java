/** Reservations and permits in Redis. */
@NullMarked
package io.weir.state.hold;

import org.jspecify.annotations.NullMarked;
