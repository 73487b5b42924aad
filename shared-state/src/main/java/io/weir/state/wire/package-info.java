/** Data exchanged with Redis: keys, packed charges, templates, states, replies and their codes. */
@NullMarked
package io.weir.state.wire;

import org.jspecify.annotations.NullMarked;
