/** The doors through which operators look. */
@NullMarked
package io.weir.insight.door;

import org.jspecify.annotations.NullMarked;
