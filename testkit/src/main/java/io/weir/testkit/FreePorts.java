package io.weir.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Finds ports on the loopback address that were free a moment ago. */
public final class FreePorts {
  private FreePorts() {}

  /** Returns one port. */
  public static int one() {
    return some(1).get(0);
  }

  /** Returns several distinct ports. */
  public static List<Integer> some(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).toList();
      for (ServerSocket socket : sockets) {
        socket.close();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
