/** What a node can be told when it starts. */
@NullMarked
package io.weir.node.config;

import org.jspecify.annotations.NullMarked;
