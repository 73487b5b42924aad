package io.weir.providers.queue;

import io.weir.providers.rule.Providers;
import io.weir.providers.store.RedisProviders;

/**
 * A request that may be sent.
 *
 * @param id in the shared state
 */
public record BookedSlot(
    Providers upstream, String id, String provider, String key, boolean isProbe) {
  /** Its name among the requests under way. */
  public String member() {
    return RedisProviders.member(id, provider);
  }

  /** A copy that is no longer a probe. */
  public BookedSlot afterProbe() {
    return new BookedSlot(upstream, id, provider, key, false);
  }

  /** The key slot, for {@link SlotRequest#before}. */
  public String place() {
    return provider + "/" + key;
  }

  /** The same if the key was refused. */
  public String placeOfRefusedKey() {
    return "!" + place();
  }
}
