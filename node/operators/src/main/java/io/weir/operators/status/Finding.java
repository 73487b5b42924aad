package io.weir.operators.status;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Something that needs an operator. Immutable.
 *
 * @param code a word of {@link Code}, or of a newer node
 * @param of the name of the thing; empty if it is the cluster
 * @param since when it was first seen, without an end since then
 * @param what a sentence
 * @param nodes those that see it; empty if it is seen in the cluster as a whole
 */
record Finding(
    String code, String of, Instant since, String what, String doThis, List<String> nodes) {
  Finding {
    nodes = List.copyOf(nodes);
  }

  /** Whether another one is about the same. */
  boolean isSame(Finding other) {
    return code.equals(other.code) && of.equals(other.of);
  }

  /** The same seen by others, too: the earlier sentence stays. */
  Finding with(Finding later) {
    Finding first = later.since.isBefore(since) ? later : this;
    List<String> all =
        Stream.concat(nodes.stream(), later.nodes.stream()).distinct().sorted().toList();
    return new Finding(code, of, first.since, first.what, doThis, all);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject().put("code", code);
    if (!of.isEmpty()) {
      json.put("of", of);
    }
    json.put("since", since.toString()).put("what", what).put("doThis", doThis);
    return nodes.isEmpty() ? json : json.put("nodes", new JsonArray(nodes));
  }

  /** Reads what {@link #toJson} of a node wrote. */
  static Finding parse(JsonObject json, String node) {
    return new Finding(
        json.getString("code"),
        json.getString("of", ""),
        Instant.parse(json.getString("since")),
        json.getString("what"),
        json.getString("doThis"),
        List.of(node));
  }
}
