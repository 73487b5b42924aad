/** The program: a node with all that it can do. An extension is a dependency of this module; nothing else names it. */
@NullMarked
package io.weir.program;

import org.jspecify.annotations.NullMarked;
