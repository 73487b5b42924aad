package io.weir.testkit;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.throttle.Charge;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * A generated history of one small cluster: what is asked, and how much time passes before. The same seed
 * gives the same history.
 *
 * @param seed what it was made of, to be printed by whoever finds a fault
 */
public record Trace(long seed, List<Step> steps) {
  private static final List<String> TENANTS = List.of("acme", "globex");
  private static final List<String> SUBJECTS = List.of("k1", "k2");

  /**
   * One question.
   *
   * @param advanceMicros how far the clock moves before it; negative where the clock goes back
   */
  public record Step(long advanceMicros, Charge charge) {}

  /** Generates a history of {@code length} steps under a policy that changes some times. */
  public static Trace generate(long seed, int length) {
    RandomGenerator random = new Random(seed);
    List<Step> steps = new ArrayList<>(length);
    List<Draw> draws = draws(random);
    long revision = 1;
    for (int i = 0; i < length; i++) {
      if (random.nextInt(200) == 0) {
        draws = draws(random);
        revision++;
      }
      long asked = revision > 1 && random.nextInt(500) == 0 ? revision - 1 : revision;
      steps.add(new Step(advance(random, draws), charge(random, asked, draws)));
    }
    return new Trace(seed, List.copyOf(steps));
  }

  // One to three buckets, always of the same names, so that a change of policy finds something to
  // carry.
  private static List<Draw> draws(RandomGenerator random) {
    List<Draw> draws = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      Scope scope = pick(random, List.of(Scope.values()));
      draws.add(draw(random, "bucket-" + i, scope));
    }
    return List.copyOf(draws);
  }

  private static Draw draw(RandomGenerator random, String name, Scope scope) {
    // Odd rates on purpose: whole ones hide every rounding.
    long rate =
        random.nextBoolean() ? 1 + random.nextInt(200_000) : 1 + random.nextInt(300_000_000);
    long unitsPerOperation = Bucket.UNITS_PER_OPERATION * (1 + random.nextInt(40));
    long smallestBurst = unitsPerOperation / (rate * 1000) + 1;
    long burst = Math.min(Bucket.MAX_PRECISION / rate, smallestBurst * (1 + random.nextInt(60)));
    return new Draw(
        new Bucket(name, scope, rate, Math.max(smallestBurst, burst)), unitsPerOperation);
  }

  private static Charge charge(RandomGenerator random, long revision, List<Draw> draws) {
    List<Draw> some = draws.subList(random.nextInt(draws.size()), draws.size());
    long cost = random.nextInt(10) == 0 ? 1 + random.nextInt(100) : 1 + random.nextInt(3);
    return new Charge(pick(random, TENANTS), pick(random, SUBJECTS), revision, some, cost);
  }

  private static long advance(RandomGenerator random, List<Draw> draws) {
    Draw draw = pick(random, draws);
    long oneOperation = draw.unitsPerOperation() / draw.bucket().milliOpsPerSec();
    return switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> 0;
      case 4, 5 -> 1 + random.nextInt(10);
      case 6 -> oneOperation;
      case 7, 8, 9 -> random.nextLong(2 * oneOperation + 2);
      case 10 ->
        random.nextInt(20) == 0 ? -random.nextLong(oneOperation + 2) : random.nextInt(5000);
      default -> random.nextInt(10) == 0 ? draw.bucket().burstMillis() * 1000 : oneOperation / 2;
    };
  }

  private static <T> T pick(RandomGenerator random, List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
