/** Windows of ordered ranges: opened one after another, worked on in any order, and committed in order. */
@NullMarked
package io.weir.windows;

import org.jspecify.annotations.NullMarked;
