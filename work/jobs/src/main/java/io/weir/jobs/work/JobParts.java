package io.weir.jobs.work;

import io.weir.jobs.store.RedisJobs;
import io.weir.node.room.NodeParts;

/**
 * The parts of the room that its doors and its worker share, for one node.
 *
 * @param results memory for results
 */
public record JobParts(
    NodeParts node, RedisJobs store, JobTokens tokens, JobMeters meters, ResultMemory results) {}
