package io.weir.node;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.admin.AdminDoor;
import io.weir.node.admin.Readiness;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.intake.Cors;
import io.weir.node.intake.Intake;
import io.weir.node.metrics.NodeMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * The admin port of a node that starts, until it serves: the node is alive, and tells by its readiness what it waits for.
 * Health, metrics and the description are served, and all other requests refused. Mutable; owned by the code that starts
 * the node; safe for use by many threads.
 */
final class StartPort implements AutoCloseable {
  private static final ProblemDetails STARTING =
      ProblemDetails.of(503, "node_starting", "The node does not serve yet");

  private static final String STARTS = "the node starts";

  private final Vertx vertx;
  private volatile String reason = STARTS;
  private String deployment = "";

  private StartPort(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Opens the admin port, if the node has one.
   *
   * @param openApi the OpenAPI description, as JSON
   * @throws UncheckedIOException if it is taken
   */
  static StartPort open(Vertx vertx, NodeConfig config, NodeMetrics metrics, String openApi) {
    StartPort port = new StartPort(vertx);
    if (config.listening().operators().isPresent()) {
      Readiness readiness = new Readiness(
          () -> Future.failedFuture(new IOException(port.reason)),
          () -> false,
          () -> "",
          Optional::empty);
      port.deployment = port.deployed(
          new Serving(config, metrics, new AdminDoor(readiness, metrics, openApi), port::refuse),
          config);
    }
    return port;
  }

  private String deployed(Serving serving, NodeConfig config) {
    try {
      return vertx
          .deployVerticle(serving)
          .toCompletionStage()
          .toCompletableFuture()
          .join();
    } catch (CompletionException e) {
      throw taken("--admin-port", config.listening().operators().orElseThrow(), e);
    }
  }

  /** The failure of a start that cannot listen on the port of this option. */
  static UncheckedIOException taken(String option, Address address, Exception cause) {
    String reason = rootMessage(cause);
    String remedy = reason.contains("in use") ? " (%s sets another)".formatted(option) : "";
    return new UncheckedIOException(
        new IOException("cannot listen on %s: %s%s".formatted(address, reason, remedy), cause));
  }

  private static String rootMessage(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }

  private RefusedException refuse() {
    return new RefusedException(STARTING.with("reason", reason));
  }

  /** The same supplier; if it fails because Redis does not answer, that is the reason from then on. */
  <T> Supplier<T> watching(Supplier<T> connect) {
    return () -> {
      try {
        T connected = connect.get();
        reason = STARTS;
        return connected;
      } catch (StoreUnavailableException e) {
        reason = "waiting for Redis: " + e.getMessage();
        throw e;
      }
    };
  }

  /** Ends: the node may listen on the port by itself. */
  @Override
  public void close() {
    if (!deployment.isEmpty()) {
      vertx.undeploy(deployment).toCompletionStage().toCompletableFuture().join();
      deployment = "";
    }
  }

  /** The server of the port. Mutable; owned by Vert.x, which closes it with the verticle. */
  private static final class Serving extends VerticleBase {
    private final NodeConfig config;
    private final NodeMetrics metrics;
    private final AdminDoor door;
    private final Supplier<RefusedException> refusal;

    Serving(
        NodeConfig config,
        NodeMetrics metrics,
        AdminDoor door,
        Supplier<RefusedException> refusal) {
      this.config = config;
      this.metrics = metrics;
      this.door = door;
      this.refusal = refusal;
    }

    @Override
    public Future<?> start() {
      Address own = config.listening().operators().orElseThrow();
      Intake intake = new Intake(
          vertx,
          List.of(door),
          request -> Future.failedFuture(refusal.get()),
          () -> true, // connections end with their answer: the node's own server follows
          metrics.http(),
          Cors.NONE);
      return intake.of(vertx.createHttpServer(NodeVerticle.adminOptions(own))).listen();
    }
  }
}
