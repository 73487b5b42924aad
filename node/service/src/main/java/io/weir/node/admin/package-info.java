/** The doors for operators: policy, health, metrics, the interface's description. */
@NullMarked
package io.weir.node.admin;

import org.jspecify.annotations.NullMarked;
