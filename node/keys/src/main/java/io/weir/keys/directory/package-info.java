/** The records that a node knows. */
@NullMarked
package io.weir.keys.directory;

import org.jspecify.annotations.NullMarked;
