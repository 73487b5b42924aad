package io.weir.operators.command;

import io.vertx.core.json.JsonObject;
import io.weir.node.command.CountWords;
import java.io.PrintWriter;

/** Tells when an answer for which all nodes were asked is not that of all. */
final class SilentNodes {
  private SilentNodes() {}

  static void warn(JsonObject answer, PrintWriter err) {
    if ("away".equals(answer.getString("redis"))) {
      err.println("Redis is away: only this node was asked");
    }
    int missing = answer.getInteger("nodesAsked") - answer.getInteger("nodesAnswered");
    if (missing > 0) {
      err.printf("%s did not answer in time%n", CountWords.of(missing, "node"));
    }
  }
}
