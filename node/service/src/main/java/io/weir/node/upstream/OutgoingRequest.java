package io.weir.node.upstream;

import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.Destination;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.OperationUpstream;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.admission.Request;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A request as it is sent, whichever door it came through.
 *
 * @param caller for whom it is sent
 * @param rule empty if the policy does not list its operation
 * @param headers its headers, by server
 */
public record OutgoingRequest(
    Target target,
    Request request,
    Caller caller,
    Optional<OperationRule> rule,
    RequestHeaders headers) {

  /**
   * The destination of a request.
   *
   * @param group of the operations of the destination
   * @param place the only place to send it to, as of {@link SendSlot#place}; empty for any
   */
  public record Target(Destination to, String group, String place) {}

  /**
   * The API key that a request is sent for, and its tenant.
   *
   * @param key the id of the API key
   */
  public record Caller(String key, String tenant) {}

  /**
   * From an admitted request.
   *
   * @param caller the HTTP request that it came with
   */
  public static OutgoingRequest of(HttpServerRequest caller, IdentifiedRequest asked) {
    return new OutgoingRequest(
        new Target(asked.to(), asked.group(), ""),
        asked.request(),
        new Caller(asked.subject().id(), asked.subject().tenant()),
        asked.rule(),
        new ForwardedHeaders(caller, asked));
  }

  /** The largest number of attempts, by the settings of its destination. */
  public int attempts(Destination now) {
    if (!target.place().isEmpty()) {
      return 1; // its sender asks again by itself
    }
    OptionalLong configured =
        rule.map(known -> OperationUpstream.of(known).attempts()).orElseGet(OptionalLong::empty);
    return (int) configured.orElse(now.retry().attempts());
  }
}
