/** The decision on a request at this moment, and its reasons. */
@NullMarked
package io.weir.operators.explain;

import org.jspecify.annotations.NullMarked;
