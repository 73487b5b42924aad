/**
 * JSON of callers and upstreams, read within bounds: long documents as a stream, only small ones as trees of objects.
 */
@NullMarked
package io.weir.node.json;

import org.jspecify.annotations.NullMarked;
