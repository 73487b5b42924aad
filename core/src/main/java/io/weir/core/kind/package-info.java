/**
 * The kinds of demand besides rates: quotas, permits, congestion; and reservations over all of them. Pure, without
 * clock or I/O. Each kind is one file here and one in {@code lua/lib}.
 */
@NullMarked
package io.weir.core.kind;

import org.jspecify.annotations.NullMarked;
