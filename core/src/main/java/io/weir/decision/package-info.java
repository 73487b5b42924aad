/** What a caller is told: allowed, denied or never allowed, and how much is left. */
@NullMarked
package io.weir.decision;

import org.jspecify.annotations.NullMarked;
