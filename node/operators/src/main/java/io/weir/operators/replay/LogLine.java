package io.weir.operators.replay;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A request of an access log. Immutable.
 *
 * @param subject who asked
 * @param operation if the log names it
 * @param cost in operations, if the log names it
 */
record LogLine(
    LogTime time,
    String subject,
    RequestLine request,
    Optional<String> operation,
    OptionalLong cost) {

  /** In microseconds since the epoch. */
  long atMicros() {
    return time.micros();
  }

  LogLine at(long micros) {
    return new LogLine(
        new LogTime(micros, time.isWholeSecond()), subject, request, operation, cost);
  }

  String method() {
    return request.method();
  }

  /** The path, without its query. */
  String path() {
    int query = request.target().indexOf('?');
    return query < 0 ? request.target() : request.target().substring(0, query);
  }
}
