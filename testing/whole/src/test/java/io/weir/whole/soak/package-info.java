/** Every capability under load for hours, with faults: what nodes hold stays flat, and no limit is passed. */
package io.weir.whole.soak;
