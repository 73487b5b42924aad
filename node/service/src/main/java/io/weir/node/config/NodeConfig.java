package io.weir.node.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration of a node. {@code docs/reference/configuration.md} describes every setting.
 *
 * @param redis the shared state
 * @param reports what the node tells others of its own accord
 */
public record NodeConfig(
    Listening listening,
    Redis redis,
    PolicyFile policy,
    Tokens tokens,
    Running running,
    Reports reports) {

  /** An address to listen on. The port is 0 for any free one. */
  public record Address(String host, int port) {
    /** The host and the port as in a URL: an address of IPv6 is in brackets. */
    @Override
    public String toString() {
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  /**
   * The addresses on which the node listens.
   *
   * @param operators for policy, health and metrics; empty if they are at the address for callers
   * @param services for other protocols, those that the node serves
   * @param tls of the port for callers, and of those for other protocols; empty for none
   * @param corsOrigins origins of web pages whose scripts may call the node; a star for any
   */
  public record Listening(
      Address callers,
      Optional<Address> operators,
      Map<ServicePort, Address> services,
      Optional<Tls> tls,
      List<String> corsOrigins) {
    public Listening {
      services = Map.copyOf(services);
      corsOrigins = List.copyOf(corsOrigins);
    }
  }

  /**
   * The shared state.
   *
   * @param timeout how long a decision may wait for it
   * @param startTimeout how long a node that starts waits for it; zero for one try
   */
  public record Redis(String uri, Duration timeout, Duration startTimeout) {
    @Override
    public String toString() {
      return "Redis[]"; // the URI may contain a password
    }
  }

  /**
   * The source of the policy.
   *
   * @param file published if Redis has no policy
   * @param copy where the policy in force is stored, to start while Redis is away; empty for nowhere
   * @param isWatched whether the file is published whenever it changes
   */
  public record PolicyFile(Path file, Optional<Path> copy, boolean isWatched) {}

  /**
   * The tokens that the node knows by itself, each in clear or as hash.
   *
   * @param service of trusted services
   * @param admin of operators
   */
  public record Tokens(Optional<String> service, Optional<String> admin) {
    @Override
    public String toString() {
      return "Tokens[]";
    }
  }

  /**
   * How the node runs and ends.
   *
   * @param eventLoops the number of threads that serve requests, each with its own connection to Redis
   * @param connections the most connections that are open at once, but those of operators at their own port
   * @param shutdownDelay how long the node still serves, and reports that it is not ready, before it stops
   * @param shutdownTimeout how long requests in flight may take when the node stops
   */
  public record Running(
      int eventLoops, int connections, Duration shutdownDelay, Duration shutdownTimeout) {
    /** The part of one event loop. */
    public int connectionsOfLoop() {
      return Math.max(1, connections / eventLoops);
    }
  }

  @Override
  public String toString() {
    return "NodeConfig[" + listening.callers() + "]";
  }
}
