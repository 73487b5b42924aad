/** Fair order among those who wait. */
@NullMarked
package io.weir.core.turn;

import org.jspecify.annotations.NullMarked;
