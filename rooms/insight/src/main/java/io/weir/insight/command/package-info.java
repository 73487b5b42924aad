/** The commands of operators who look. */
@NullMarked
package io.weir.insight.command;

import org.jspecify.annotations.NullMarked;
