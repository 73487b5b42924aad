/** Windows of ranges, for planners and workers. */
@NullMarked
package io.weir.client.window;

import org.jspecify.annotations.NullMarked;
