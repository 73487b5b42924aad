package io.weir.insight.replay;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A request of an access log. Immutable.
 *
 * @param atMicros when, in microseconds since the epoch
 * @param subject who asked
 * @param method in upper case
 * @param target the path, with its query
 * @param operation if the log names it
 * @param cost in operations, if the log names it
 */
record LogLine(
    long atMicros,
    String subject,
    String method,
    String target,
    Optional<String> operation,
    OptionalLong cost) {
  LogLine at(long micros) {
    return new LogLine(micros, subject, method, target, operation, cost);
  }

  /** The path, without its query. */
  String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }
}
