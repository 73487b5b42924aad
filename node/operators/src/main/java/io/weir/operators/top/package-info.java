/** The callers that are denied most, and those that are nearly denied, counted in bounded memory. */
@NullMarked
package io.weir.operators.top;

import org.jspecify.annotations.NullMarked;
