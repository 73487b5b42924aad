/** The last denials of each node. */
@NullMarked
package io.weir.insight.denial;

import org.jspecify.annotations.NullMarked;
