package io.weir.whole.designs;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * A design that Weir follows, with a configuration as its authors would write it.
 *
 * @param most the requests that a caller of the design needs at most, the first included; for jobs, the polls
 * @param hasTickets whether its callers ask for tickets
 */
record Design(String name, Style style, int most, boolean hasTickets) {
  /** How its callers work. */
  enum Style {
    CALLS,
    JOBS,
    RANGES
  }

  private static final double SLOW_SECONDS = 0.05;

  // SDKs of Hedera give up after ten attempts; the others are the documented attempts of the
  // presets,
  // and the polls of a job.
  static final List<Design> ALL = List.of(
      new Design("hedera", Style.CALLS, 10, false),
      new Design("relayer", Style.JOBS, 4, false),
      new Design("storj", Style.CALLS, 7, true),
      new Design("rpc", Style.RANGES, 7, true),
      new Design("smg", Style.CALLS, 6, false));

  /** The policy, for two providers. A throttle file of Hedera's form becomes a whole policy. */
  JsonObject policy(int portA, int portB) {
    JsonObject policy =
        new JsonObject(text().replace("PORT_A", "" + portA).replace("PORT_B", "" + portB));
    if (!policy.containsKey("operations")) {
      JsonArray operations = new JsonArray();
      operationsOf(policy.getJsonArray("buckets"))
          .forEach(operation -> operations.add(new JsonObject()
              .put("name", operation)
              .put("match", new JsonObject().put("path", "/" + operation))));
      policy
          .put("operations", operations)
          .put("defaults", new JsonObject().put("scope", "cluster"))
          .put("upstream", new JsonObject().put("url", "http://127.0.0.1:" + portA));
    }
    return policy;
  }

  /** The operations that its callers call: of many, those that are slow enough to be limited here. */
  static List<String> called(JsonObject policy) {
    Set<String> all = operationsOf(policy.getJsonArray("buckets"));
    Set<String> slow = new TreeSet<>();
    for (Limit limit : Limit.of(policy)) {
      limit.seconds().forEach((operation, seconds) -> {
        if (all.contains(operation) && seconds >= SLOW_SECONDS) {
          slow.add(operation);
        }
      });
    }
    return List.copyOf(slow.isEmpty() ? all : slow);
  }

  private static Set<String> operationsOf(JsonArray buckets) {
    Set<String> names = new TreeSet<>();
    for (JsonObject bucket : Limit.objects(buckets)) {
      for (JsonObject group : Limit.objects(bucket.getJsonArray("throttleGroups"))) {
        group.getJsonArray("operations").forEach(name -> names.add((String) name));
      }
    }
    return names;
  }

  // -Dweir.designs.hedera=FILE takes another file in place of the one of that name.
  private String text() {
    String other = System.getProperty("weir.designs." + name);
    try (InputStream own = Design.class.getResourceAsStream("/designs/" + name + ".json")) {
      return other != null
          ? Files.readString(Path.of(other))
          : new String(Objects.requireNonNull(own).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
