/** All stores of a program, one behind the other. */
@NullMarked
package io.weir.state.chain;

import org.jspecify.annotations.NullMarked;
