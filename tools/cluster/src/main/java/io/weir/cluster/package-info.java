/** The command line with everything: a node's commands, a local cluster and its demos. */
@NullMarked
package io.weir.cluster;

import org.jspecify.annotations.NullMarked;
