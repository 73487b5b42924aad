package io.weir.spring.web;

import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
import io.weir.core.answer.ProblemText;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.spring.call.RateLimitedException;
import java.net.URI;
import java.util.Map;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Answers requests whose controllers called a limited method: as the filter does. */
@ControllerAdvice
@Order(0)
public final class LimitedCallAdvice {
  /** A limited method was not allowed. */
  @ExceptionHandler(RateLimitedException.class)
  ResponseEntity<ProblemDetail> limited(RateLimitedException error) {
    HttpHeaders headers = new HttpHeaders();
    AnswerFields.set(error.decision(), headers::set);
    return answer(error.problem(), headers);
  }

  /** The shared state is away. */
  @ExceptionHandler(StoreUnavailableException.class)
  ResponseEntity<ProblemDetail> away(StoreUnavailableException error) {
    return answer(Problem.unavailable(), new HttpHeaders());
  }

  private static ResponseEntity<ProblemDetail> answer(Problem problem, HttpHeaders headers) {
    ProblemText.fields(problem).forEach((name, value) -> {
      if (headers.getFirst(name) == null) {
        headers.set(name, value);
      }
    });
    ProblemDetail detail = ProblemDetail.forStatus(problem.status());
    detail.setType(URI.create(problem.type()));
    detail.setTitle(problem.title());
    detail.setProperty("code", problem.code());
    for (Map.Entry<String, Object> member : problem.more().entrySet()) {
      detail.setProperty(member.getKey(), member.getValue());
    }
    headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    return ResponseEntity.status(problem.status()).headers(headers).body(detail);
  }
}
