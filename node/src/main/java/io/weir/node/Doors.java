package io.weir.node;

import io.weir.node.admin.Readiness;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig;
import io.weir.node.gateway.WaitingRoom;
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
    WaitingRoom waiting,
    NodeMetrics metrics,
    String openApi) {}
