/** The question asked for each request, and the store that answers it for the whole cluster. */
@NullMarked
package io.weir.throttle;

import org.jspecify.annotations.NullMarked;
