package io.weir.node.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The configuration of a node. {@code docs/reference/configuration.md} describes every field.
 *
 * @param host the address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param adminHost the address of the admin port, if there is one
 * @param adminPort the port for policy, health and metrics; empty if they are on {@code port}
 * @param redisUri the shared state
 * @param policyFile published if Redis has no policy
 * @param policyCopy where the policy in force is stored, to start while Redis is away; empty for nowhere
 * @param serviceToken the token of trusted services; in clear or as hash
 * @param adminToken the token of operators; in clear or as hash
 * @param redisTimeout how long a decision may wait for Redis
 * @param redisWait how long a node that starts waits for Redis; zero for one try
 * @param eventLoops the number of threads that serve requests, each with its own connection to Redis
 * @param shutdownDelay how long the node still serves, and reports that it is not ready, before it stops
 * @param shutdownTimeout how long requests in flight may take when the node stops
 * @param corsOrigins origins of web pages whose scripts may call the node; a star for any
 * @param tls of the port for callers; empty for plain HTTP
 * @param watchesPolicy whether the policy file is published whenever it changes
 * @param reports what the node tells others of its own accord
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
    List<String> corsOrigins,
    Optional<Tls> tls,
    boolean watchesPolicy,
    Reports reports) {

  @Override
  public String toString() {
    return "NodeConfig[%s:%d]".formatted(host, port); // tokens and passwords are left out
  }
}
