package io.weir.whole.designs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.weir.testkit.RedisProcess;
import io.weir.whole.designs.Limit.Span;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The five designs that Weir follows, each with a configuration as its authors would write it, side by side: a provider
 * dies, one refuses a key, a key of callers is revoked, and Redis comes back with a copy from before that. It runs for
 * {@code -Dweir.minutes}, and not without; {@code -Dweir.designs.hedera=FILE} takes another throttle file.
 */
@Tag("faults")
final class DesignsIT {
  private static final int MINUTES = Integer.getInteger("weir.minutes", 0);

  @Test
  void allKeepTheirLimitsAndLoseNothingWhateverFails(@TempDir Path folder) throws Exception {
    assumeTrue(MINUTES > 0, "skipped: -Dweir.minutes is not given; scripts/nightly gives one");
    Vertx vertx = Vertx.vertx();
    ExecutorService threads = Executors.newCachedThreadPool();
    List<DesignRun> runs = new ArrayList<>();
    // Databases of one server, which is killed and restored for all.
    try (RedisProcess redis = RedisProcess.start()) {
      for (Design design : Design.ALL) {
        runs.add(new DesignRun(design, vertx, redis.uri() + "/" + runs.size(), folder));
      }
      Phases phases = new Phases(Duration.ofMinutes(MINUTES));
      threads.execute(() -> phases.pulse.beat(phases));
      runs.forEach(run -> run.begin(threads, phases));
      pass(phases, runs, redis);
      for (DesignRun run : runs) {
        run.awaitEnd();
      }
      judge(phases, runs);
    } finally {
      threads.shutdownNow();
      runs.forEach(DesignRun::close);
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static void pass(Phases phases, List<DesignRun> runs, RedisProcess redis)
      throws Exception {
    long died = phases.await(10);
    runs.forEach(run -> run.failing.die());
    phases.await(25);
    runs.forEach(run -> run.failing.comeBack());
    phases.dead = new Span(died, System.nanoTime());
    phases.await(35);
    runs.forEach(run -> run.refuseKey(true));
    phases.await(45);
    runs.forEach(run -> run.refuseKey(false));
    long copied = phases.await(55);
    redis.ask("SAVE");
    phases.await(57);
    for (DesignRun run : runs) {
      run.revoke();
    }
    phases.revoked = System.nanoTime();
    long gone = phases.await(67);
    redis.kill();
    phases.await(72);
    redis.restart();
    phases.away = new Span(gone, System.nanoTime());
    phases.older = new Span(copied, phases.away.to());
    phases.await(100);
    phases.end();
  }

  private static void judge(Phases phases, List<DesignRun> runs) throws Exception {
    SoftAssertions all = new SoftAssertions();
    System.out.println("The machine: " + phases.pulse);
    System.out.println("design  | asked  | fine   | denied | most in a window | attempts | faults");
    for (DesignRun run : runs) {
      System.out.println(new Verdict(run, phases, all).row());
    }
    all.assertAll();
  }
}
