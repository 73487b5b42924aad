/** Traces: which trace a request belongs to, and what an extension that records traces is told. */
@NullMarked
package io.weir.node.trace;

import org.jspecify.annotations.NullMarked;
