/**
 * The model: buckets, kinds, places and leases in memory, in the plainest form. Tests compare Redis with it, {@code
 * replay-vectors} and benchmarks run it. Of production only limits in the memory of one program depend on it.
 */
@NullMarked
package io.weir.inmemory;

import org.jspecify.annotations.NullMarked;
