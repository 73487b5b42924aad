/** What operators change while everything runs. */
@NullMarked
package io.weir.operators.steer;

import org.jspecify.annotations.NullMarked;
