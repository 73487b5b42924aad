package io.weir.operators.warning;

import io.weir.operators.top.TenantMap;
import io.weir.operators.warning.LoopWarnings.Fill;
import org.jspecify.annotations.Nullable;

/** The limits whose state an event loop knows, in bounded memory. Mutable; owned by that event loop. */
final class Fills {
  static final int MOST = 4096;

  private final TenantMap<WatchedLimit, Fill> fills = new TenantMap<>(MOST);

  /** A limit of an owner, as a rule sees it. */
  private record WatchedLimit(String rule, String owner, String limit) {
    static WatchedLimit of(Warning warning) {
      return new WatchedLimit(
          warning.rule().id(), warning.owner(), warning.limit().bucket());
    }
  }

  private static String tenant(Warning warning) {
    return warning.question().subject().tenant();
  }

  @Nullable
  Fill get(Warning of) {
    return fills.get(tenant(of), WatchedLimit.of(of));
  }

  /** Adds a limit that is not known. */
  Fill put(Warning of) {
    Fill fill = new Fill();
    fills.put(tenant(of), WatchedLimit.of(of), fill);
    return fill;
  }

  void remove(Warning of) {
    fills.remove(tenant(of), WatchedLimit.of(of));
  }
}
