package io.weir.client.retry;

import java.util.List;
import java.util.Optional;

/** The headers of an answer. */
@FunctionalInterface
public interface Headers {
  /** All values of a header, in order; names are case-insensitive. */
  List<String> all(String name);

  /** The first value of a header. */
  default Optional<String> first(String name) {
    List<String> values = all(name);
    return values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
  }
}
