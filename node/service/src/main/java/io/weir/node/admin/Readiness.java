package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.RoutedRequest;
import io.weir.state.connection.Faults;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a node should get requests: it is not stopping, and the shared state either takes writes or is away
 * while some plan is served all the same. Mutable; safe for use by many threads.
 */
public final class Readiness {
  private static final int MAX_REASON = 100;
  private static final long FRESH_NANOS = 200_000_000;

  private final Supplier<Future<Void>> probe;
  private final BooleanSupplier servesInOutage;
  private final Supplier<String> commands;
  private final Supplier<Optional<WatchedFile.State>> policyFile;
  private volatile boolean stopping;
  private @Nullable Future<Void> last;
  private long lastNanos;

  /**
   * @param probe writes to the shared state
   * @param servesInOutage whether some plan is served while the shared state is away
   * @param commands how commands are sent to the shared state, for people
   * @param policyFile the state of the policy file, if the node follows one
   */
  public Readiness(
      Supplier<Future<Void>> probe,
      BooleanSupplier servesInOutage,
      Supplier<String> commands,
      Supplier<Optional<WatchedFile.State>> policyFile) {
    this.probe = probe;
    this.servesInOutage = servesInOutage;
    this.commands = commands;
    this.policyFile = policyFile;
  }

  /** The node is not ready from now on. */
  public void stop() {
    stopping = true;
  }

  /** Whether the node is stopping. */
  public boolean isStopping() {
    return stopping;
  }

  /** {@code GET /health/live}: the process serves. */
  Future<Void> live(RoutedRequest request) {
    return request.answer(200, new JsonObject().put("status", "live"));
  }

  /** {@code GET /health/ready}: 200 or 503. */
  Future<Void> ready(RoutedRequest request) {
    if (stopping) {
      throw new RefusedException(ProblemDetails.of(503, "stopping", "The node is stopping"));
    }
    return probed().transform(written -> {
      if (written.succeeded()) {
        return answer(request, "ready");
      }
      if (Faults.of(written.cause()).isOutage() && servesInOutage.getAsBoolean()) {
        return answer(request, "degraded");
      }
      return Future.failedFuture(new RefusedException(
          ProblemDetails.unavailable().with("reason", reason(written.cause()))));
    });
  }

  // Probes at most once per 200 ms, as this endpoint needs no token.
  private synchronized Future<Void> probed() {
    long now = System.nanoTime();
    if (last == null || now - lastNanos > FRESH_NANOS) {
      last = probe.get();
      lastNanos = now;
    }
    return last;
  }

  private Future<Void> answer(RoutedRequest request, String status) {
    JsonObject answer = new JsonObject().put("status", status).put("commands", commands.get());
    policyFile.get().ifPresent(state -> answer.put("policyFile", state.word()));
    return request.answer(200, answer);
  }

  private static String reason(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = String.valueOf(cause.getMessage());
    return message.substring(0, Math.min(MAX_REASON, message.length()));
  }
}
