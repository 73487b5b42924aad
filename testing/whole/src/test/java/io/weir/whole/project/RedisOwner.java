package io.weir.whole.project;

import io.weir.embedded.EmbeddedRedis;
import io.weir.testkit.RedisProcess;
import java.io.IOException;

/** A program that starts four Redis servers, prints their addresses, and ends with its input; it closes three. */
final class RedisOwner {
  static final String READY = "ready";

  private RedisOwner() {}

  public static void main(String[] arguments) throws IOException {
    EmbeddedRedis leftOpen = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
    try (EmbeddedRedis embedded = EmbeddedRedis.start(EmbeddedRedis.Binary.BUNDLED, 0);
        RedisProcess ofTests = RedisProcess.start();
        RedisProcess paused = RedisProcess.start("--appendonly", "no")) {
      paused.pause();
      System.out.println(
          String.join(" ", READY, leftOpen.uri(), embedded.uri(), ofTests.uri(), paused.uri()));
      while (System.in.read() >= 0) {
        // until its end
      }
    }
  }
}
