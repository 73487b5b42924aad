/** The program: a node with all its rooms. A room is a dependency of this module; nothing else names it. */
@NullMarked
package io.weir.server;

import org.jspecify.annotations.NullMarked;
