/** Traces of requests, from the node's port to the script in Redis, sent to a collector by OTLP. */
@NullMarked
package io.weir.operators.traces;

import org.jspecify.annotations.NullMarked;
