/** Jobs: requests that are accepted now and done later, by any node. */
@NullMarked
package io.weir.node.job;

import org.jspecify.annotations.NullMarked;
