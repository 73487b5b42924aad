/** The shared state in words, for operators. */
@NullMarked
package io.weir.state.inspect;

import org.jspecify.annotations.NullMarked;
