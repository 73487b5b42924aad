/** Fair order among those who wait. */
@NullMarked
package io.weir.core.fair;

import org.jspecify.annotations.NullMarked;
