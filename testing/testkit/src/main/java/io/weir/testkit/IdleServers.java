package io.weir.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The servers without options that tests of this JVM have closed, for the next tests. A server is taken over only if
 * its settings and users are those of a new one; the servers end with the JVM.
 */
final class IdleServers {
  /** Each ends something that a test has begun: pauses, users, clients. */
  private static final List<String> END_CLIENTS = List.of(
      "CLIENT UNPAUSE",
      "ACL SETUSER default reset on nopass ~* &* +@all",
      "CLIENT KILL TYPE pubsub",
      "CLIENT KILL TYPE normal");

  /** Code, data, statistics. */
  private static final List<String> EMPTY = List.of(
      "SCRIPT FLUSH",
      "FUNCTION FLUSH", // an error before Redis 7, which has none
      "FLUSHALL",
      "SLOWLOG RESET",
      "CONFIG RESETSTAT");

  private static final Deque<RedisProcess> IDLE = new ArrayDeque<>();
  private static Map<String, String> settingsOfNew = Map.of();

  private IdleServers() {}

  static synchronized Optional<RedisProcess> take() {
    for (RedisProcess idle = IDLE.poll(); idle != null; idle = IDLE.poll()) {
      if (isEmpty(idle)) {
        return Optional.of(idle);
      }
      idle.end(); // a client of an earlier test has come back
    }
    return Optional.empty();
  }

  /** Returns false if it cannot be taken over. */
  static synchronized boolean give(RedisProcess server) {
    if (IDLE.contains(server)) {
      return true;
    }
    try {
      server.resume();
      users(server)
          .filter(user -> !user.equals("default"))
          .forEach(user -> server.ask("ACL DELUSER " + user));
      END_CLIENTS.forEach(server::ask);
      RedisCluster.await(() -> clients(server) == 1, Duration.ofSeconds(10));
      EMPTY.forEach(server::ask);
      removeData(server.directory());
      putBack(server);
      if (!isEmpty(server) || !settings(server).equals(settingsOfNew)) {
        return false;
      }
    } catch (UncheckedIOException | IllegalStateException e) {
      return false; // such as a server that asks for a password now
    }
    IDLE.add(server);
    return true;
  }

  // Undoes the configuration of a test.
  private static void putBack(RedisProcess server) {
    Map<String, String> changed = settings(server);
    changed.entrySet().removeAll(settingsOfNew.entrySet());
    changed
        .keySet()
        .forEach(
            name -> server.ask("CONFIG SET %s \"%s\"".formatted(name, settingsOfNew.get(name))));
  }

  private static boolean isEmpty(RedisProcess server) {
    try {
      return clients(server) == 1 && server.ask("INFO keyspace").lines().count() == 1;
    } catch (UncheckedIOException e) {
      return false; // it has ended
    }
  }

  // The client that asks is one of them.
  private static long clients(RedisProcess server) {
    return server.ask("CLIENT LIST").lines().count();
  }

  private static Stream<String> users(RedisProcess server) {
    return server.ask("ACL USERS").lines();
  }

  private static Map<String, String> settings(RedisProcess server) {
    List<String> lines = server.ask("CONFIG GET *").lines().toList();
    Map<String, String> settings = new TreeMap<>();
    for (int i = 0; i + 1 < lines.size(); i += 2) {
      settings.put(lines.get(i), lines.get(i + 1));
    }
    settings.keySet().removeAll(List.of("port", "dir"));
    settings.put(
        "role", server.ask("INFO replication").lines().limit(2).toList().toString());
    return settings;
  }

  /** Learns the settings of a server that no test has had yet. */
  static synchronized void see(RedisProcess fresh) {
    if (settingsOfNew.isEmpty()) {
      settingsOfNew = settings(fresh);
      Runtime.getRuntime().addShutdownHook(new Thread(IdleServers::endAll, "idle-servers-end"));
    }
  }

  private static synchronized void endAll() {
    IDLE.forEach(RedisProcess::end);
    IDLE.clear();
  }

  // A restart would load it.
  private static void removeData(Path directory) {
    for (String name : List.of("dump.rdb", "appendonlydir")) {
      Path file = directory.resolve(name);
      try (Stream<Path> files = Files.exists(file) ? Files.walk(file) : Stream.empty()) {
        for (Path one : files.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(one);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
