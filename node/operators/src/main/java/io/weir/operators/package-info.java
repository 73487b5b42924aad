/** Who is limited, why, and what would happen: what operators see. */
@NullMarked
package io.weir.operators;

import org.jspecify.annotations.NullMarked;
