/** What tests of stores share. */
@NullMarked
package io.weir.state.testing;

import org.jspecify.annotations.NullMarked;
