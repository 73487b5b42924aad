/** The settings and the states of jobs. */
@NullMarked
package io.weir.jobs.rule;

import org.jspecify.annotations.NullMarked;
