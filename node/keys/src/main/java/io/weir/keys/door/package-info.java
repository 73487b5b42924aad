/** The doors for operators. */
@NullMarked
package io.weir.keys.door;

import org.jspecify.annotations.NullMarked;
