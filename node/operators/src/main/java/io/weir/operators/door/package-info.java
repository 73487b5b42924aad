/** The doors through which operators look. */
@NullMarked
package io.weir.operators.door;

import org.jspecify.annotations.NullMarked;
