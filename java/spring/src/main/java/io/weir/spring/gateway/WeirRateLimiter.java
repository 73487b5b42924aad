package io.weir.spring.gateway;

import io.weir.core.answer.AnswerFields;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.library.AcquireRequest;
import io.weir.library.Weir;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The limiter of the gateway's {@code RequestRateLimiter} filter, in place of {@code RedisRateLimiter}: the id that the
 * key resolver finds is the subject, and each denied caller gets its own {@code Retry-After}. The gateway's filter ends
 * the answer itself, so there is no body; the filter {@code Weir} has one.
 */
public final class WeirRateLimiter extends AbstractRateLimiter<RouteArguments> {
  private static final Logger LOG = LoggerFactory.getLogger(WeirRateLimiter.class);
  private static final String ARGUMENTS = "weir";
  private static final String UNAVAILABLE_WAIT = "1";

  private final Weir weir;

  /** @param weir decides */
  public WeirRateLimiter(Weir weir, ConfigurationService configuration) {
    super(RouteArguments.class, ARGUMENTS, configuration);
    this.weir = weir;
  }

  @Override
  public Mono<Response> isAllowed(String routeId, String id) {
    RouteArguments arguments = getConfig().get(routeId);
    String operation = arguments == null ? routeId : arguments.orElse(routeId);
    return Mono.fromCompletionStage(
            () -> weir.tryAcquire(AcquireRequest.of(id, operation).withoutTicket()))
        .map(WeirRateLimiter::response)
        .onErrorResume(
            StoreUnavailableException.class,
            e -> Mono.just(new Response(false, Map.of("Retry-After", UNAVAILABLE_WAIT))))
        .onErrorResume(UnknownSubjectException.class, e -> {
          LOG.debug("route {}: {}", routeId, e.getMessage());
          return Mono.just(new Response(false, Map.of()));
        })
        // Never at once: Reactor Netty may leave such an answer unsent if the one before came from
        // elsewhere.
        .publishOn(Schedulers.parallel());
  }

  private static Response response(Decision decision) {
    Map<String, String> headers = new LinkedHashMap<>();
    AnswerFields.set(decision, headers::put);
    return new Response(decision instanceof Allowed, headers);
  }
}
