package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions in Redis: few, and each until its end. */
final class RedisSessionsIT {
  private RedisProcess redis;
  private RedisConnections connections;
  private RedisSessions sessions;

  @BeforeEach
  void open() {
    redis = RedisProcess.start();
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    sessions = new RedisSessions(connections);
  }

  @AfterEach
  void close() {
    connections.close();
    redis.close();
  }

  private void put(String name, String operator) {
    sessions.put(name, new StoredSession(operator, "sealed-" + name), "").join();
  }

  private boolean isOpen(String name) {
    return sessions.look(name).join().isPresent();
  }

  private String count() {
    return redis.ask("HLEN weir:sessions");
  }

  @Test
  void aSessionIsFoundUntilItIsEnded() {
    put("a", "ops");
    put("b", "ops");
    assertThat(sessions.look("a").join()).hasValue(new StoredSession("ops", "sealed-a"));
    sessions.end("a").join();
    sessions.end("a").join();
    assertThat(isOpen("a")).isFalse();
    assertThat(isOpen("b")).isTrue();
  }

  @Test
  void theOneBeforeOfABrowserEnds() {
    put("a", "ops");
    sessions.put("b", new StoredSession("ops", "sealed"), "a").join();
    assertThat(isOpen("a")).isFalse();
    assertThat(isOpen("b")).isTrue();
  }

  @Test
  void anOperatorHas64AndNoOperatorEndsThoseOfAllOthers() {
    put("first", "one");
    IntStream.range(0, 100).forEach(i -> put("two" + i, "two"));
    assertThat(count()).isEqualTo(":65");
    assertThat(isOpen("two35")).isFalse();
    assertThat(isOpen("two36")).isTrue();
    IntStream.range(0, 220).forEach(i -> put("each" + i, "each" + i));
    assertThat(count()).isEqualTo(":256");
    assertThat(isOpen("first")).isTrue();
    assertThat(isOpen("each219")).isTrue();
    assertThat(isOpen("two36")).isFalse();
    assertThat(isOpen("two99")).isTrue();
  }

  @Test
  void whatIsOverIsNotFoundAndGoesWithTheNextOne() {
    redis.ask("HSET weir:sessions over \"1000 ops sealed\"");
    redis.ask("HSET weir:sessions other nonsense");
    assertThat(redis.ask("HGET weir:sessions over")).isEqualTo("1000 ops sealed");
    assertThat(isOpen("over")).isFalse();
    assertThat(isOpen("other")).isFalse();
    put("a", "ops");
    assertThat(count()).isEqualTo(":1");
    long left = Long.parseLong(redis.ask("PTTL weir:sessions").substring(1));
    assertThat(left).isBetween(1L, RedisSessions.LASTS.toMillis());
  }
}
