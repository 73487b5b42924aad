package io.weir.node;

import io.weir.node.admin.Readiness;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Decider;
import io.weir.node.auth.TokenGuard;
import io.weir.node.batch.UnpaidWork;
import io.weir.node.config.NodeConfig;
import io.weir.node.intake.Bulkhead;
import io.weir.node.job.JobTokens;
import io.weir.node.job.JobWorker;
import io.weir.node.job.ResultMemory;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.provider.Breakers;
import io.weir.node.provider.KeysHere;
import io.weir.node.provider.ProviderPlaces;
import io.weir.node.provider.RetryBudgets;
import io.weir.state.control.ClusterPolicy;
import io.weir.state.redis.IdempotencyStore;
import io.weir.state.redis.RedisHolds;
import io.weir.state.redis.RedisJobs;
import io.weir.state.redis.RedisProviders;
import io.weir.state.redis.RedisWindows;

/**
 * The parts of a node that all its event loops share.
 *
 * @param store for reservations of services
 * @param worker does the jobs of this node
 * @param memory bytes of bodies that are being read
 * @param results memory for results of jobs
 * @param held requests that may be held until their slot
 * @param waiting requests that may wait for their jobs
 * @param batches that are running
 * @param unpaid bytes read for batches that no limit pays for
 */
record NodeContext(
    NodeConfig config,
    ClusterPolicy policies,
    Decider decider,
    Admission admission,
    RedisHolds store,
    RedisJobs jobs,
    JobTokens jobTokens,
    JobWorker worker,
    RedisProviders providers,
    RedisWindows windows,
    Breakers breakers,
    ProviderPlaces places,
    RetryBudgets budgets,
    KeysHere keys,
    TokenGuard services,
    TokenGuard operators,
    Readiness readiness,
    Bulkhead memory,
    ResultMemory results,
    Bulkhead held,
    Bulkhead waiting,
    Bulkhead batches,
    UnpaidWork unpaid,
    IdempotencyStore idempotency,
    NodeMetrics metrics,
    String openApi) {}
