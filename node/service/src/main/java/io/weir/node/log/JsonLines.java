package io.weir.node.log;

import io.vertx.core.json.JsonObject;
import io.weir.node.trace.RequestTrace;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.Locale;
import org.slf4j.event.Level;

/** Writes lines of the log as JSON. Safe for use by many threads. */
record JsonLines(InstantSource clock, PrintStream to) {
  void write(Level level, String logger, LogText text, long leftOut) {
    JsonObject line = new JsonObject()
        .put("time", clock.instant().toString())
        .put("level", level.name().toLowerCase(Locale.ROOT))
        .put("logger", logger)
        .put("thread", Thread.currentThread().getName())
        .put("message", text.message());
    if (!text.error().isEmpty()) {
      line.put("error", text.error());
    }
    if (leftOut > 0) {
      line.put("leftOut", leftOut);
    }
    RequestTrace.id().ifPresent(id -> line.put("trace", id));
    to.println(line.encode());
  }
}
