package io.weir.core.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import io.weir.inmemory.Earmarks;
import io.weir.inmemory.LeasePool;
import io.weir.inmemory.LeasePool.Granted;
import io.weir.inmemory.LeasePool.HolderLease;
import io.weir.testkit.Histories;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Searches all states that a few nodes can reach within a few instants, for all sequences of spending, giving back and
 * reporting, with delayed, overtaken and lost messages, a crash of the first node, and a clock of the pool that is set
 * back: callers never take more than the bucket holds, and soon afterwards everything is free again. Actions that only
 * multiply equivalent states are left to one node: the second gives back, the first crashes and gives up waiting.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("engine")
final class LeaseSearchTest {
  // One unit per instant; an instant is a microsecond of the pool and a nanosecond of the nodes.
  private static final Bucket BUCKET = new Bucket("b", Scope.CLUSTER, 1, 1);
  private static final long LEASE = 2;
  /** No unit is saved for longer. */
  private static final long EARMARKED = 20;

  private static final long BEGIN = 100;
  private static final long MARGIN = 1;
  private static final boolean IS_LONG = Boolean.getBoolean("weir.lease.search.long");

  /** A report on its way, or its answer. */
  private record Message(
      LeaseReport report, long sentAt, @Nullable Granted answer) {
    @Override
    public String toString() {
      return report.holder() + report.sequence() + "," + report.spent() + "," + report.keeps() + "@"
          + sentAt + (answer == null ? "?" : "=" + answer.granted());
    }
  }

  private static final class Node {
    private final int index;
    private final int life;
    private final Lease lease;
    private final List<Lease.Taken> open = new ArrayList<>();
    private final List<Boolean> willBeSpent = new ArrayList<>();
    private final List<Message> sent = new ArrayList<>();
    private boolean isAsking;
    private int reportsLeft;

    Node(int index, int life, int reports) {
      this.index = index;
      this.life = life;
      this.lease = new Lease(index + "." + life);
      this.reportsLeft = reports;
    }

    Node(Node other) {
      this.index = other.index;
      this.life = other.life;
      this.lease = new Lease(other.lease);
      this.open.addAll(other.open);
      this.willBeSpent.addAll(other.willBeSpent);
      this.sent.addAll(other.sent);
      this.isAsking = other.isAsking;
      this.reportsLeft = other.reportsLeft;
    }

    @Override
    public String toString() {
      return "|" + lease + open + willBeSpent + sent + reportsLeft;
    }
  }

  private static final class World {
    private final long capacity;
    private final long margin;
    private LeasePool pool;
    private final Node[] nodes;
    private long now;
    /** The level of the bucket as callers caused it. */
    private long level;
    /** How far the clock of the pool is behind. */
    private long behind;
    /** How far it can be set back, once; 0 if it cannot. */
    private long setBack;

    /** A share that is never given back makes the capacity small. */
    World(long capacity, int count, int reports, long margin, long setBack) {
      this.capacity = capacity;
      this.setBack = setBack;
      this.margin = margin;
      HolderLease rest = new HolderLease(BUCKET.capacityUnits() - capacity, Long.MAX_VALUE, 1, 0);
      this.pool = new LeasePool(1, 0, BEGIN, Map.of("rest", rest), Earmarks.NONE);
      this.nodes = new Node[count];
      Arrays.setAll(nodes, i -> new Node(i, 0, reports));
    }

    World(World other) {
      this.capacity = other.capacity;
      this.margin = other.margin;
      this.pool = other.pool;
      this.nodes = Arrays.stream(other.nodes).map(Node::new).toArray(Node[]::new);
      this.now = other.now;
      this.level = other.level;
      this.behind = other.behind;
      this.setBack = other.setBack;
    }

    /** The instant of the pool's clock. */
    long clock() {
      return BEGIN + now - behind;
    }

    @Override
    public String toString() {
      List<String> shares = new ArrayList<>();
      // Not by a Formatter, as the text of a record is: the search makes millions of these.
      pool.shares()
          .forEach((holder, share) -> shares.add(holder + "=" + share.out() + ","
              + share.untilMicros() + "," + share.sequence() + "," + share.spent()));
      pool.earmarks()
          .byHolder()
          .forEach((holder, earmark) -> shares.add(holder + "+" + earmark.units() + ","
              + earmark.sinceMicros() + "," + earmark.untilMicros()));
      Collections.sort(shares);
      return now + "-" + behind + "/" + setBack + " " + level + " " + pool.used() + "@"
          + pool.atMicros() + shares + Arrays.toString(nodes);
    }
  }

  private enum Effort {
    QUICK,
    THOROUGH,
    LONG
  }

  @ParameterizedTest
  @CsvSource({
    "2, 1, 2, 1, 0, QUICK",
    "2, 1, 3, 1, 0, THOROUGH",
    "2, 2, 4, 1, 0, THOROUGH",
    "3, 1, 2, 1, 0, THOROUGH",
    "1, 2, 4, 2, 0, QUICK",
    "2, 1, 2, 1, 1, QUICK",
    "2, 1, 3, 1, 1, THOROUGH",
    "2, 1, 3, 1, 50, THOROUGH",
    "1, 2, 4, 2, 1, THOROUGH",
    "1, 2, 3, 2, 50, QUICK",
    "1, 2, 4, 2, 50, THOROUGH",
    "2, 1, 3, 2, 0, LONG",
    "2, 1, 3, 2, 50, LONG",
    "1, 2, 5, 3, 0, LONG",
    "1, 2, 5, 3, 50, LONG"
  })
  void neverOver(int nodes, long capacity, int instants, int reports, long setBack, Effort effort) {
    assumeTrue(effort != Effort.THOROUGH || Histories.areThorough(), "with -Pthorough");
    assumeTrue(
        effort != Effort.LONG || IS_LONG, "a minute long; with -Dweir.lease.search.long=true");
    int states = search(new World(capacity, nodes, reports, MARGIN, setBack), instants);
    System.out.printf("leases: %d states of %d nodes%n", states, nodes);
    assertThat(states).isGreaterThan(1000);
  }

  @Test
  void aHolderThatStopsTooLateIsFound() {
    assertThatThrownBy(() -> search(new World(1, 2, 1, -2, 0), 4))
        .isInstanceOf(AssertionError.class);
  }

  private static int search(World begin, int instants) {
    Deque<World> open = new ArrayDeque<>();
    Set<Long> seen = new HashSet<>();
    open.push(begin);
    while (!open.isEmpty()) {
      World world = open.pop();
      if (seen.add(digest(world.toString()))) {
        assertBound(world);
        for (Consumer<World> choice : choices(world, instants)) {
          World next = new World(world);
          choice.accept(next);
          open.push(next);
        }
      }
    }
    return seen.size();
  }

  private static void assertBound(World world) {
    assertThat(world.level).as(world::toString).isLessThanOrEqualTo(world.capacity);
    // Nothing is lost for ever: once all leases have expired and drained, everything is free. If
    // the clock was set back, this is counted from the next report on.
    LeaseReport none = new LeaseReport("later", 1, 0, 0, 0, 0, 1, 0);
    LeasePool seen = world.pool.exchange(BUCKET, none, LEASE, world.clock()).pool();
    long later = world.clock() + LEASE + EARMARKED + 2 * world.capacity;
    LeaseReport all = new LeaseReport("later", 2, 0, 0, 0, world.capacity, world.capacity, 0);
    assertThat(seen.exchange(BUCKET, all, LEASE, later).granted())
        .as(world::toString)
        .isEqualTo(world.capacity);
  }

  // The probability that two of ten million states have the same digest is one in a hundred
  // thousand.
  private static long digest(String text) {
    long digest = 1;
    for (int i = 0; i < text.length(); i++) {
      digest = (digest ^ text.charAt(i)) * 0x9E3779B97F4A7C15L;
      digest ^= digest >>> 29;
    }
    return digest;
  }

  private static List<Consumer<World>> choices(World world, int instants) {
    List<Consumer<World>> choices = new ArrayList<>();
    for (int i = 0; i < world.nodes.length; i++) {
      ofNode(world, i, choices);
    }
    if (world.setBack > 0) {
      choices.add(next -> {
        next.behind = next.setBack;
        next.setBack = 0;
      });
    }
    if (world.now < instants) {
      choices.add(next -> {
        next.now++;
        next.level = LeakyBucket.drained(next.level, 1, 1);
      });
    }
    return choices;
  }

  private static void ofNode(World world, int i, List<Consumer<World>> choices) {
    Node node = world.nodes[i];
    if (new Lease(node.lease).has(1, world.now)) {
      choices.add(next -> take(next, i, true));
      if (i == world.nodes.length - 1) {
        choices.add(next -> take(next, i, false));
      }
    }
    if (!node.open.isEmpty()) {
      choices.add(next -> settle(next.nodes[i]));
    }
    if (!node.isAsking && node.reportsLeft > 0) {
      choices.add(next -> report(next, i, next.capacity));
      if (i == world.nodes.length - 1) {
        choices.add(next -> report(next, i, 0));
      }
    }
    if (node.isAsking && i == 0) {
      choices.add(next -> giveUp(next.nodes[i]));
    }
    for (int m = 0; m < node.sent.size(); m++) {
      int at = m;
      choices.add(next -> arrive(next, i, at)); // or never
    }
    if (node.life == 0 && i == 0) {
      choices.add(next -> crash(next, i));
    }
  }

  private static void take(World world, int i, boolean isSpent) {
    Node node = world.nodes[i];
    node.lease.has(1, world.now);
    node.open.add(node.lease.take(1));
    node.willBeSpent.add(isSpent);
    world.level += isSpent ? 1 : 0;
  }

  private static void settle(Node node) {
    node.lease.settle(node.open.remove(0), node.willBeSpent.remove(0));
  }

  private static void report(World world, int i, long most) {
    Node node = world.nodes[i];
    node.reportsLeft--;
    node.isAsking = true;
    LeaseReport report = node.lease.report(most, world.capacity, 1, i == 0 ? 1 : 0, world.now);
    node.sent.add(new Message(report, world.now, null));
  }

  private static void giveUp(Node node) {
    node.isAsking = false;
    for (Message message : node.sent) {
      node.lease.unanswered(message.report());
    }
  }

  // Its messages may still arrive.
  private static void crash(World world, int i) {
    Node next = new Node(i, 1, 1);
    next.sent.addAll(world.nodes[i].sent);
    world.nodes[i] = next;
  }

  private static void arrive(World world, int i, int at) {
    Node node = world.nodes[i];
    Message message = node.sent.remove(at);
    LeaseReport report = message.report();
    Granted answer = message.answer();
    if (answer == null) {
      Granted made = world.pool.exchange(BUCKET, report, LEASE, world.clock());
      world.pool = made.pool();
      node.sent.add(at, new Message(report, message.sentAt(), made));
    } else if (report.holder().equals(node.lease.holder())) {
      long deadline = message.sentAt() + LEASE - world.margin;
      node.lease.granted(report, answer.granted(), deadline, world.now);
      node.isAsking = node.lease.isAsking();
    }
  }
}
