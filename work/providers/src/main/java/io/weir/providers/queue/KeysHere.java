package io.weir.providers.queue;

import io.weir.providers.rule.KeySlot;
import io.weir.providers.rule.Providers;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The provider keys that this node has in its environment. Safe for use by many threads. */
public final class KeysHere {
  private static final Logger LOG = LoggerFactory.getLogger(KeysHere.class);
  private static final int MAX_KNOWN = 200;
  private static final Pattern SENDABLE = Pattern.compile("[\\x20-\\x7e]+");

  private final Function<String, @Nullable String> environment;
  private final Map<Providers, Providers> known = new ConcurrentHashMap<>();
  private final Set<String> missing = ConcurrentHashMap.newKeySet();

  /** @param environment gives the value of a variable */
  public KeysHere(Function<String, @Nullable String> environment) {
    this.environment = environment;
  }

  /** An upstream with only the keys that this node has. */
  public Providers of(Providers upstream) {
    if (known.size() > MAX_KNOWN) {
      known.clear(); // of earlier policies
    }
    return known.computeIfAbsent(upstream, all -> all.withKeys(key -> value(key).isPresent()));
  }

  /** The value of a key's header. */
  public Optional<String> value(KeySlot key) {
    String secret = environment.apply(key.variable());
    if (secret == null || !SENDABLE.matcher(secret.strip()).matches()) {
      if (missing.add(key.variable())) {
        LOG.warn(
            "the key {} is not used by this node: {} is not set, or cannot be sent in a header",
            key.name(),
            key.variable());
      }
      return Optional.empty();
    }
    return Optional.of(key.prefix() + secret.strip());
  }
}
