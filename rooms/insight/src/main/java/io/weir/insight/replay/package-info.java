/** An access log under other limits: who would have been limited, when, and by what. */
@NullMarked
package io.weir.insight.replay;

import org.jspecify.annotations.NullMarked;
