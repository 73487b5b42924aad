package io.weir.state.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.audit.Drift;
import io.weir.state.audit.DriftCheck;
import io.weir.state.audit.DriftCheck.Comparison;
import io.weir.state.connection.RedisConnections;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Damages numbers of a thing in Redis that are kept beside its items, and requires that a check finds and repairs them.
 *
 * @param further arguments of the thing
 */
public record DriftProof(
    RedisConnections redis, DriftCheck check, String name, List<String> further) {
  private static final int MOST = 100_000;
  private static final long MORE = 5;
  private static final String STRANGER = "stranger";

  /** Compares the thing, and repairs it if that is asked for. */
  public Comparison compare(boolean isRepair) {
    Comparison comparison = check.compare(redis, name, further, MOST, isRepair).join();
    assertThat(comparison.isCompared()).isTrue();
    return comparison;
  }

  /** Requires that all numbers are those of the items. */
  public void requireNone() {
    assertThat(compare(false).drifts()).isEmpty();
  }

  /**
   * Raises all numbers of a hash whose names begin so, and adds one of nothing: the check names each, and after its
   * repair the hash is as it was.
   */
  public void requireRepairedFields(String place, String key, String prefix, String nothing) {
    Map<String, String> before = redis.sync().hgetall(key);
    List<Drift> damage = new ArrayList<>();
    before.forEach((field, value) -> {
      if (field.startsWith(prefix)) {
        long counted = redis.sync().hincrby(key, field, MORE);
        damage.add(new Drift(place + " " + field, counted, counted - MORE));
      }
    });
    if (!before.containsKey(nothing)) {
      redis.sync().hset(key, nothing, Long.toString(MORE));
      damage.add(new Drift(place + " " + nothing, MORE, 0));
    }
    requireRepaired(damage);
    assertThat(withoutZeros(redis.sync().hgetall(key))).isEqualTo(withoutZeros(before));
  }

  // A number that is absent is 0.
  private static Map<String, String> withoutZeros(Map<String, String> hash) {
    Map<String, String> left = new HashMap<>(hash);
    left.values().removeIf(value -> value.equals("0"));
    return left;
  }

  /** Adds a member of nothing to a sorted set: the check names it and removes it. */
  public void requireRemovedStranger(String place, String key) {
    List<String> before = redis.sync().zrange(key, 0, -1);
    redis.sync().zadd(key, MORE, STRANGER);
    requireRepaired(List.of(new Drift(place + " " + STRANGER, 1, 0)));
    assertThat(redis.sync().zrange(key, 0, -1)).isEqualTo(before);
  }

  /** Removes all members of a sorted set: the check names them and puts them back. */
  public void requireRestored(String place, String key) {
    List<String> before = redis.sync().zrange(key, 0, -1);
    assertThat(before).isNotEmpty();
    redis.sync().del(key);
    requireRepaired(
        before.stream().map(member -> new Drift(place + " " + member, 0, 1)).toList());
    assertThat(redis.sync().zrange(key, 0, -1)).containsExactlyInAnyOrderElementsOf(before);
  }

  private void requireRepaired(List<Drift> damage) {
    Map<String, Object> untouched = new HashMap<>();
    check.keys().apply(name).forEach(key -> untouched.put(key, content(key)));
    assertThat(compare(false).drifts()).containsExactlyInAnyOrderElementsOf(damage);
    check.keys().apply(name).forEach(key -> assertThat(content(key)).isEqualTo(untouched.get(key)));
    assertThat(compare(true).drifts()).containsExactlyInAnyOrderElementsOf(damage);
    requireNone();
  }

  // A dump has the order of the table, which Redis moves to a larger one while it reads.
  private Object content(String key) {
    return switch (redis.sync().type(key)) {
      case "none" -> "";
      case "hash" -> redis.sync().hgetall(key);
      case "set" -> redis.sync().smembers(key);
      default -> HexFormat.of().formatHex(redis.sync().dump(key));
    };
  }
}
