/** Jobs: requests that are accepted now and done later, by whichever node. */
@NullMarked
package io.weir.node.job;

import org.jspecify.annotations.NullMarked;
