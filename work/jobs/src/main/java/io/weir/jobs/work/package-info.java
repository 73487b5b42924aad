/** The work on jobs: workers, their requests to upstreams, and results. */
@NullMarked
package io.weir.jobs.work;

import org.jspecify.annotations.NullMarked;
