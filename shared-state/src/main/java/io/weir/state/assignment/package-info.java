/** Limits that are divided among clients. */
@NullMarked
package io.weir.state.assignment;

import org.jspecify.annotations.NullMarked;
