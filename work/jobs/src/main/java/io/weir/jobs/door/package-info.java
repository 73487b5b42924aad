/** The doors and commands of jobs. */
@NullMarked
package io.weir.jobs.door;

import org.jspecify.annotations.NullMarked;
