package io.weir.node.extension;

import io.vertx.core.Vertx;
import io.weir.node.intake.ServiceRequests;
import io.weir.node.upstream.Sender;

/**
 * The parts of one event loop that extensions use.
 *
 * @param node the parts that all event loops share
 * @param services reads the requests of services, which show the service token
 * @param sender sends requests to upstreams
 */
public record LoopParts(NodeParts node, Vertx vertx, ServiceRequests services, Sender sender) {}
