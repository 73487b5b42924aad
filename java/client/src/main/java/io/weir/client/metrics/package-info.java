/** Micrometer metrics of calls. */
@NullMarked
package io.weir.client.metrics;

import org.jspecify.annotations.NullMarked;
