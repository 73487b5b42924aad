package io.weir.keys.record;

import io.weir.core.policy.SecretHash;
import java.util.OptionalLong;

/**
 * One of the secrets of a key.
 *
 * @param endsMillis the moment from which it is no longer valid, by Redis's clock; empty for never
 */
public record Secret(SecretHash hash, OptionalLong endsMillis) {
  private static final char END = '@';

  /** A secret without an end. */
  public static Secret of(SecretHash hash) {
    return new Secret(hash, OptionalLong.empty());
  }

  /** Whether it is valid at this moment. */
  public boolean isValidAt(long nowMillis) {
    return endsMillis.isEmpty() || nowMillis < endsMillis.getAsLong();
  }

  String text() {
    return hash.compact() + (endsMillis.isPresent() ? "" + END + endsMillis.getAsLong() : "");
  }

  static Secret parse(String text) {
    int end = text.indexOf(END);
    return end < 0
        ? of(SecretHash.ofCompact(text))
        : new Secret(
            SecretHash.ofCompact(text.substring(0, end)),
            OptionalLong.of(Long.parseLong(text.substring(end + 1))));
  }
}
