/** What becomes of calls, for Micrometer. */
@NullMarked
package io.weir.client.metrics;

import org.jspecify.annotations.NullMarked;
