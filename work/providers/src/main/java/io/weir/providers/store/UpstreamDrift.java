package io.weir.providers.store;

import io.weir.providers.rule.Upstreams;
import io.weir.state.audit.DriftCheck;
import io.weir.state.wire.LuaLibrary;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares the counts of providers with the requests that are under way to them. */
public final class UpstreamDrift {
  /** The check of all upstreams of a policy. */
  public static final DriftCheck CHECK = new DriftCheck(
      "upstream",
      LuaLibrary.of("upstream_drift", List.of("upstream_drift")).script("upstream_drift"),
      UpstreamKeys::of,
      policy -> Upstreams.of(policy).keySet().stream()
          .collect(Collectors.toMap(Function.identity(), name -> List.of())));

  private UpstreamDrift() {}
}
