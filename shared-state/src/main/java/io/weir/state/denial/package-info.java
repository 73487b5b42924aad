/** Recent denials of Redis, from which a node answers itself. */
@NullMarked
package io.weir.state.denial;

import org.jspecify.annotations.NullMarked;
