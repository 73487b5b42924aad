/** Answers over HTTP: headers, problem details, decisions as JSON. */
@NullMarked
package io.weir.node.answer;

import org.jspecify.annotations.NullMarked;
