package io.weir.core.policy.read;

import io.weir.core.policy.schema.Field;
import java.util.List;

/** The fields that an upstream has, whether it is one server or made of providers. */
public final class UpstreamFields {
  /** How long a connection may take. */
  public static final Field<Long> CONNECT_TIMEOUT = Field.number(
          "connectTimeoutMs", 1, 60_000, "how long a connection may take, in milliseconds")
      .or(1000L);

  /** The longest time without any data. */
  public static final Field<Long> TIMEOUT = Field.number(
          "timeoutMs", 1, 110_000, "the longest time in which nothing moves, in milliseconds")
      .or(30_000L);

  /** The longest request body. */
  public static final Field<Long> MAX_BODY_BYTES =
      Field.number("maxBodyBytes", 0, 1L << 40, "the longest request body").or(10L << 20);

  /** Whether a repeated key is safe. */
  public static final Field<Boolean> HONOURS_KEYS = Field.flag(
      "honoursIdempotencyKeys",
      "whether the server acts only once on all requests with one `Idempotency-Key`");

  /** All of them. */
  public static final List<Field<?>> ALL =
      List.of(CONNECT_TIMEOUT, TIMEOUT, MAX_BODY_BYTES, HONOURS_KEYS);

  private UpstreamFields() {}
}
