package io.weir.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A proxy between a client and a server on the loopback address that injects network faults into their connections:
 * delays, lost data, cuts, half-closed connections. Safe for use by many threads; owned by the test that started it.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 << 10;

  private final ServerSocket server;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "fault-proxy");
    thread.setDaemon(true);
    return thread;
  });
  private volatile long delayNanos;
  private volatile boolean isStalled;
  private volatile boolean isRefusing;
  private volatile long cutAfterBytes = Long.MAX_VALUE;

  private FaultProxy(ServerSocket server, int target) {
    this.server = server;
    this.target = target;
  }

  /** Starts a proxy in front of a port. */
  public static FaultProxy before(int port) {
    try {
      ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
      FaultProxy proxy = new FaultProxy(server, port);
      proxy.threads.execute(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The port for clients. */
  public int port() {
    return server.getLocalPort();
  }

  /** The address for clients of a Redis. */
  public String redisUri() {
    return "redis://" + RedisProcess.HOST + ":" + port();
  }

  /** Delays the server's data by this time. */
  public void delay(Duration time) {
    delayNanos = time.toNanos();
  }

  /** Stops or resumes all data, without closing a connection. */
  public void stall(boolean stalled) {
    isStalled = stalled;
  }

  /** Closes all connections and every new one at once, or accepts them again. */
  public void refuse(boolean refused) {
    isRefusing = refused;
    if (refused) {
      cut();
    }
  }

  /** Closes all open connections. */
  public void cut() {
    open.forEach(FaultProxy::close);
  }

  /** Sends nothing more to either side; their data is still read. */
  public void halfClose() {
    for (Socket socket : open) {
      try {
        socket.shutdownOutput();
      } catch (IOException e) {
        close(socket); // it was closed already
      }
    }
  }

  /** Closes each connection after this many more bytes of the server, possibly within an answer. */
  public void cutAfter(long bytes) {
    cutAfterBytes = bytes;
  }

  /** Ends delays, stalls, refusals and cuts. */
  public void heal() {
    delayNanos = 0;
    isStalled = false;
    isRefusing = false;
    cutAfterBytes = Long.MAX_VALUE;
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    heal(); // a stalled thread goes on, and ends
    cut();
    threads.shutdownNow();
  }

  private void accept() {
    while (!server.isClosed()) {
      acceptOne();
    }
  }

  private void acceptOne() {
    try {
      Socket client = server.accept();
      if (isRefusing) {
        close(client);
      } else {
        connect(client);
      }
    } catch (IOException e) {
      // It is closed, or the server is down: the client notices.
    }
  }

  private void connect(Socket client) throws IOException {
    open.add(client);
    Socket upstream;
    try {
      upstream = new Socket(InetAddress.getLoopbackAddress(), target);
    } catch (IOException e) {
      close(client);
      throw e;
    }
    open.add(upstream);
    client.setTcpNoDelay(true);
    upstream.setTcpNoDelay(true);
    threads.execute(() -> pass(client, upstream, false));
    threads.execute(() -> pass(upstream, client, true));
  }

  private void pass(Socket from, Socket to, boolean isAnswer) {
    byte[] bytes = new byte[BUFFER_BYTES];
    long passed = 0;
    try (from;
        to) {
      InputStream in = from.getInputStream();
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        while (isStalled) {
          RealTime.pass(Duration.ofMillis(5));
        }
        if (isAnswer) {
          RealTime.pass(Duration.ofNanos(delayNanos));
          passed += read;
        }
        int whole = (int) Math.max(0, Math.min(read, read - (passed - cutAfterBytes)));
        to.getOutputStream().write(bytes, 0, isAnswer ? whole : read);
        if (isAnswer && passed > cutAfterBytes) {
          return;
        }
      }
    } catch (IOException e) {
      // Cut: both ends notice.
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
