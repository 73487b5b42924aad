/** Several calls that make sense only together. */
@NullMarked
package io.weir.client.unit;

import org.jspecify.annotations.NullMarked;
