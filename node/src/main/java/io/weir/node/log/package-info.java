/** Bounds for the log: neither callers nor upstreams decide how much a node writes, or what. */
@NullMarked
package io.weir.node.log;

import org.jspecify.annotations.NullMarked;
