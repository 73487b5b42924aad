package io.weir.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Finds free ports on the loopback address. They are below those that systems give to outgoing connections (from 32768 on
 * Linux): a connection made before the port is used must not take it. The same holds for the second port that each Redis
 * of a Redis Cluster takes for its bus. Programs that run side by side get different ports: each has blocks of its own,
 * and listens on the first port of a block for as long as it runs.
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

  private static Optional<ServerSocket> listen(int port) {
    try {
      return Optional.of(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Ports that are given one after another, block by block; from the start again when no other block is left. */
  private static final class Range {
    private static final int BLOCK = 100;

    private final int first;
    private final int blocks;
    private final List<ServerSocket> owned = new ArrayList<>();
    private int given;

    Range(int first, int count) {
      this.first = first;
      this.blocks = count / BLOCK;
    }

    synchronized int next(IntPredicate free) {
      while (true) {
        if (given == owned.size() * BLOCK) {
          takeBlock(free);
        }
        int port = port(given++);
        if (free.test(port)) { // the first of a block never is
          return port;
        }
      }
    }

    private void takeBlock(IntPredicate free) {
      int from = ThreadLocalRandom.current().nextInt(blocks);
      Optional<ServerSocket> block = IntStream.range(0, blocks)
          .map(i -> first + (from + i) % blocks * BLOCK)
          .mapToObj(FreePorts::listen)
          .flatMap(Optional::stream)
          .findFirst();
      if (block.isPresent()) {
        owned.add(block.get());
      } else if (IntStream.range(0, owned.size() * BLOCK).anyMatch(i -> free.test(port(i)))) {
        given = 0;
      } else {
        throw new IllegalStateException("no free port from %d on".formatted(first));
      }
    }

    private int port(int i) {
      return owned.get(i / BLOCK).getLocalPort() + i % BLOCK;
    }
  }
}
