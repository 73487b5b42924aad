/** An access log under other limits: who would have been limited, when, and by what. */
@NullMarked
package io.weir.operators.replay;

import org.jspecify.annotations.NullMarked;
