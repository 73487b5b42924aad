/** The charge for each request, and the store that decides on it for the whole cluster. */
@NullMarked
package io.weir.core.throttle;

import org.jspecify.annotations.NullMarked;
