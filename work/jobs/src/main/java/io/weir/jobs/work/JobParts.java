package io.weir.jobs.work;

import io.weir.jobs.store.RedisJobs;
import io.weir.node.extension.NodeParts;

/**
 * The parts of the extension that its doors and its worker share, for one node.
 *
 * @param results memory for results
 */
public record JobParts(
    NodeParts node, RedisJobs store, JobTokens tokens, JobMeters meters, ResultMemory results) {}
