/** The doors of the page. */
@NullMarked
package io.weir.page.door;

import org.jspecify.annotations.NullMarked;
