/** The changes that operators make at run time. */
@NullMarked
package io.weir.operators.steer;

import org.jspecify.annotations.NullMarked;
