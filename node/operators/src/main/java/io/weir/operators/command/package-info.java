/** The commands of operators who look. */
@NullMarked
package io.weir.operators.command;

import org.jspecify.annotations.NullMarked;
