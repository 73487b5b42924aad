package io.weir.providers.store;

import io.weir.providers.rule.Upstreams;
import io.weir.state.audit.DriftCheck;

/** Compares the counts of providers with the requests that are under way to them. */
public final class UpstreamDrift {
  /** The check of all upstreams of a policy. */
  public static final DriftCheck CHECK = DriftCheck.ofNamed(
      "upstream",
      "upstream_drift",
      UpstreamKeys::of,
      policy -> Upstreams.of(policy).keySet());

  private UpstreamDrift() {}
}
