package io.weir.client.retry;

import io.weir.client.answer.AnswerStatus;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;

/**
 * The outcome of one attempt.
 *
 * @param reason the status, or the kind of failure
 * @param detail the same for logs: with the message of the failure
 * @param isRetryable whether the call may be sent again
 * @param standing the conclusion about the upstream
 * @param namedMillis the wait given by the server
 * @param ticket the ticket given by the server
 */
record CallOutcome(
    String reason,
    String detail,
    boolean isRetryable,
    Standing standing,
    OptionalLong namedMillis,
    Optional<String> ticket) {
  private static final int MAX_CAUSES = 8;
  private static final int MAX_MESSAGE = 200;

  /** The conclusion about the upstream. */
  enum Standing {
    WELL,
    /** It works, but its load is too high. */
    BUSY,
    ILL,
    /** The outcome says nothing about it. */
    UNKNOWN
  }

  /** The outcome of an answer. */
  static CallOutcome of(int status, Headers headers, Instant now, Call<?> call) {
    boolean isRetryable =
        call.isTransient(status) && (call.isRepeatable() || isUndone(status, headers));
    String text = Integer.toString(status);
    return isRetryable
        ? new CallOutcome(
            text,
            text,
            true,
            standing(status),
            RetryAfterHeaders.millis(status, headers, now),
            headers.first("Retry-Ticket"))
        : new CallOutcome(
            text, text, false, standing(status), OptionalLong.empty(), Optional.empty());
  }

  /** The outcome of a call without an answer. */
  static CallOutcome of(Throwable failure, Call<?> call) {
    return new CallOutcome(
        failure.getClass().getSimpleName(),
        detail(failure),
        call.isTransient(failure) && (call.isRepeatable() || isUnsent(failure)),
        call.isTransport(failure) || failure instanceof SSLHandshakeException
            ? Standing.ILL
            : Standing.UNKNOWN,
        failure instanceof RetryLaterException later && !later.retryAfter().isZero()
            ? OptionalLong.of(later.retryAfter().plusNanos(999_999).toMillis())
            : OptionalLong.empty(),
        Optional.empty());
  }

  /** Whether the failure was caused by the connection to the upstream. */
  static boolean isTransport(Throwable failure) {
    return !(failure instanceof SSLHandshakeException || failure instanceof RetryLaterException)
        && (failure instanceof IOException
            || failure instanceof TimeoutException
            || failure instanceof UnresolvedAddressException);
  }

  // The JDK's client leaves some messages to the cause, as that of a refused connection.
  private static String detail(Throwable failure) {
    String kind = failure.getClass().getSimpleName();
    Throwable at = failure;
    for (int i = 0; i < MAX_CAUSES && at != null; i++) {
      String message = at.getMessage();
      if (message != null && !message.isBlank()) {
        return kind + ": " + line(message);
      }
      at = at.getCause();
    }
    return kind;
  }

  private static String line(String message) {
    String line = message.strip().replaceAll("\\p{Cntrl}+", " ");
    return line.length() <= MAX_MESSAGE ? line : line.substring(0, MAX_MESSAGE) + "…";
  }

  private static Standing standing(int status) {
    if (AnswerStatus.isBusy(status)) {
      return Standing.BUSY;
    }
    return AnswerStatus.isFailure(status) ? Standing.ILL : Standing.WELL;
  }

  // A throttled request was not acted upon. Weir names itself in the answer if the request did not
  // reach the upstream (RFC 9209).
  private static boolean isUndone(int status, Headers headers) {
    return status == 429
        || (status == 503
            && headers.all("Proxy-Status").stream().anyMatch(value -> value.startsWith("weir;")));
  }

  private static boolean isUnsent(Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof HttpConnectTimeoutException
        || failure instanceof NoRouteToHostException
        || failure instanceof UnknownHostException
        || failure instanceof UnresolvedAddressException;
  }
}
