/** The configuration of a node. */
@NullMarked
package io.weir.node.config;

import org.jspecify.annotations.NullMarked;
