/** A whole cluster on one machine, and what drives it. */
@NullMarked
package io.weir.demo.local;

import org.jspecify.annotations.NullMarked;
