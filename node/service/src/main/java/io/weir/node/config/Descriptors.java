package io.weir.node.config;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The descriptors of the process: files and connections. */
public final class Descriptors {
  private static final int MOST_CONNECTIONS = 50_000;

  private Descriptors() {}

  /** Half of those that it may open, at most 50,000: the rest is for Redis, upstreams, handshakes and files. */
  public static int forConnections() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? (int) Math.max(1, Math.min(MOST_CONNECTIONS, system.getMaxFileDescriptorCount() / 2))
        : MOST_CONNECTIONS;
  }
}
