package io.weir.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Finds ports on the loopback address that were free a moment ago. They are below those that systems give to outgoing
 * connections (from 32768 on Linux): a connection made before the port is used must not take it. The same holds for the
 * second port that each Redis of a Redis Cluster takes for its bus.
 */
public final class FreePorts {
  // A node of Redis Cluster talks to the others on a port that much above its own.
  private static final int TO_BUS = 10_000;
  private static final Range OF_CLUSTERS = new Range(13_000, 3_000);
  // From above the ports of the buses.
  private static final Range OTHER = new Range(26_000, 6_700);

  private FreePorts() {}

  /** Returns one port. */
  public static int one() {
    return OTHER.next(FreePorts::isFree);
  }

  /** Returns the port of one node of a Redis Cluster; that of its bus is free, too. */
  public static int ofCluster() {
    return OF_CLUSTERS.next(port -> isFree(port) && isFree(port + TO_BUS));
  }

  /** Returns several distinct ports. */
  public static List<Integer> some(int count) {
    return IntStream.range(0, count).mapToObj(i -> one()).toList();
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** Ports that are tried one after another, from a random one on: two programs seldom try the same. */
  private static final class Range {
    private final int first;
    private final int count;
    private final AtomicInteger next;

    Range(int first, int count) {
      this.first = first;
      this.count = count;
      this.next = new AtomicInteger(ThreadLocalRandom.current().nextInt(count));
    }

    int next(IntPredicate free) {
      for (int tried = 0; tried < count; tried++) {
        int port = first + Math.floorMod(next.getAndIncrement(), count);
        if (free.test(port)) {
          return port;
        }
      }
      throw new IllegalStateException("no free port from %d on".formatted(first));
    }
  }
}
