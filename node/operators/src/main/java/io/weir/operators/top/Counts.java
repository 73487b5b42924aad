package io.weir.operators.top;

import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import java.util.List;
import java.util.function.Function;

/**
 * The counts of one node, or of all nodes, in the last minute. Immutable.
 *
 * @param denied those that were denied, or refused because nothing was decided
 * @param near those that were admitted and left a limit at least four fifths full
 */
public record Counts(Tops denied, Tops near) {
  /** Nothing was counted. */
  public static final Counts NONE = new Counts(Tops.NONE, Tops.NONE);

  /** The sums of several counts. */
  public static Counts sum(List<Counts> counts, int most) {
    return new Counts(sum(counts, Counts::denied, most), sum(counts, Counts::near, most));
  }

  private static Tops sum(List<Counts> counts, Function<Counts, Tops> part, int most) {
    return Tops.sum(counts.stream().map(part).toList(), most);
  }

  JsonObject toJson() {
    return new JsonObject().put("denied", denied.toJson()).put("near", near.toJson());
  }

  /** Reads the text of {@link #toJson}. */
  public static Counts parse(String text) {
    return parse(JsonInput.object(text));
  }

  static Counts parse(JsonObject json) {
    return new Counts(
        Tops.parse(json.getJsonObject("denied")), Tops.parse(json.getJsonObject("near")));
  }
}
