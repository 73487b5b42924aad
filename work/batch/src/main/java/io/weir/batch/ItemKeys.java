package io.weir.batch;

import io.weir.core.bucket.Names;
import io.weir.state.wire.RedisKeys;

/** The keys of the outcomes of items in Redis. */
public final class ItemKeys {
  private ItemKeys() {}

  /** A hash: the outcome of an item; {@code item} is derived from its idempotency key. */
  public static String answer(String tenant, String subject, String item) {
    return RedisKeys.ofTenant(tenant) + ":answer:" + Names.escaped(subject) + ":" + item;
  }

  /** A number: the bytes of all answers kept for one API key. */
  static String answerBytes(String tenant, String subject) {
    return RedisKeys.ofTenant(tenant) + ":answers:" + Names.escaped(subject);
  }
}
