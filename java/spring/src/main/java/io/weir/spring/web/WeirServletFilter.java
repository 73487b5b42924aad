package io.weir.spring.web;

import static io.weir.spring.web.RequestRules.PATH_AMBIGUOUS;

import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
import io.weir.core.answer.ProblemText;
import io.weir.core.policy.CallerNetwork;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.library.AcquireRequest;
import io.weir.library.Hold;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/** Limits the requests of servlets. A thread waits for the decision, at most twice the time-out of Redis. */
public final class WeirServletFilter extends OncePerRequestFilter implements Ordered {
  private final RequestRules rules;
  private final int order;

  /** @param order among the filters */
  public WeirServletFilter(RequestRules rules, int order) {
    this.rules = rules;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String path = path(request);
    Optional<List<String>> segments = rules.segments(path);
    boolean isPreFlight = CorsUtils.isPreFlightRequest(request);
    if (segments.isEmpty() && !isPreFlight && rules.mayConcern(path)) {
      refuse(response, PATH_AMBIGUOUS);
      return;
    }
    Optional<String> operation =
        segments.flatMap(known -> rules.operation(request.getMethod(), known));
    if (operation.isEmpty() || isPreFlight) {
      chain.doFilter(request, response);
      return;
    }
    Optional<String> shown = shown(request);
    Optional<String> subject = shown.flatMap(rules::subject);
    if (subject.isEmpty()) {
      refuse(response, rules.unknown(shown));
      return;
    }
    AcquireRequest ask = AcquireRequest.ofRequest(
        subject.get(),
        operation.get(),
        Optional.ofNullable(request.getHeader(AnswerFields.RETRY_TICKET)),
        Collections.list(request.getHeaders("Prefer")));
    limit(ask, request, response, chain);
  }

  private void limit(
      AcquireRequest ask,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws ServletException, IOException {
    Hold hold;
    try {
      hold = rules.weir().blocking().enter(ask);
    } catch (StoreUnavailableException e) {
      refuse(response, Problem.unavailable());
      return;
    } catch (UnknownSubjectException e) {
      refuse(response, Problem.keyInvalid()); // it was removed meanwhile
      return;
    }
    AnswerFields.set(hold.decision(), response::setHeader);
    if (!hold.isAllowed()) {
      refuse(response, Problem.refusing(ask.operation(), hold.decision()));
      return;
    }
    try {
      chain.doFilter(request, response);
    } finally {
      end(hold, request);
    }
  }

  // A request that goes on after its thread holds its permits until it is complete.
  private static void end(Hold hold, HttpServletRequest request) {
    try {
      if (request.isAsyncStarted()) {
        request.getAsyncContext().addListener(new Ending(hold));
        return;
      }
    } catch (IllegalStateException e) {
      // It was completed meanwhile.
    }
    hold.close();
  }

  private record Ending(Hold hold) implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {
      hold.close();
    }

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this);
    }
  }

  // The path below that of the application.
  private static String path(HttpServletRequest request) {
    String path = request.getRequestURI().substring(request.getContextPath().length());
    return path.isEmpty() ? "/" : path;
  }

  private Optional<String> shown(HttpServletRequest request) {
    return switch (rules.from()) {
      case HEADER -> rules.keyIn(request::getHeader);
      case PRINCIPAL -> principal(request).map(Principal::getName);
      case CLAIM -> principal(request).flatMap(known -> Claims.of(known, rules.name()));
      case ADDRESS -> Optional.ofNullable(request.getRemoteAddr()).map(CallerNetwork::of);
    };
  }

  private static Optional<Principal> principal(HttpServletRequest request) {
    return Optional.ofNullable(request.getUserPrincipal());
  }

  private static void refuse(HttpServletResponse response, Problem problem) throws IOException {
    ProblemText.fields(problem).forEach((name, value) -> {
      if (!response.containsHeader(name)) {
        response.setHeader(name, value);
      }
    });
    byte[] body = ProblemText.json(problem).getBytes(StandardCharsets.UTF_8);
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
