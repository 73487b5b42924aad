/** The cases: who is limited, by which limit and since when, counted in bounded memory. */
@NullMarked
package io.weir.operators.cases;

import org.jspecify.annotations.NullMarked;
