/** The views of operators: limited callers, the reasons, and the effects of other limits. */
@NullMarked
package io.weir.operators;

import org.jspecify.annotations.NullMarked;
