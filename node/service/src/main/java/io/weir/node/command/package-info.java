/** The command line. */
@NullMarked
package io.weir.node.command;

import org.jspecify.annotations.NullMarked;
