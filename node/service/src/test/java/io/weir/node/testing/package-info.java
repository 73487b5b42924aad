/** The fixtures of tests of doors: a node, its policies, its upstreams. Other modules use this package, too. */
package io.weir.node.testing;
