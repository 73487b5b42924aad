/** Jobs: requests that are accepted now and done later, by any node. */
@NullMarked
package io.weir.jobs;

import org.jspecify.annotations.NullMarked;
