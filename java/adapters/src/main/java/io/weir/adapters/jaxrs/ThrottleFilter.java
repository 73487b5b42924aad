package io.weir.adapters.jaxrs;

import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
import io.weir.core.answer.ProblemText;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.library.AcquireRequest;
import io.weir.library.Hold;
import io.weir.library.Weir;
import io.weir.state.wire.RandomId;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Limits the requests of JAX-RS 3 and later (Jersey, Quarkus), with the answers of Weir's gateway. Its thread waits for
 * the decision: where requests arrive on event loops, run it on threads that may be blocked. A hold is free when the
 * answer's head is made: not for bodies that are streamed for long, nor for requests that are suspended for good.
 */
public final class ThrottleFilter implements ContainerRequestFilter, ContainerResponseFilter {
  private static final String HOLD = "io.weir.hold";

  /** The property of this filter alone: a request may pass several. */
  private final String property = HOLD + "." + RandomId.next();

  private final Weir weir;
  private final Function<ContainerRequestContext, Optional<String>> operation;
  private final Function<ContainerRequestContext, Optional<String>> subject;

  /**
   * Limits by what these find in a request.
   *
   * @param operation the operation; without one the request is not limited
   * @param subject the authenticated caller; without one the request is refused with 401
   */
  public ThrottleFilter(
      Weir weir,
      Function<ContainerRequestContext, Optional<String>> operation,
      Function<ContainerRequestContext, Optional<String>> subject) {
    this.weir = weir;
    this.operation = operation;
    this.subject = subject;
  }

  @Override
  public void filter(ContainerRequestContext request) {
    Optional<String> asked = operation.apply(request);
    if (asked.isEmpty()) {
      return;
    }
    Optional<String> caller = subject.apply(request);
    if (caller.isEmpty()) {
      request.abortWith(refusal(Problem.keyMissing()));
      return;
    }
    try {
      Hold hold = weir.blocking().enter(ask(caller.get(), asked.get(), request));
      request.setProperty(property, hold);
      if (!hold.isAllowed()) {
        request.abortWith(refusal(Problem.refusing(asked.get(), hold.decision())));
      }
    } catch (StoreUnavailableException e) {
      request.abortWith(refusal(Problem.unavailable()));
    } catch (UnknownSubjectException e) {
      request.abortWith(refusal(Problem.keyInvalid()));
    }
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    if (request.getProperty(property) instanceof Hold hold) {
      hold.close();
      AnswerFields.set(
          hold.decision(), (name, value) -> response.getHeaders().putSingle(name, value));
    }
  }

  private static AcquireRequest ask(
      String caller, String operation, ContainerRequestContext request) {
    return AcquireRequest.ofRequest(
        caller,
        operation,
        Optional.ofNullable(request.getHeaderString(AnswerFields.RETRY_TICKET)),
        request.getHeaders().getOrDefault("Prefer", List.of()));
  }

  private static Response refusal(Problem problem) {
    Response.ResponseBuilder response = Response.status(problem.status())
        .type(Problem.MEDIA_TYPE)
        .entity(ProblemText.json(problem));
    ProblemText.fields(problem).forEach(response::header);
    return response.build();
  }
}
