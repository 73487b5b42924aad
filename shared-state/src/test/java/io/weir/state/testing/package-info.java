/** The fixtures of tests of stores. */
@NullMarked
package io.weir.state.testing;

import org.jspecify.annotations.NullMarked;
