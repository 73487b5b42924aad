package io.weir.node;

import io.weir.node.admin.Readiness;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig;
import io.weir.node.gateway.Seats;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.control.ClusterPolicy;

/** What all event loops of a node share. */
record Doors(
    NodeConfig config,
    ClusterPolicy policies,
    Decider decider,
    TokenGuard services,
    TokenGuard operators,
    Readiness readiness,
    Seats seats,
    NodeMetrics metrics,
    String openApi) {}
