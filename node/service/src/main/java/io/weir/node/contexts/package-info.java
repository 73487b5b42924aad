@NullMarked
package io.weir.node.contexts;

import org.jspecify.annotations.NullMarked;
