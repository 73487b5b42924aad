/** Weir and its peers side by side, on the same Redis, in the same run. */
@NullMarked
package io.weir.benchmarks;

import org.jspecify.annotations.NullMarked;
