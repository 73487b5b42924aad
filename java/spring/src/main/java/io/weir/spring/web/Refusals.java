package io.weir.spring.web;

import io.weir.core.answer.Problem;
import io.weir.core.answer.ProblemText;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Writes refusals of WebFlux. */
public final class Refusals {
  private Refusals() {}

  /** Ends an exchange with a refusal. */
  public static Mono<Void> write(ServerWebExchange exchange, Problem problem) {
    ServerHttpResponse response = exchange.getResponse();
    HttpHeaders headers = response.getHeaders();
    // The headers of a decision are set later, and take precedence.
    ProblemText.fields(problem).forEach(headers::set);
    byte[] body = ProblemText.json(problem).getBytes(StandardCharsets.UTF_8);
    response.setStatusCode(HttpStatusCode.valueOf(problem.status()));
    headers.setContentType(MediaType.parseMediaType(Problem.MEDIA_TYPE));
    headers.setContentLength(body.length);
    return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
  }
}
