/** The last denials of each node. */
@NullMarked
package io.weir.operators.denial;

import org.jspecify.annotations.NullMarked;
