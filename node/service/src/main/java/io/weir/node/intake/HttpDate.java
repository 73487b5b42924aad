package io.weir.node.intake;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/**
 * The {@code Date} header of answers (RFC 9110, section 6.6.1), formatted once a second. Mutable; owned by one event
 * loop.
 */
final class HttpDate {
  private static final long EVERY_MILLIS = 1000;

  private final Clock clock = Clock.systemUTC();
  private CharSequence text = made();

  HttpDate(Vertx vertx) {
    vertx.setPeriodic(EVERY_MILLIS, timer -> text = made());
  }

  CharSequence now() {
    return text;
  }

  private CharSequence made() {
    ZonedDateTime now = ZonedDateTime.now(clock.withZone(ZoneOffset.UTC));
    return HttpHeaders.createOptimized(DateTimeFormatter.RFC_1123_DATE_TIME.format(now));
  }
}
