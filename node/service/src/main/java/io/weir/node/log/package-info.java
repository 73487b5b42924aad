/** Bounds for the log: neither callers nor upstreams decide how much a node writes, or its content. */
@NullMarked
package io.weir.node.log;

import org.jspecify.annotations.NullMarked;
