@NullMarked
package io.weir.operators.status;

import org.jspecify.annotations.NullMarked;
