package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointThrottle;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.Throttle;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness;
import io.weir.node.auth.Directory;
import io.weir.node.auth.Identities;
import io.weir.node.auth.KeyLookup;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits that commands carry, on a manual clock. */
final class ThrottleCommandTest {
  private static final long SEED = Histories.firstSeed();
  private static final int HISTORIES = Histories.count(2000, 100_000);
  private static final RespClient CLIENT = new RespClient() {
    @Override
    public int version() {
      return RespAnswer.OLDER;
    }

    @Override
    public boolean isGone() {
      return false;
    }

    @Override
    public Runnable onGone(Runnable action) {
      return () -> {};
    }
  };
  private static final String POLICY = """
      buckets: []
      plans:
        free: {}
        narrow: {}
        none: {}
        ice: { frozen: true }
      requestLimits:
        free: {}
        narrow: { maxAtOnce: 100, maxOpsPerSec: 50, maxDrain: 60m }
        ice: {}
      subjects:
        - { match: "narrow:*", tenant: acme, plan: narrow }
        - { match: "none:*", tenant: acme, plan: none }
        - { match: "ice:*", tenant: acme, plan: ice }
        - { match: "user*", tenant: acme, plan: free }
      """;

  private final Vertx vertx = Vertx.vertx();
  private final ManualClock clock = new ManualClock();
  private final Source policies =
      new Source(new PolicyRevision(1, PolicyDocuments.parse("test", POLICY).policy()));
  private final ThrottleCommand command = command(new InMemoryBucketStore(clock));

  private ThrottleCommand command(BucketStore store) {
    return new ThrottleCommand(
        vertx.getOrCreateContext(),
        policies,
        new Identities(
            new KeyLookup(policies, Directory.EMPTY),
            (request, operation) -> Future.failedFuture("no requests here")),
        new Decider(
            new Throttle(store, policies),
            new JointThrottle(
                joint -> CompletableFuture.failedFuture(new IllegalStateException("none")),
                policies),
            new NodeMetrics(),
            Tracing.NONE,
            Witness.NONE));
  }

  private record Source(PolicyRevision current) implements PolicySource {
    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      return CompletableFuture.completedFuture(current);
    }
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  // The cases of redis-cell's own test, as it answers them; it truncates seconds where these are
  // rounded up.
  @Test
  void theAnswersAreThoseOfRedisCell() {
    String limit = "4 5 5"; // five at once, one a second
    String[] rows = {
      // milliseconds, quantity -> limited, limit, remaining, retry after, reset after
      "0 6 -> 1 5 5 -1 0", // never: more than the limit ever has
      "0 1 -> 0 5 4 -1 1",
      "0 1 -> 0 5 3 -1 2",
      "0 1 -> 0 5 2 -1 3",
      "0 1 -> 0 5 1 -1 4",
      "0 1 -> 0 5 0 -1 5",
      "0 1 -> 1 5 0 1 5",
      "3000 1 -> 0 5 2 -1 3",
      "3100 1 -> 0 5 1 -1 4", // 3.9 s
      "4000 1 -> 0 5 1 -1 4",
      "8000 1 -> 0 5 4 -1 1",
      "9500 1 -> 0 5 4 -1 1",
      "9500 0 -> 0 5 4 -1 1", // only looks
      "9500 2 -> 0 5 2 -1 3",
      "9500 5 -> 1 5 2 3 3"
    };
    long at = 0;
    for (String row : rows) {
      String[] sides = row.split(" -> ", -1);
      String[] asked = sides[0].split(" ", -1);
      long millis = Long.parseLong(asked[0]);
      clock.advance((millis - at) * 1000);
      at = millis;
      assertThat(throttle("user123 " + limit + " " + asked[1])).as(row).isEqualTo(sides[1]);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "user123 15 30 60, 0 16 15 -1 2",
    "user123 0 1 2, 0 1 0 -1 2",
    "user123 20 120 60 1, 0 21 20 -1 1",
    "user123 99 400 3600 3, 0 100 97 -1 27",
    // Ten in a millisecond: the limit is what drains in whole milliseconds.
    "user123 5000 100000 1, 0 5100 5099 -1 1",
    "user123 999 1000 1, 0 1000 999 -1 1",
    "user123 999999999 1000000000 1, 0 1000000000 999999999 -1 1",
    "user123 0 1 31536000, 0 1 0 -1 31536000"
  })
  void aLimitIsOneMoreThanTheBurst(String words, String answer) {
    assertThat(throttle(words)).isEqualTo(answer);
  }

  @Test
  void eachDeniedCallerHasATimeOfItsOwnAndIsAdmittedThen() {
    for (int i = 0; i < 3; i++) {
      assertThat(throttle("user:herd 2 30 60")).startsWith("0 ");
    }
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String[] answer = throttle("user:herd 2 30 60").split(" ", -1);
      assertThat(answer[0]).isEqualTo("1");
      waits.add(Long.parseLong(answer[3]));
    }
    assertThat(waits).doesNotHaveDuplicates().isSorted();
    // One each two seconds.
    assertThat(waits.get(19)).isLessThanOrEqualTo(20 * 2 * 5 / 4);
    long now = 0;
    for (long wait : waits) {
      clock.advance((wait - now) * 1_000_000);
      now = wait;
      assertThat(throttle("user:herd 2 30 60")).as("after %d s", wait).startsWith("0 ");
    }
  }

  @Test
  void anotherLimitForTheKeyFindsWhatIsUsedByTheTimeThatItDrains() {
    assertThat(throttle("user:a 4 5 5 5")).isEqualTo("0 5 0 -1 5");
    assertThat(throttle("user:a 9 10 10 0")).isEqualTo("0 10 5 -1 5"); // the same rate
    assertThat(throttle("user:a 9 10 5 0")).isEqualTo("0 10 0 -1 5"); // twice as fast: full
    assertThat(throttle("user:b 4 5 5 0")).isEqualTo("0 5 5 -1 0"); // another key
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user | ERR usage: CL.THROTTLE key max_burst count period [quantity]",
        "user 1 1 1 1 1 | ERR usage: CL.THROTTLE key max_burst count period [quantity]",
        "user -1 1 1 | ERR max_burst: (expected: a whole number from 0 to 999999999)",
        "user 1 0 1 | ERR count: (expected: a whole number from 1 to 1000000000)",
        "user 1 1 0 | ERR period: (expected: a whole number from 1 to 31536000)",
        "user 1 1 1.5 | ERR period: (expected: a whole number from 1 to 31536000)",
        "user 1 1 1 -1 | ERR quantity: (expected: a whole number from 0 to 9007199254740991)",
        "user 1 1 31536000 | LIMIT_REFUSED max_burst: the full limit drains in 63072000000 ms (expected: at most 31536000000 ms)",
        "narrow:1 100 1 1 | LIMIT_REFUSED max_burst: 100 and one at once (expected: at most 100 at once)",
        "narrow:1 1 101 2 | LIMIT_REFUSED count: 101 in 2 s (expected: at most 50 a second)",
        "narrow:1 1 1 1801 | LIMIT_REFUSED max_burst: the full limit drains in 3602000 ms (expected: at most 3600000 ms)",
        "none:1 1 1 1 | LIMIT_REFUSED plan none takes none (expected: one of requestLimits)",
        "ice:1 1 1 1 | ACCESS_DISABLED the subject is frozen",
        "other 1 1 1 | SUBJECT_UNKNOWN There is no such subject, or its key may not be used"
      })
  void whatIsRefused(String words, String error) {
    assertThat(throttle(words)).isEqualTo(error);
  }

  @Test
  void aQuantityAboveTheLimitIsNoFrozenSubjectWithoutRedis() {
    Decision never =
        new NeverAllowed(1, List.of(), List.of("x"), Decision.Reason.COST_EXCEEDS_CAPACITY);
    ThrottleCommand degraded = command(new Answering(
        CompletableFuture.completedFuture(new StoreAnswer.Decided(never, QueueReport.NONE))));

    assertThat(throttle(degraded, "user:1 4 1 1 6")).isEqualTo("1 5 0 -1 0");
    assertThat(throttle(degraded, "ice:1 4 1 1 6")).startsWith("ACCESS_DISABLED");
  }

  @ParameterizedTest
  @ValueSource(strings = {"user:1 4 1 1", "user:1 4 1 1 0"})
  void whoeverTakesOrLooksLearnsThatRedisIsAway(String words) {
    CompletionStage<StoreAnswer> away = CompletableFuture.failedFuture(
        new StoreUnavailableException(StoreFault.SLOW, "Redis did not answer in time", null));

    assertThat(throttle(command(new Answering(away)), words)).startsWith("STORE_UNAVAILABLE ");
  }

  /** A store with one answer. */
  private record Answering(CompletionStage<StoreAnswer> answer) implements BucketStore {
    @Override
    public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
      return answer.thenApply(same -> same);
    }

    @Override
    public CompletionStage<StoreAnswer> peek(Charge charge) {
      return tryCharge(charge);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"narrow:1 99 100 2", "narrow:1 1 1 1800"})
  void theBoundsThemselvesAreAllowed(String words) {
    assertThat(throttle(words)).startsWith("0 ");
  }

  @Test
  void anyLimitLetsItsBurstPassAndAnyWordsAreAnswered() {
    Random random = new Random(SEED);
    for (int i = 0; i < HISTORIES; i++) {
      long burst = number(random, 1_000_000_000) - 1;
      long count = number(random, 1_000_000_000);
      long period = number(random, 31_536_000);
      String words = "user:%d %d %d %d".formatted(i, burst, count, period);
      String all = throttle(words + " " + (burst + 1));
      assertThat(all).as(words).matches("0 \\d+ \\d+ -1 \\d+|LIMIT_REFUSED max_burst: the full .*");
      if (all.startsWith("0 ")) {
        long[] numbers = numbers(all);
        long perMilli = count / period / 1000 + 1;
        assertThat(numbers[1]).as(words).isBetween(burst + 1, burst + perMilli);
        assertThat(numbers[2]).as(words).isEqualTo(numbers[1] - burst - 1);
        assertThat(throttle(words + " " + numbers[1])).as(words).startsWith("1 " + numbers[1]);
      }
      String wild = wild(random);
      assertThat(throttle(wild))
          .as(wild)
          .matches("[01] \\d+ \\d+ (-1|\\d+) \\d+|(ERR|LIMIT_REFUSED|SUBJECT_UNKNOWN) .*");
    }
  }

  @Test
  void aPolicyMayNotNameAPlanThatItHasNot() {
    assertThatThrownBy(() -> PolicyDocuments.parse("test", "buckets: []\nrequestLimits: { x: {} }"))
        .hasMessageContaining("plan_unknown")
        .hasMessageContaining("no plan 'x'");
  }

  // Of any size.
  private static long number(Random random, long most) {
    return 1
        + random.nextLong(
            most >> random.nextInt(1 + Long.SIZE - Long.numberOfLeadingZeros(most) - 1));
  }

  private static String wild(Random random) {
    List<String> some = List.of(
        "user", "narrow:1", "", "0", "1", "-1", "99999999999999999999", "1e3", "9", "\u00ff");
    StringBuilder words = new StringBuilder(some.get(random.nextInt(2)));
    for (int i = random.nextInt(6); i > 0; i--) {
      words.append(' ').append(some.get(random.nextInt(some.size())));
    }
    return words.toString();
  }

  private static long[] numbers(String answer) {
    return Arrays.stream(answer.split(" ", -1)).mapToLong(Long::parseLong).toArray();
  }

  /** The numbers of the answer, or its error. */
  private String throttle(String words) {
    return throttle(command, words);
  }

  private static String throttle(ThrottleCommand command, String words) {
    List<String> all = new ArrayList<>(List.of(ThrottleCommand.NAME));
    all.addAll(List.of(words.split(" ", -1)));
    String answer;
    try {
      answer = command
          .answer(all, CLIENT)
          .toCompletionStage()
          .toCompletableFuture()
          .join()
          .toString(ISO_8859_1);
    } catch (RespException e) {
      return e.error();
    }
    if (answer.startsWith("-")) {
      return answer.substring(1, answer.length() - 2);
    }
    assertThat(answer).startsWith("*5\r\n:");
    return answer.substring("*5\r\n:".length(), answer.length() - 2).replace("\r\n:", " ");
  }
}
