package io.weir.node.extension;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.weir.core.throttle.BucketStore;
import io.weir.node.admin.Operators;
import io.weir.node.admission.Admission;
import io.weir.node.auth.Identities;
import io.weir.node.config.NodeConfig;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.upstream.Turns;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.Holds;
import io.weir.state.policy.ClusterPolicy;
import java.time.Duration;
import java.util.function.Function;

/**
 * The parts of a node that extensions use.
 *
 * @param redis the connections for decisions
 * @param otherRedis opens connections of an extension's own with this timeout, for calls that take longer than
 *     decisions; the node closes them
 * @param operators admits operators to their doors
 * @param memory bytes of bodies that are being read
 * @param unpaid bytes of bodies that are read and that no limit pays for
 * @param store decides in the shared state alone, without leases and without shares for outages
 * @param holds of the requests of this node
 * @param turns gives turns at destinations with names to a worker of an extension, on its event loop, once the node
 *     serves
 */
public record NodeParts(
    Vertx vertx,
    NodeConfig config,
    RedisConnections redis,
    Function<Duration, RedisConnections> otherRedis,
    ClusterPolicy policies,
    Identities identities,
    Admission admission,
    BucketStore store,
    Operators operators,
    Bulkhead memory,
    UnpaidWork unpaid,
    MeterRegistry meters,
    Holds holds,
    Function<Vertx, Turns> turns) {}
