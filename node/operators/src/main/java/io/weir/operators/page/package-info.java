/** The page of operators: files for a browser, and its sessions. What it shows, it asks the admin API for. */
@NullMarked
package io.weir.operators.page;

import org.jspecify.annotations.NullMarked;
