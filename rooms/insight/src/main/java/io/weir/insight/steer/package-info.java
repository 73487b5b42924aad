/** What operators change while everything runs. */
@NullMarked
package io.weir.insight.steer;

import org.jspecify.annotations.NullMarked;
