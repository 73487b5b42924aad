/**
 * The model: buckets, kinds, places and leases in memory, in the plainest form. Tests compare Redis with it, {@code
 * replay-vectors} and benchmarks run it; no production code depends on it.
 */
@NullMarked
package io.weir.model;

import org.jspecify.annotations.NullMarked;
