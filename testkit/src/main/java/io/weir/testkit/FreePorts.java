package io.weir.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Finds ports on the loopback address that were free a moment ago. They are below those that systems give to outgoing
 * connections (from 32768 on Linux): a connection made before the port is used must not take it.
 */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePorts() {}

  /** Returns one port. */
  public static int one() {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port from %d on".formatted(FIRST));
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
}
