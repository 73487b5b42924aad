package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The sessions that a node goes on with while Redis does not answer. */
final class KnownSessionsTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final KnownSessions known = new KnownSessions(now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private static StoredSession of(String operator) {
    return new StoredSession(operator, "sealed");
  }

  @Test
  void aSessionOfRedisIsUsedFor15MinutesAfterRedisConfirmedIt() {
    known.note("a", of("admin"));
    pass(Duration.ofMinutes(10));
    known.note("a", of("admin"));
    pass(KnownSessions.WITHOUT_REDIS.minusNanos(1));
    assertThat(known.find("a")).hasValue(of("admin"));
    pass(Duration.ofNanos(1));
    assertThat(known.find("a")).isEmpty();
  }

  @Test
  void aSessionOfThisNodeWhichNoOtherCanEndLasts15Minutes() {
    known.noteOfNode("a", of("admin"));
    pass(KnownSessions.WITHOUT_REDIS.minusNanos(1));
    assertThat(known.find("a")).isPresent();
    pass(Duration.ofNanos(1));
    assertThat(known.find("a")).isEmpty();
  }

  @Test
  void whatRedisDoesNotKnowIsOverUnlessItIsOfThisNode() {
    known.note("of-all", of("admin"));
    known.noteOfNode("of-node", of("admin"));

    assertThat(known.findOfNode("of-all")).isEmpty();
    assertThat(known.find("of-all")).isEmpty();
    assertThat(known.findOfNode("of-node")).isPresent();
    known.forget("of-node");
    assertThat(known.find("of-node")).isEmpty();
  }

  @Test
  void oneOperatorsSessionsEndNoOthers() {
    known.noteOfNode("first", of("one"));
    IntStream.range(0, 300).forEach(i -> known.noteOfNode("two" + i, of("two")));
    assertThat(known.find("first")).isPresent();
    assertThat(IntStream.range(0, 300).filter(i -> known.find("two" + i).isPresent()))
        .hasSize(RedisSessions.MOST_OF_OPERATOR)
        .contains(299);
    IntStream.range(0, 220).forEach(i -> known.noteOfNode("each" + i, of("each" + i)));
    assertThat(known.find("first")).isPresent();
    assertThat(known.find("each219")).isPresent();
  }
}
