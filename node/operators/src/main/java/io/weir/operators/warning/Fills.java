package io.weir.operators.warning;

import io.weir.operators.warning.LoopWarnings.Fill;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The limits whose state an event loop knows, in bounded memory. A tenant with many of them forgets its own; a tenant
 * with few finds room beside it. Mutable; owned by that event loop.
 */
final class Fills {
  static final int MOST = 4096;
  static final int MOST_OF_TENANT = MOST / 4;
  static final int MOST_OF_QUIET_TENANT = 16;

  /** By tenant, and then by limit; those that were not used for the longest time first. */
  private final Map<String, Map<Place, Fill>> tenants = new LinkedHashMap<>(16, 0.75f, true);

  private int size;

  /** A limit of an owner, as a rule sees it. */
  private record Place(String rule, String owner, String limit) {
    static Place of(Warning warning) {
      return new Place(warning.rule().id(), warning.owner(), warning.limit().bucket());
    }
  }

  private static String tenant(Warning warning) {
    return warning.question().subject().tenant();
  }

  @Nullable
  Fill get(Warning of) {
    Map<Place, Fill> own = tenants.get(tenant(of));
    return own == null ? null : own.get(Place.of(of));
  }

  /** Adds a limit that is not known. */
  Fill put(Warning of) {
    Map<Place, Fill> own =
        tenants.computeIfAbsent(tenant(of), name -> new LinkedHashMap<>(16, 0.75f, true));
    if (own.size() >= MOST_OF_TENANT || (size >= MOST && own.size() >= MOST_OF_QUIET_TENANT)) {
      removeOldest(own);
    } else if (size >= MOST) {
      Map.Entry<String, Map<Place, Fill>> idlest = tenants.entrySet().iterator().next();
      removeOldest(idlest.getValue());
      if (idlest.getValue().isEmpty()) {
        tenants.remove(idlest.getKey());
      }
    }
    Fill fill = new Fill();
    own.put(Place.of(of), fill);
    size++;
    return fill;
  }

  private void removeOldest(Map<Place, Fill> own) {
    own.remove(own.keySet().iterator().next());
    size--;
  }

  void remove(Warning of) {
    Map<Place, Fill> own = tenants.get(tenant(of));
    if (own != null && own.remove(Place.of(of)) != null) {
      size--;
      if (own.isEmpty()) {
        tenants.remove(tenant(of));
      }
    }
  }
}
