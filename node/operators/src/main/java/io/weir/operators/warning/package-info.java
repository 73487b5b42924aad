/** Warnings of limits that fill up, which receivers get by webhooks. */
@NullMarked
package io.weir.operators.warning;

import org.jspecify.annotations.NullMarked;
