package io.weir.core.policy;

import io.weir.core.bucket.Names;
import java.util.Optional;

/**
 * An API key as callers send it: {@code <id>.<secret>}. The id may be logged; the secret leaves this object only to be
 * compared.
 */
public final class ApiKey {
  private static final int MAX_LENGTH = 512;

  private final String id;
  private final String secret;

  private ApiKey(String id, String secret) {
    this.id = id;
    this.secret = secret;
  }

  /** Parses a key; empty if the text is malformed. */
  public static Optional<ApiKey> parse(String text) {
    int dot = text.indexOf('.');
    if (dot <= 0 || dot == text.length() - 1 || text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String id = text.substring(0, dot);
    return Names.isId(id) ? Optional.of(new ApiKey(id, text.substring(dot + 1))) : Optional.empty();
  }

  /** The public part. */
  public String id() {
    return id;
  }

  String secret() {
    return secret;
  }

  @Override
  public String toString() {
    return id;
  }
}
