/** What would be decided now, and why. */
@NullMarked
package io.weir.insight.explain;

import org.jspecify.annotations.NullMarked;
