package io.weir.node;

import io.weir.node.admin.Readiness;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig;
import io.weir.node.gateway.BatchMark;
import io.weir.node.gateway.Seats;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.control.ClusterPolicy;
import io.weir.state.redis.RedisAnswers;

/** What all event loops of a node share. */
record Doors(
    NodeConfig config,
    ClusterPolicy policies,
    Decider decider,
    TokenGuard services,
    TokenGuard operators,
    Readiness readiness,
    Seats seats,
    RedisAnswers answers,
    BatchMark mark,
    NodeMetrics metrics,
    String openApi) {}
