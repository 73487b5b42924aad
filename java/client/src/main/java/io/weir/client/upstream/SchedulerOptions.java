package io.weir.client.upstream;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The nodes, upstream and group for which permits are requested.
 *
 * @param nodes base addresses, at least one; if a node is down, the next one is used from then on
 * @param serviceToken the service token of the nodes
 * @param upstream of the policy
 * @param group of operations; {@code default} if the policy defines none
 * @param patience how long one request waits at a node, at most a minute
 */
public record SchedulerOptions(
    List<URI> nodes, String serviceToken, String upstream, String group, Duration patience) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Set<String> SCHEMES = Set.of("http", "https");
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** @throws IllegalArgumentException with the problem */
  public SchedulerOptions {
    nodes = List.copyOf(nodes);
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("nodes: none (expected: at least 1)");
    }
    for (URI node : nodes) {
      if (!SCHEMES.contains(String.valueOf(node.getScheme())) || node.getHost() == null) {
        throw new IllegalArgumentException(
            "nodes: %s (expected: http:// or https://, and a host)".formatted(node));
      }
    }
    if (!NAME.matcher(upstream).matches() || !NAME.matcher(group).matches()) {
      throw new IllegalArgumentException(
          "upstream, group: %s, %s (expected: %s)".formatted(upstream, group, NAME.pattern()));
    }
    if (!TOKEN.matcher(serviceToken).matches()) {
      throw new IllegalArgumentException(
          "serviceToken: has blanks or other characters that a header cannot carry, or none");
    }
    if (patience.isNegative() || patience.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "patience: %s (expected: 0 to %s)".formatted(patience, LONGEST));
    }
  }

  /** The default group, and ten seconds of patience. */
  public static SchedulerOptions of(List<URI> nodes, String serviceToken, String upstream) {
    return new SchedulerOptions(nodes, serviceToken, upstream, "default", Duration.ofSeconds(10));
  }

  @Override
  public String toString() {
    return "SchedulerOptions[nodes=%s, upstream=%s, group=%s, patience=%s]"
        .formatted(nodes, upstream, group, patience);
  }
}
