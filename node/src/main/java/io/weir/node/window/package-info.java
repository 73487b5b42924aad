/** Windows of ordered ranges, for planners and workers in any language. */
@NullMarked
package io.weir.node.window;

import org.jspecify.annotations.NullMarked;
