package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.weir.keys.identity.SubjectOwners.Owner;
import io.weir.state.wire.Sha256;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The owners of the names that are used most, which are found by the hash of a name. Mutable; safe for use by many
 * threads.
 */
final class RememberedOwners {
  /** As many as are in the cache: a name enters and leaves both at one time. */
  private final Map<String, String> nameByHash = new ConcurrentHashMap<>();

  private final Cache<String, SubjectOwners> byName;

  /** @param most names */
  RememberedOwners(int most) {
    this.byName = Caffeine.newBuilder()
        .maximumSize(most)
        .<String, SubjectOwners>evictionListener(
            (name, gone, cause) -> nameByHash.remove(hash(requireNonNull(name))))
        .build();
  }

  static String hash(String name) {
    return Sha256.hex(name.getBytes(UTF_8));
  }

  /** Remembers the owner of a name. */
  void add(String name, Owner owner) {
    SubjectOwners known = byName.getIfPresent(name);
    if (known == null || known.isNews(owner)) {
      byName.asMap().compute(name, (same, before) -> with(name, before, owner));
    }
  }

  private SubjectOwners with(String name, @Nullable SubjectOwners before, Owner owner) {
    SubjectOwners added = SubjectOwners.of(owner);
    if (before == null) {
      nameByHash.put(hash(name), name);
      return added;
    }
    return before.with(added);
  }

  SubjectOwners find(String hash) {
    return Optional.ofNullable(nameByHash.get(hash))
        .flatMap(name -> Optional.ofNullable(byName.getIfPresent(name)))
        .orElse(SubjectOwners.NONE);
  }

  /** The number of names that can be found, about. */
  int size() {
    return nameByHash.size();
  }
}
