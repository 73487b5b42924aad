/** The doors of the page. */
@NullMarked
package io.weir.operators.page.door;

import org.jspecify.annotations.NullMarked;
