package io.weir.operators.live;

import io.vertx.core.json.JsonObject;

/**
 * Up to which span the decisions were sent to those who watch, and those of all nodes: what a look has missed is sent by
 * a later one. Mutable; for one thread at a time.
 */
final class SentSpans {
  /** A span is sent again until all nodes have ended it. */
  private static final int AGAIN = 3;

  private long byAny;
  private long byAll;
  private boolean wasOfAll = true;

  /** @param span the one that is not over */
  SentSpans(long span) {
    this.byAny = span;
    this.byAll = span;
  }

  /** The first span to look for; not before the oldest one that nodes know. */
  long since(long oldest) {
    return Math.max(oldest, (wasOfAll ? byAll : byAny) - AGAIN);
  }

  /** Notes what the look from there on has found. */
  void note(JsonObject pulse) {
    long span = pulse.getLong("span");
    boolean isOfAll = "answers".equals(pulse.getString("redis"))
        && pulse.getJsonArray("nodes").size() >= pulse.getInteger("nodesAsked");
    byAny = span;
    byAll = isOfAll && wasOfAll ? span : byAll;
    wasOfAll = isOfAll;
  }
}
