/** JSON as a stream: nothing of a caller's document becomes a tree of objects. */
@NullMarked
package io.weir.node.json;

import org.jspecify.annotations.NullMarked;
