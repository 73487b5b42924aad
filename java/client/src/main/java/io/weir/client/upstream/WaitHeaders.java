package io.weir.client.upstream;

import io.weir.client.retry.Headers;
import java.util.List;
import java.util.stream.Collectors;

/** Selects the headers of a provider's answer that a node needs: those about a wait or the load. */
final class WaitHeaders {
  private static final List<String> NAMES = List.of(
      "Retry-After",
      "Retry-After-Ms",
      "RateLimit",
      "RateLimit-Reset",
      "X-RateLimit-Reset",
      "Date",
      "x-ratelimit-remaining-requests",
      "x-ratelimit-reset-requests",
      "x-ratelimit-remaining-tokens",
      "x-ratelimit-reset-tokens",
      "anthropic-ratelimit-unified-status",
      "anthropic-ratelimit-unified-reset",
      "anthropic-ratelimit-requests-remaining",
      "anthropic-ratelimit-requests-reset",
      "anthropic-ratelimit-tokens-remaining",
      "anthropic-ratelimit-tokens-reset",
      "anthropic-ratelimit-input-tokens-remaining",
      "anthropic-ratelimit-input-tokens-reset",
      "anthropic-ratelimit-output-tokens-remaining",
      "anthropic-ratelimit-output-tokens-reset",
      "endpoint-load-metrics");
  private static final int LONGEST = 400;

  private WaitHeaders() {}

  /** The present ones, as a JSON object. */
  static String json(Headers headers) {
    return NAMES.stream()
        .filter(name -> !headers.all(name).isEmpty())
        .map(name -> "\"%s\":\"%s\"".formatted(name, escaped(String.join(", ", headers.all(name)))))
        .collect(Collectors.joining(",", "{", "}"));
  }

  // Header values contain only printable characters and tabs.
  private static String escaped(String value) {
    String part = value.length() > LONGEST ? "" : value;
    return part.replaceAll("[^\\x20-\\x7e]", " ").replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
