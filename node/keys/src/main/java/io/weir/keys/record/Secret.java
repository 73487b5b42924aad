package io.weir.keys.record;

import io.weir.core.policy.SecretHash;
import java.util.OptionalLong;

/**
 * One of the secrets of a key.
 *
 * @param endsMillis the moment from which it is no longer valid, by Redis's clock; empty for never
 * @param isWhole whether it is the whole text of a key, which is found by its hash
 */
public record Secret(SecretHash hash, OptionalLong endsMillis, boolean isWhole) {
  private static final char END = '@';
  private static final String WHOLE = "*";

  /** A part of a key. */
  public Secret(SecretHash hash, OptionalLong endsMillis) {
    this(hash, endsMillis, false);
  }

  /** A secret without an end. */
  public static Secret of(SecretHash hash) {
    return new Secret(hash, OptionalLong.empty());
  }

  /** Whether it is valid at this moment. */
  public boolean isValidAt(long nowMillis) {
    return endsMillis.isEmpty() || nowMillis < endsMillis.getAsLong();
  }

  String text() {
    return hash.compact()
        + (isWhole ? WHOLE : "")
        + (endsMillis.isPresent() ? "" + END + endsMillis.getAsLong() : "");
  }

  static Secret parse(String text) {
    int end = text.indexOf(END);
    String hash = end < 0 ? text : text.substring(0, end);
    boolean isWhole = hash.endsWith(WHOLE);
    return new Secret(
        SecretHash.ofCompact(isWhole ? hash.substring(0, hash.length() - 1) : hash),
        end < 0 ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text.substring(end + 1))),
        isWhole);
  }
}
