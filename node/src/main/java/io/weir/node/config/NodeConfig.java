package io.weir.node.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a node is told when it starts. {@code docs/reference/configuration.md} describes every field.
 *
 * @param host the address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param adminHost the address for policy, health and metrics, where they have a port of their own
 * @param adminPort that port; empty where they are on the other one
 * @param redisUri the shared state
 * @param policyFile published where Redis has no policy
 * @param policyCopy where the policy in force is kept, to start while Redis is away; empty for nowhere
 * @param serviceToken what trusted services show; in clear or as hash
 * @param adminToken what operators show; in clear or as hash
 * @param redisTimeout how long a decision may wait for Redis
 * @param redisWait how long a node that starts waits for Redis; zero for one try
 * @param eventLoops how many threads serve requests, each with a connection to Redis of its own
 * @param shutdownDelay how long the node still serves, and says that it is not ready, before it stops
 * @param shutdownTimeout how long requests in flight may take when the node stops
 * @param corsOrigins of the web pages whose scripts may call the node; a star for any
 */
public record NodeConfig(
    String host,
    int port,
    String adminHost,
    OptionalInt adminPort,
    String redisUri,
    Path policyFile,
    Optional<Path> policyCopy,
    Optional<String> serviceToken,
    Optional<String> adminToken,
    Duration redisTimeout,
    Duration redisWait,
    int eventLoops,
    Duration shutdownDelay,
    Duration shutdownTimeout,
    List<String> corsOrigins) {

  @Override
  public String toString() {
    return "NodeConfig[%s:%d]".formatted(host, port); // tokens and passwords stay here
  }
}
